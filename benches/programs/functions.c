/* Functions that do next to nothing: what tracing them costs is what a call takes longer. */
#include <unistd.h>
#include "worker.h"

__attribute__((noinline)) unsigned long called(unsigned long value)
{
	__asm__ volatile("" : "+r"(value));
	return value + 1;
}

/* Two places in its middle, each an instruction that lies in one word: one of seven bytes, and the nop of
   five that the kernel makes a call. */
__attribute__((noinline)) unsigned long passed(unsigned long value)
{
	unsigned long sum = value;

	__asm__ volatile(".balign 8\n"
			 ".globl place\n.type place, @function\nplace: .byte 0x48, 0x8d, 0x80, 1, 0, 0, 0\n"
			 ".balign 8\n"
			 ".globl nop_place\n.type nop_place, @function\nnop_place: .byte 0x0f, 0x1f, 0x44, 0, 0\n"
			 : "+a"(sum) : "D"(value));
	return sum;
}

__asm__(".section .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n.weak _.stapsdt.base\n"
	"_.stapsdt.base: .space 1\n.previous\n");

/* With a place for USDT in its middle, as <sys/sdt.h> has it: a nop of one byte, and a note about it. */
__attribute__((noinline)) unsigned long marked(unsigned long value)
{
	value ^= 1;
	__asm__ volatile("990: nop\n.pushsection .note.stapsdt,\"\",\"note\"\n.balign 4\n"
			 ".4byte 992f-991f, 994f-993f, 3\n991: .asciz \"stapsdt\"\n992: .balign 4\n"
			 "993: .8byte 990b, _.stapsdt.base, 0\n.asciz \"benches\"\n.asciz \"marked\"\n"
			 ".asciz \"8@%0\"\n994: .balign 4\n.popsection\n"
			 : "+r"(value));
	return value + 1;
}

/* The barrier keeps it from becoming a loop. */
__attribute__((noinline)) unsigned long fibonacci(unsigned long number)
{
	unsigned long sum = number;

	if (number > 1)
		sum = fibonacci(number - 1) + fibonacci(number - 2);
	__asm__ volatile("" : "+r"(sum));
	return sum;
}

/* So many calls make fibonacci(20). */
#define FIBONACCI_CALLS 21891

static void call(unsigned long count)
{
	unsigned long value = 0;

	while (count--)
		value = called(value);
}

static void pass(unsigned long count)
{
	unsigned long value = 0;

	while (count--)
		value = passed(value);
}

static void mark(unsigned long count)
{
	unsigned long value = 0;

	while (count--)
		value = marked(value);
}

static void nest(unsigned long count)
{
	volatile unsigned long number = 20;

	for (; count >= FIBONACCI_CALLS; count -= FIBONACCI_CALLS)
		fibonacci(number);
}

static void ask(unsigned long count)
{
	while (count--)
		getppid();
}

static void read_counter(unsigned long count)
{
	while (count--)
		__asm__ volatile("rdtsc" ::: "rax", "rdx");
}

int main(void)
{
	static const struct operation operations[] = {
		{ "call", call }, { "pass", pass }, { "mark", mark }, { "nest", nest }, { "ask", ask },
		{ "counter", read_counter },
		{ NULL, NULL },
	};

	return serve(operations);
}
