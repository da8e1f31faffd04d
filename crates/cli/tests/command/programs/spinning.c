/*
 * Threads that make no calls: each checks that its registers, the flags and what is below its stack pointer
 * stay as they are, and calls two functions now and then. SIGTERM ends it.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
__attribute__((noinline)) int leaf(int x) { __asm__ volatile(""); return x + 1; }
__attribute__((noinline)) int other(int x) { __asm__ volatile(""); return x + 2; }
static volatile int stop;
__attribute__((noinline,target("avx"))) static int check(void)
{
	int bad;
	static const double v[4] = {1.5, 2.5, 3.5, 4.5};
	__asm__ volatile(
	"vmovupd (%1), %%ymm9\n"
	"fld1\n fldpi\n"
	"movq $0x1111, %%r8\n movq $0x2222, %%r9\n movq $0x3333, %%r12\n movq $0x4444, %%r13\n"
	"movq $0x5555, %%rbx\n movq $0x6666, -8(%%rsp)\n movq $0x7777, -120(%%rsp)\n"
	"movl $200000, %%ecx\n"
	"1: stc\n"
	"jnc 9f\n"
	"cmpq $0x1111, %%r8\n jne 9f\n cmpq $0x2222, %%r9\n jne 9f\n cmpq $0x3333, %%r12\n jne 9f\n"
	"cmpq $0x4444, %%r13\n jne 9f\n cmpq $0x5555, %%rbx\n jne 9f\n"
	"cmpq $0x6666, -8(%%rsp)\n jne 9f\n cmpq $0x7777, -120(%%rsp)\n jne 9f\n"
	"decl %%ecx\n jnz 1b\n"
	"vcmpneqpd (%1), %%ymm9, %%ymm10\n vmovmskpd %%ymm10, %0\n"
	"faddp\n fstp %%st(0)\n"
	"jmp 8f\n"
	"9: movl $99, %0\n 8:"
	: "=&r"(bad) : "r"(v) : "r8","r9","r12","r13","rbx","rcx","memory","cc","xmm9","xmm10");
	return bad;
}
static void *work(void *a)
{
	while (!stop) {
		if (check())
			abort();
		leaf(1);
		other(1);
	}
	return 0;
}
static void term(int s) { stop = 1; }
int main(int c, char **v)
{
	int n = atoi(v[1]);
	pthread_t t[16];
	signal(SIGTERM, term);
	for (int i = 1; i < n; i++) pthread_create(&t[i], 0, work, 0);
	puts("ready");
	fflush(stdout);
	work(0);
	for (int i = 1; i < n; i++) pthread_join(t[i], 0);
	printf("ok\n");
}
