/* What programs do all the time: take memory and give it back, lock and unlock, block signals for a
 * while. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include "worker.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void allocate(unsigned long count)
{
	while (count--) {
		void *volatile memory = malloc(64);

		free(memory);
	}
}

static void lock(unsigned long count)
{
	while (count--) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
}

static void mask(unsigned long count)
{
	sigset_t all;

	sigfillset(&all);
	while (count--) {
		sigprocmask(SIG_BLOCK, &all, NULL);
		sigprocmask(SIG_UNBLOCK, &all, NULL);
	}
}

int main(void)
{
	static const struct operation operations[] = {
		{ "malloc", allocate }, { "mutex", lock }, { "sigmask", mask }, { NULL, NULL }
	};

	return serve(operations);
}
