// All registers, the flags and what lies below the stack pointer are as they were at an instruction in the
// middle of a function that a probe is at.
#include "law.h"
#include "registers.h"

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
	CALLS(kind, kind, "probed_" #kind)
DEFINE(xmm)
DEFINE(ymm)

static void check_places(void (*calls)(void), size_t vector)
{
	// Of more events than a page has, so that each way to write one is taken.
	for (int round = 0; round < 20000; round++) {
		randomize();
		calls();
		check(before.integers[0], vector);
	}
}

int main(void)
{
	check_places(calls_xmm, 16);
	if (__builtin_cpu_supports("avx"))
		check_places(calls_ymm, 32);
	puts("ok");
	return 0;
}
