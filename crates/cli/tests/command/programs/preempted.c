/* Two threads that compute on one CPU, until the second was preempted three times. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int is_over;

/* How often a thread was preempted. */
static long switches(int tid)
{
	char path[64], line[256];
	long count = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, "nonvoluntary_ctxt_switches:", 27))
			count = strtol(line + 27, NULL, 10);
	if (file)
		fclose(file);
	return count;
}

static volatile int busy_tid;

static void *busy(void *unused)
{
	pthread_setname_np(pthread_self(), "busy");
	busy_tid = gettid();
	while (!is_over)
		;
	return unused;
}

int main(void)
{
	pthread_t thread;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		return 1;
	pthread_create(&thread, NULL, busy, NULL);
	while (!busy_tid)
		sched_yield();
	while (switches(busy_tid) < 3)
		;
	is_over = 1;
	pthread_join(thread, NULL);
	return 0;
}
