//! Programs whose functions are profiled.

/// Calls `middle` N times, which calls `leaf` twice; `outer`, which calls `slow`, which takes 20 ms of
/// processor time; and with a second argument `stays`, which doesn't return. It prints what `slow` took.
pub const PROGRAM: &str = "
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#define SELF __attribute__((noinline))
#define UNTRACED __attribute__((noinline, patchable_function_entry(0)))
UNTRACED static long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}
SELF int leaf(int x) { return x * 3 + 1; }
SELF int middle(int x) { return leaf(x) + leaf(x + 1); }
SELF long slow(void)
{
	long start = now(), end;
	do
		end = now();
	while (end - start < 20000000);
	return end - start;
}
SELF long outer(void) { return slow(); }
SELF void stays(void) { for (;;) pause(); }
int main(int count, char **words)
{
	long sum = 0;
	for (int i = 0; i < atoi(words[1]); i++)
		sum += middle(i);
	printf(\"%ld\\n\", outer());
	fflush(stdout);
	if (count > 2)
		stays();
	return sum == 0x7ead;
}
";

/// Calls `forks`, which makes a child: both return from it, the child 20 ms later. Each prints what it took.
pub const FORKING: &str = "
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
__attribute__((patchable_function_entry(0))) static long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}
__attribute__((noinline)) pid_t forks(long start)
{
	pid_t pid = fork();
	while (!pid && now() - start < 20000000);
	return pid;
}
__attribute__((patchable_function_entry(0))) int main(void)
{
	long start = now();
	pid_t pid = forks(start);
	long passed = now() - start;
	if (pid)
		wait(0);
	printf(\"%ld\\n\", passed);
	return 0;
}
";

/// Four threads call `counted` 50,000 times each, which calls `inner` and in each 16th call jumps out of it;
/// signals come in between, whose handler calls `handled`. It prints how often that was.
pub const STORM: &str = "
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#define CALLS 50000
#define UNTRACED __attribute__((noinline, patchable_function_entry(0)))
static volatile int running = 4;
static volatile long signals;
static __thread jmp_buf out;
__attribute__((noinline)) long inner(long x)
{
	if (x % 16 == 0)
		longjmp(out, 1);
	return x + 1;
}
__attribute__((noinline)) long counted(long x) { return inner(x) + 1; }
__attribute__((noinline)) void handled(void) { __atomic_add_fetch(&signals, 1, __ATOMIC_RELAXED); }
UNTRACED static void handler(int signal) { (void)signal; handled(); }
UNTRACED static void *work(void *unused)
{
	for (volatile long i = 0; i < CALLS; i++)
		if (!setjmp(out))
			counted(i);
	__atomic_sub_fetch(&running, 1, __ATOMIC_RELAXED);
	while (running)
		usleep(100);
	return unused;
}
UNTRACED int main(void)
{
	pthread_t threads[4];
	signal(SIGUSR1, handler);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], 0, work, 0);
	for (int i = 0; running; i++) {
		pthread_kill(threads[i % 4], SIGUSR1);
		usleep(50);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], 0);
	printf(\"%ld\\n\", signals);
	return 0;
}
";
