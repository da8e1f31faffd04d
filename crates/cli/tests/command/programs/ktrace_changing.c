/*
 * Traces long texts in many threads, of which one is interrupted by a handler that does so, too; and in the
 * child of a fork; and a text whose end moves. Prints how many events that makes.
 */
#include <lookback.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 24, TIMES = 100, LEN = 3000 };

static atomic_int handled, ended;
static char changing[LEN + 1];

static void handle(int number)
{
	char text[LEN + 1];

	(void)number;
	memset(text, 'h', LEN);
	text[LEN] = 0;
	DO_TRACE(in_handler, "%s", text);
	handled++;
}

static void *trace(void *argument)
{
	char text[LEN + 1];

	memset(text, 'a' + (int)(long)argument, LEN);
	text[LEN] = 0;
	for (int time = 0; time < TIMES; time++)
		DO_TRACE(in_thread, "%s", text);
	return 0;
}

static void *change(void *argument)
{
	while (!ended) {
		changing[LEN / 3] ^= 'z';
		usleep(1);
	}
	return argument;
}

int main(void)
{
	struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
	pthread_t threads[THREADS], changer;
	pid_t child;

	signal(SIGALRM, handle);
	for (long at = 0; at < THREADS; at++)
		pthread_create(&threads[at], 0, trace, (void *)at);
	setitimer(ITIMER_REAL, &often, 0);
	trace((void *)25L);
	while (!handled)
		usleep(100);
	setitimer(ITIMER_REAL, &never, 0);
	if (!(child = fork())) {
		trace((void *)24L);
		_exit(0);
	}
	waitpid(child, 0, 0);
	for (int at = 0; at < THREADS; at++)
		pthread_join(threads[at], 0);
	memset(changing, 'z', LEN);
	pthread_create(&changer, 0, change, 0);
	for (int time = 0; time < TIMES; time++)
		DO_TRACE(changing, "%s", changing);
	ended = 1;
	pthread_join(changer, 0);
	printf("%d\n", (THREADS + 3) * TIMES + handled);
	return 0;
}
