/*
 * Threads that wait, and say how long: "WAIT AT-LEAST AT-MOST", in ns of CLOCK_MONOTONIC. A wait lasts at
 * least from when the kernel says that the thread is in it until somebody begins to end it, and at most from
 * before the call until after it.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t forever = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t of_cond = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem, start;
static int pipefd[2], is_signalled;
static volatile int waiter_tid;
/* When the one that waits was seen to, and when somebody began to end it. */
static long long seen, ended;

static long long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void pause_ms(long ms)
{
	struct timespec time = { .tv_nsec = ms * 1000000 };

	nanosleep(&time, NULL);
}

/* Until the waiter is in this system call, and sleeps. */
static void until_in(long number)
{
	char path[64], line[256], state;
	long call;

	for (;;) {
		FILE *file;

		pause_ms(1);
		snprintf(path, sizeof(path), "/proc/self/task/%d/stat", waiter_tid);
		file = fopen(path, "r");
		state = 0;
		if (file && fgets(line, sizeof(line), file) && strrchr(line, ')'))
			state = strrchr(line, ')')[2];
		if (file)
			fclose(file);
		snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", waiter_tid);
		file = fopen(path, "r");
		call = -1;
		if (file && fgets(line, sizeof(line), file))
			call = strtol(line, NULL, 10);
		if (file)
			fclose(file);
		if (state == 'S' && call == number)
			break;
	}
	seen = now();
	pause_ms(20);
	ended = now();
}

/* Makes the helper start its next part, once it has the mutex where it needs it. */
static void *helper(void *unused)
{
	pthread_setname_np(pthread_self(), "helper");
	pthread_mutex_lock(&mutex);
	sem_post(&start);
	until_in(SYS_futex);
	pthread_mutex_unlock(&mutex);

	sem_wait(&start);
	until_in(SYS_read);
	if (write(pipefd[1], "x", 1) != 1)
		abort();

	sem_wait(&start);
	until_in(SYS_futex);
	sem_post(&sem);

	sem_wait(&start);
	until_in(SYS_futex);
	pthread_mutex_lock(&of_cond);
	is_signalled = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&of_cond);
	return unused;
}

static void say(const char *what, long long before, long long after)
{
	printf("%s %lld %lld\n", what, ended - seen, after - before);
}

static void *waiter(void *unused)
{
	long long before, after;
	char byte;

	pthread_setname_np(pthread_self(), "waiter");
	waiter_tid = gettid();
	sem_wait(&start);
	before = now();
	pthread_mutex_lock(&mutex);
	after = now();
	pthread_mutex_unlock(&mutex);
	say("mutex", before, after);

	sem_post(&start);
	before = now();
	if (read(pipefd[0], &byte, 1) != 1)
		abort();
	say("pipe", before, now());

	sem_post(&start);
	before = now();
	sem_wait(&sem);
	say("semaphore", before, now());

	sem_post(&start);
	before = now();
	pthread_mutex_lock(&of_cond);
	while (!is_signalled)
		pthread_cond_wait(&cond, &of_cond);
	pthread_mutex_unlock(&of_cond);
	say("condition", before, now());

	before = now();
	pause_ms(30);
	after = now();
	printf("sleep %d %lld\n", 30000000, after - before);
	return unused;
}

/* Waits for a lock that the main thread has, until the process ends. */
static void *stuck(void *unused)
{
	pthread_setname_np(pthread_self(), "stuck");
	waiter_tid = gettid();
	pthread_mutex_lock(&forever);
	return unused;
}

int main(void)
{
	long long before, after;
	pthread_t threads[3];
	pid_t child;

	sem_init(&sem, 0, 0);
	sem_init(&start, 0, 0);
	if (pipe(pipefd))
		return 1;
	pthread_mutex_lock(&forever);
	pthread_create(&threads[0], NULL, waiter, NULL);
	while (!waiter_tid)
		pause_ms(1);
	pthread_create(&threads[1], NULL, helper, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);

	child = fork();
	if (!child) {
		close(pipefd[0]);
		pause_ms(40);
		_exit(0);
	}
	before = now();
	waitpid(child, NULL, 0);
	after = now();
	printf("child %d %lld\n", 0, after - before);

	waiter_tid = 0;
	pthread_create(&threads[2], NULL, stuck, NULL);
	while (!waiter_tid)
		pause_ms(1);
	before = now();
	until_in(SYS_futex);
	printf("stuck %lld %lld\n", ended - seen, -1LL);
	fflush(stdout);
	_exit(0);
}
