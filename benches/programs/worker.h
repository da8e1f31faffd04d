/*
 * A worker: a program that repeats an operation on request, so that operations of several
 * programs can be measured in turns.
 *
 * It answers each line "NAME COUNT" of its standard input with a line "WALL CPU": the nanoseconds that
 * COUNT operations have taken, and how many of them its thread had a processor.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

struct operation {
	const char *name;
	void (*repeat)(unsigned long count);
};

static unsigned long nanoseconds(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return time.tv_sec * 1000000000ul + time.tv_nsec;
}

static int serve(const struct operation *operations)
{
	char name[32];
	unsigned long count;

	while (scanf("%31s %lu", name, &count) == 2) {
		const struct operation *found = operations;
		unsigned long wall, cpu;

		while (found->name && strcmp(found->name, name))
			found++;
		if (!found->name)
			return 2;
		wall = nanoseconds(CLOCK_MONOTONIC);
		cpu = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
		found->repeat(count);
		cpu = nanoseconds(CLOCK_THREAD_CPUTIME_ID) - cpu;
		wall = nanoseconds(CLOCK_MONOTONIC) - wall;
		printf("%lu %lu\n", wall, cpu);
		fflush(stdout);
	}
	return 0;
}
