/* What the programs share. Each checks what it does, and says "ok" or what is not as it should be. It can't
 * see whether it is traced, so what it says must be the same both times. */
#ifndef LAW_H
#define LAW_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int failures;

#define CHECK(condition) \
	((condition) ? (void)0 \
		     : (void)(failures++, printf("%s:%d: %s (errno %d)\n", __FILE__, __LINE__, #condition, errno)))

/* For where the rest makes no sense. */
#define NEED(condition) \
	do { \
		CHECK(condition); \
		if (failures) \
			exit(1); \
	} while (0)

/* What main returns. */
static inline int done(void)
{
	if (!failures)
		puts("ok");
	return failures != 0;
}

/* Waits for a child, and gives its exit code; -1 if it was ended by a signal. */
static inline int reap(pid_t child)
{
	int status = 0;
	pid_t found;
	do
		found = waitpid(child, &status, 0);
	while (found < 0 && errno == EINTR);
	if (found != child || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static inline double seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

static inline void handle(int signal, void (*handler)(int), int flags)
{
	struct sigaction action;
	memset(&action, 0, sizeof(action));
	action.sa_handler = handler;
	action.sa_flags = flags;
	CHECK(sigaction(signal, &action, NULL) == 0);
}

/* Has the process get a signal so often. */
static inline void every(int which, int microseconds)
{
	struct itimerval timer = { { 0, microseconds }, { 0, microseconds } };
	CHECK(setitimer(which, &timer, NULL) == 0);
}

#endif
