/*
 * Threads that call libc and functions all the time, and check what they get. SIGTERM ends it.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int stop;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long counted, expected[4];

/* Begins with an instruction as long as a jump. */
__attribute__((noinline)) int leaf(int x) { __asm__ volatile("nopl 0x1000000(%rax)"); return x + 1; }

#define CHECK(condition) do { if (!(condition)) { \
	fprintf(stderr, "line %d, errno %d\n", __LINE__, errno); abort(); } } while (0)

static void *work(void *number)
{
	for (long i = 0; !stop; i++) {
		char *text = malloc(i % 5000 + 32);
		CHECK(text);
		snprintf(text, 32, "%ld", i);
		CHECK(strtol(text, 0, 10) == i);
		free(text);
		int file = open("/dev/zero", O_RDONLY);
		CHECK(file >= 0);
		char bytes[8] = "abcdefg";
		CHECK(read(file, bytes, 8) == 8 && !bytes[0] && !bytes[7]);
		CHECK(!close(file));
		errno = 55;
		CHECK(leaf((int)i) == (int)i + 1 && errno == 55);
		CHECK(open("/nowhere/at/all", O_RDONLY) == -1 && errno == ENOENT);
		pthread_mutex_lock(&mutex);
		counted++;
		pthread_mutex_unlock(&mutex);
		expected[(long)number]++;
	}
	return 0;
}

static void *sleepy(void *nothing)
{
	while (!stop)
		CHECK(poll(0, 0, 3) == 0);
	return 0;
}

static void *ephemeral(void *nothing) { return (void *)(long)leaf(6); }

static void *making(void *nothing)
{
	while (!stop) {
		pthread_t thread;
		void *result;
		CHECK(!pthread_create(&thread, 0, ephemeral, 0));
		CHECK(!pthread_join(thread, &result) && result == (void *)7);
		pid_t child = fork();
		if (!child)
			_exit(leaf(2));
		int status;
		CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3);
		usleep(2000);
	}
	return 0;
}

static void term(int number) { stop = 1; }

int main(void)
{
	pthread_t threads[6];
	struct sigaction action = { .sa_handler = term, .sa_flags = SA_RESTART };
	sigaction(SIGTERM, &action, 0);
	for (long i = 0; i < 4; i++)
		pthread_create(&threads[i], 0, work, (void *)i);
	pthread_create(&threads[4], 0, sleepy, 0);
	pthread_create(&threads[5], 0, making, 0);
	puts("ready");
	fflush(stdout);
	for (int i = 0; i < 6; i++)
		pthread_join(threads[i], 0);
	CHECK(counted == expected[0] + expected[1] + expected[2] + expected[3]);
	puts("ok");
	return 0;
}
