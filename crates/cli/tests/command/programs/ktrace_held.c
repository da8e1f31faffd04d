/*
 * Holds as many threads as an argument says in the middle of a long event each: its text ends in a page that
 * can't be read until the handler of the signal that comes of that returns. Then the first thread traces one
 * more, and so does a handler that has come in the middle of one; and at last all go on, and one more comes.
 */
#include <lookback.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* SHORT is more than is read of a text before it is known to be long. */
enum { MOST = 64, PAGE = 4096, SHORT = 1000, LEN = 3000 };

/* Two pages each, of which the second can't be read. The program's own memory is read without a question. */
static char texts[MOST + 1][2 * PAGE] __attribute__((aligned(PAGE)));
static sem_t held, go_on;
static _Thread_local char *own;

static char *text_of(long at)
{
	return memset(texts[at] + PAGE - SHORT, 'a' + (int)at % 26, LEN);
}

static void handle(int number)
{
	(void)number;
	if (own == texts[0])
		DO_TRACE(in_handler, "%s", text_of(MOST));
	sem_post(&held);
	while (sem_wait(&go_on))
		;
	mprotect(own + PAGE, PAGE, PROT_READ | PROT_WRITE);
}

static void *trace(void *argument)
{
	char *text = text_of((long)argument);

	own = texts[(long)argument];
	mprotect(own + PAGE, PAGE, PROT_NONE);
	DO_TRACE(in_thread, "%s", text);
	/* It was not held where there was no place for it. */
	sem_post(&held);
	return 0;
}

int main(int count, char **arguments)
{
	long threads = count > 1 ? atol(arguments[1]) : 1;
	pthread_t started[MOST];

	sem_init(&held, 0, 0);
	sem_init(&go_on, 0, 0);
	signal(SIGSEGV, handle);
	/* The first is the last, so that its handler finds all others held. */
	for (long at = threads - 1; at >= 0; at--) {
		pthread_create(&started[at], 0, trace, (void *)at);
		sem_wait(&held);
	}
	DO_TRACE(one_more, "%s", text_of(MOST));
	for (long at = 0; at < threads; at++)
		sem_post(&go_on);
	for (long at = 0; at < threads; at++)
		pthread_join(started[at], 0);
	DO_TRACE(after, "%s", text_of(MOST));
	return 0;
}
