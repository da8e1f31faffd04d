/* Functions that do next to nothing: what tracing them costs is what a call takes longer. */
#include "worker.h"

__attribute__((noinline)) unsigned long called(unsigned long value)
{
	__asm__ volatile("" : "+r"(value));
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

static void nest(unsigned long count)
{
	volatile unsigned long number = 20;

	for (; count >= FIBONACCI_CALLS; count -= FIBONACCI_CALLS)
		fibonacci(number);
}

static void read_counter(unsigned long count)
{
	while (count--)
		__asm__ volatile("rdtsc" ::: "rax", "rdx");
}

int main(void)
{
	static const struct operation operations[] = {
		{ "call", call }, { "nest", nest }, { "counter", read_counter }, { NULL, NULL }
	};

	return serve(operations);
}
