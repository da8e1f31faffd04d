// Random values for all registers, the flags and what lies below the stack pointer, and whether they are
// still there.
#pragma once
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

// What a function does that keeps its caller's registers, has all of `before` in them, and then does this.
#define WITH_BEFORE(kind, does) \
	__asm__("push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n sub $8, %rsp\n" \
		INTEGERS(LOAD, before) VECTORS(LOAD_VECTOR, kind, before) does \
		"add $8, %rsp\n pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n ret")

// A function calls_NAME that has all of `before` in registers and calls another one, which stores `after`.
#define CALLS(name, kind, function) \
	__attribute__((naked, noinline)) void calls_##name(void) \
	{ \
		WITH_BEFORE(kind, "push before+120(%rip)\n popf\n call " function "\n"); \
	}

// Carry, parity, adjust, zero, sign, direction, overflow.
#define FLAGS 0xcd5

static inline void randomize(void)
{
	unsigned char *bytes = (unsigned char *)&before;
	for (size_t i = 0; i < sizeof(before); i++)
		bytes[i] = (unsigned char)random();
	before.flags &= FLAGS;
}

// Whether all is as before, of vector registers so many bytes; rax and rbx lie below the stack pointer.
static inline void check(uint64_t rax, size_t vector)
{
	CHECK(!memcmp(before.integers, after.integers, sizeof(before.integers)));
	CHECK(before.flags == (after.flags & FLAGS));
	CHECK(after.below[0] == rax && after.below[1] == before.integers[1]);
	for (int number = 0; number < 16; number++)
		CHECK(!memcmp(before.vectors[number], after.vectors[number], vector));
}
