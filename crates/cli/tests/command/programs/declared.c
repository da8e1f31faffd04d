/* A critical section of the program's own, and one within it: what passed within it, and around it. */
#include <lookback.h>
#include <stdio.h>
#include <time.h>

static long now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000L + time.tv_nsec;
}

static __attribute__((noinline)) long serve(void)
{
	lookback_enter_critical_section();
	long begun = now();
	lookback_enter_critical_section();
	while (now() < begun + 4000000)
		;
	lookback_leave_critical_section();
	while (now() < begun + 6000000)
		;
	long passed = now() - begun;
	lookback_leave_critical_section();
	return passed;
}

int main(void)
{
	long begun = now(), passed = serve();
	printf("%ld %ld\n", passed, now() - begun);
	return 0;
}
