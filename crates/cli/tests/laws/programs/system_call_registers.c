// All registers but those that the kernel uses, the flags and what lies below the stack pointer are after a
// system call as they were before it, wherever in a word its instructions lie.
#include "law.h"
#include "registers.h"
#include <sys/syscall.h>
#include <unistd.h>

#define QUOTE(number) #number
#define NUMBER(number) QUOTE(number)

// A function whose call of the kernel begins `shift` bytes after a word does. What follows it changes
// nothing.
#define DEFINE(kind, shift, after_it) \
	__attribute__((naked, noinline)) void system_call_##kind##_##shift(void) \
	{ \
		__asm__("mov %rax, -8(%rsp)\n mov %rbx, -128(%rsp)\n .balign 8\n .fill " #shift ", 1, 0x90\n" \
			"mov $" NUMBER(SYS_getppid) ", %eax\n syscall\n" after_it "\n" \
			INTEGERS(STORE, after) VECTORS(STORE_VECTOR, kind, after) \
			"mov -8(%rsp), %rcx\n mov %rcx, after+640(%rip)\n" \
			"mov -128(%rsp), %rcx\n mov %rcx, after+648(%rip)\n" \
			"pushf\n pop after+120(%rip)\n cld\n ret"); \
	} \
	CALLS(kind##_##shift, kind, "system_call_" #kind "_" #shift)

// Of seven, four, three and two bytes.
#define LEA_7 ".byte 0x48, 0x8d, 0x80, 0, 0, 0, 0"
#define LEA_4 ".byte 0x48, 0x8d, 0x40, 0"
#define MOVE_3 "mov %rbp, %rbp"
#define NOP_2 ".byte 0x66, 0x90"

#define ALL(kind) \
	DEFINE(kind, 0, LEA_7) DEFINE(kind, 1, LEA_4) DEFINE(kind, 2, LEA_7) DEFINE(kind, 3, MOVE_3) \
	DEFINE(kind, 4, LEA_7) DEFINE(kind, 5, NOP_2) DEFINE(kind, 6, LEA_7) DEFINE(kind, 7, LEA_4)
ALL(xmm)
ALL(ymm)

static void check_system_call(void (*calls)(void), size_t vector)
{
	for (int round = 0; round < 5000; round++) {
		randomize();
		calls();
		CHECK(after.integers[0] == (uint64_t)getppid());
		// The kernel leaves the address and the flags in rcx and r11.
		const int used[] = {0, 2, 10};
		uint64_t rax = before.integers[0];
		for (unsigned i = 0; i < sizeof(used) / sizeof(*used); i++)
			after.integers[used[i]] = before.integers[used[i]];
		check(rax, vector);
	}
}

#define CHECK_ALL(kind, vector) \
	do { \
		check_system_call(calls_##kind##_0, vector); \
		check_system_call(calls_##kind##_1, vector); \
		check_system_call(calls_##kind##_2, vector); \
		check_system_call(calls_##kind##_3, vector); \
		check_system_call(calls_##kind##_4, vector); \
		check_system_call(calls_##kind##_5, vector); \
		check_system_call(calls_##kind##_6, vector); \
		check_system_call(calls_##kind##_7, vector); \
	} while (0)

int main(void)
{
	CHECK_ALL(xmm, 16);
	if (__builtin_cpu_supports("avx"))
		CHECK_ALL(ymm, 32);
	puts("ok");
	return 0;
}
