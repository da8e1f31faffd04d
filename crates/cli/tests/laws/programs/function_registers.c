// All registers are as they were where a traced function begins, and where it has returned.
#include "law.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct Registers {
	uint64_t integers[15];
	uint64_t rest;
	unsigned char vectors[16][32];
};

struct Registers before, inside, after;

#define INTEGERS(DO, registers) \
	DO(rax, 0, registers) DO(rbx, 8, registers) DO(rcx, 16, registers) DO(rdx, 24, registers) \
	DO(rsi, 32, registers) DO(rdi, 40, registers) DO(rbp, 48, registers) DO(r8, 56, registers) \
	DO(r9, 64, registers) DO(r10, 72, registers) DO(r11, 80, registers) DO(r12, 88, registers) \
	DO(r13, 96, registers) DO(r14, 104, registers) DO(r15, 112, registers)
#define VECTORS(DO, kind, registers) \
	DO(kind, 0, registers) DO(kind, 1, registers) DO(kind, 2, registers) DO(kind, 3, registers) \
	DO(kind, 4, registers) DO(kind, 5, registers) DO(kind, 6, registers) DO(kind, 7, registers) \
	DO(kind, 8, registers) DO(kind, 9, registers) DO(kind, 10, registers) DO(kind, 11, registers) \
	DO(kind, 12, registers) DO(kind, 13, registers) DO(kind, 14, registers) DO(kind, 15, registers)
#define STORE(name, offset, registers) "mov %" #name ", " #registers "+" #offset "(%rip)\n"
#define LOAD(name, offset, registers) "mov " #registers "+" #offset "(%rip), %" #name "\n"
#define xmm_MOVE "movdqu "
#define ymm_MOVE "vmovdqu "
#define STORE_VECTOR(kind, number, registers) \
	kind##_MOVE "%" #kind #number ", " #registers "+128+32*" #number "(%rip)\n"
#define LOAD_VECTOR(kind, number, registers) \
	kind##_MOVE #registers "+128+32*" #number "(%rip), %" #kind #number "\n"

// A traced function that notes them, and another that calls it with those of `before`.
#define DEFINE(kind) \
	__attribute__((naked, noinline)) void traced_##kind(void) \
	{ \
		__asm__(INTEGERS(STORE, inside) VECTORS(STORE_VECTOR, kind, inside) "ret"); \
	} \
	__attribute__((naked, noinline, patchable_function_entry(0))) void calls_##kind(void) \
	{ \
		__asm__("push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n sub $8, %rsp\n" \
			INTEGERS(LOAD, before) VECTORS(LOAD_VECTOR, kind, before) \
			"call traced_" #kind "\n" \
			INTEGERS(STORE, after) VECTORS(STORE_VECTOR, kind, after) \
			"add $8, %rsp\n pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n ret"); \
	}
DEFINE(xmm)
DEFINE(ymm)

static void check(void (*calls)(void), size_t vector)
{
	// Of more events than a page has, so that each way to write one is taken.
	for (int round = 0; round < 20000; round++) {
		unsigned char *bytes = (unsigned char *)&before;
		for (size_t i = 0; i < sizeof(before); i++)
			bytes[i] = (unsigned char)random();
		calls();
		CHECK(!memcmp(before.integers, inside.integers, sizeof(before.integers)));
		CHECK(!memcmp(before.integers, after.integers, sizeof(before.integers)));
		for (int number = 0; number < 16; number++) {
			CHECK(!memcmp(before.vectors[number], inside.vectors[number], vector));
			CHECK(!memcmp(before.vectors[number], after.vectors[number], vector));
		}
	}
}

int main(void)
{
	check(calls_xmm, 16);
	if (__builtin_cpu_supports("avx"))
		check(calls_ymm, 32);
	puts("ok");
	return 0;
}
