// All registers, the flags and what lies below the stack pointer are as they were at an instruction in the
// middle of a function that a probe is at.
#include "law.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct Registers {
	uint64_t integers[15];
	uint64_t flags;
	unsigned char vectors[16][32];
	uint64_t below[2];
};

struct Registers before, after;

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

// Names a place that a probe is at: an instruction that begins a word.
#define PLACE(name, instruction) \
	".balign 8\n .globl " name "\n .type " name ", @function\n" name ":\n" instruction "\n"

// A function that has something below its stack pointer, and counts on its flags. Its places have seven,
// four, three, two and one bytes.
#define DEFINE(kind) \
	__attribute__((naked, noinline)) void probed_##kind(void) \
	{ \
		__asm__("mov %rax, -8(%rsp)\n mov %rbx, -128(%rsp)\n" \
			PLACE("place_7_" #kind, ".byte 0x48, 0x8d, 0x80, 0, 0, 0, 0") \
			PLACE("place_4_" #kind, ".byte 0x48, 0x8d, 0x40, 0") \
			PLACE("place_3_" #kind, "mov %rbp, %rbp") \
			PLACE("place_2_" #kind, ".byte 0x66, 0x90") \
			PLACE("place_1_" #kind, "nop") \
			INTEGERS(STORE, after) VECTORS(STORE_VECTOR, kind, after) \
			"mov -8(%rsp), %rcx\n mov %rcx, after+640(%rip)\n" \
			"mov -128(%rsp), %rcx\n mov %rcx, after+648(%rip)\n" \
			"pushf\n pop after+120(%rip)\n cld\n ret"); \
	} \
	__attribute__((naked, noinline)) void calls_##kind(void) \
	{ \
		__asm__("push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n sub $8, %rsp\n" \
			INTEGERS(LOAD, before) VECTORS(LOAD_VECTOR, kind, before) \
			"push before+120(%rip)\n popf\n call probed_" #kind "\n" \
			"add $8, %rsp\n pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n ret"); \
	}
DEFINE(xmm)
DEFINE(ymm)

static void check(void (*calls)(void), size_t vector)
{
	// Carry, parity, adjust, zero, sign, direction, overflow.
	const uint64_t flags = 0xcd5;
	// Of more events than a page has, so that each way to write one is taken.
	for (int round = 0; round < 20000; round++) {
		unsigned char *bytes = (unsigned char *)&before;
		for (size_t i = 0; i < sizeof(before); i++)
			bytes[i] = (unsigned char)random();
		before.flags &= flags;
		calls();
		CHECK(!memcmp(before.integers, after.integers, sizeof(before.integers)));
		CHECK(before.flags == (after.flags & flags));
		CHECK(after.below[0] == before.integers[0] && after.below[1] == before.integers[1]);
		for (int number = 0; number < 16; number++)
			CHECK(!memcmp(before.vectors[number], after.vectors[number], vector));
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
