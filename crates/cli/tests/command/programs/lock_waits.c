/* Threads that wait for each other's locks. */
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static int is_signalled;

static void meet(void)
{
	pthread_barrier_wait(&barrier);
}

static void pause_ms(long ms)
{
	struct timespec time = { .tv_nsec = ms * 1000000 };

	nanosleep(&time, NULL);
}

/* Holds everything while the waiter comes, releases the mutex by waiting for the condition. */
static void *holder(void *unused)
{
	pthread_setname_np(pthread_self(), "holder");
	pthread_mutex_lock(&mutex);
	meet();
	pause_ms(30);
	pthread_mutex_unlock(&mutex);

	pthread_rwlock_rdlock(&rwlock);
	meet();
	pause_ms(20);
	pthread_rwlock_unlock(&rwlock);

	pthread_mutex_lock(&mutex);
	meet();
	pause_ms(10);
	while (!is_signalled)
		pthread_cond_wait(&cond, &mutex);
	meet();
	pause_ms(5);
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void *waiter(void *unused)
{
	pthread_setname_np(pthread_self(), "waiter");
	meet();
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);

	meet();
	pthread_rwlock_wrlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);

	meet();
	pthread_mutex_lock(&mutex);
	is_signalled = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex);
	meet();
	pthread_mutex_trylock(&mutex);
	/* Nobody has that one, or the main thread for ever. */
	pthread_mutex_lock(&other);
	pthread_mutex_unlock(&other);
	return unused;
}

/* With an argument it ends while the waiter waits for the main thread. */
int main(int argc, char **argv)
{
	pthread_t threads[2];

	(void)argv;
	if (argc > 1)
		pthread_mutex_lock(&other);
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&threads[0], NULL, holder, NULL);
	pthread_create(&threads[1], NULL, waiter, NULL);
	pthread_join(threads[0], NULL);
	if (argc > 1) {
		pause_ms(20);
		_exit(0);
	}
	pthread_join(threads[1], NULL);
	return 0;
}
