/* What programs with known latencies begin with. They say what passed, at least and at most, in ns of
   CLOCK_MONOTONIC. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PLACE __attribute__((noinline, noclone))

static long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

static void spend(long milliseconds)
{
    long end = now() + milliseconds * 1000000;
    while (now() < end)
        ;
}

/* Before it, at its start and end, and after it. */
static long first, begun, ended, last;

/* So that calls return into the functions that make them. */
static volatile int calls;

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
