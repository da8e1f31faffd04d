/* What programs do all the time: take memory and give it back, lock and unlock. */
#include <pthread.h>
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

int main(void)
{
	static const struct operation operations[] = { { "malloc", allocate }, { "mutex", lock }, { NULL, NULL } };

	return serve(operations);
}
