/* The heap and the locks: what they do and what they fail with. */
#include "law.h"
#include <malloc.h>
#include <semaphore.h>
#include <setjmp.h>

static volatile size_t too_much = (size_t)-1 / 2;

static void heap(void)
{
	void *volatile kept[64];
	for (int i = 0; i < 64; i++) {
		char *bytes = kept[i] = malloc(i * 100);
		NEED(bytes);
		memset(bytes, i, i * 100);
		kept[i] = realloc(bytes, i * 200 + 1);
		NEED(kept[i]);
		for (int at = 0; at < i * 100; at++)
			CHECK(((char *)kept[i])[at] == i);
	}
	for (int i = 0; i < 64; i++) {
		errno = 77;
		free(kept[i]);
		CHECK(errno == 77);
	}
	CHECK(malloc(too_much) == NULL && errno == ENOMEM);
	CHECK(calloc(too_much, 4) == NULL && errno == ENOMEM);
	CHECK(reallocarray(NULL, too_much, 4) == NULL && errno == ENOMEM);
	void *aligned = NULL;
	errno = 77;
	CHECK(posix_memalign(&aligned, 4096, 10) == 0 && (uintptr_t)aligned % 4096 == 0);
	CHECK(posix_memalign(&aligned, 3, 10) == EINVAL && errno == 77);
	CHECK(malloc_usable_size(aligned) >= 10);
	free(aligned);
	free(aligned_alloc(64, 64));
	char *line = strdup("by libc itself");
	CHECK(!strcmp(line, "by libc itself"));
	free(line);
}

static void *churn(void *argument)
{
	void *kept[16] = { NULL };
	unsigned seed = (uintptr_t)argument;
	for (int i = 0; i < 5000; i++) {
		int at = rand_r(&seed) % 16;
		kept[at] = realloc(kept[at], rand_r(&seed) % 2000 + 1);
		*(volatile char *)kept[at] = 1;
	}
	for (int at = 0; at < 16; at++)
		free(kept[at]);
	return NULL;
}

/* Children of a process whose other threads are in malloc all the time. */
static void forked(void)
{
	pthread_t threads[4];
	for (uintptr_t i = 0; i < 4; i++)
		NEED(pthread_create(&threads[i], NULL, churn, (void *)(i + 1)) == 0);
	for (int i = 0; i < 20; i++) {
		pid_t child = fork();
		if (child == 0) {
			free(malloc(100));
			_exit(6);
		}
		CHECK(reap(child) == 6);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static int counter, turn;

static void *counting(void *argument)
{
	for (int i = 0; i < 2000; i++) {
		CHECK(pthread_mutex_lock(&mutex) == 0);
		counter++;
		CHECK(pthread_mutex_unlock(&mutex) == 0);
	}
	return NULL;
}

static void *taking_turns(void *argument)
{
	int own = (uintptr_t)argument;
	for (int i = 0; i < 100; i++) {
		pthread_mutex_lock(&mutex);
		while (turn != own)
			CHECK(pthread_cond_wait(&condition, &mutex) == 0);
		turn = !own;
		CHECK(pthread_cond_signal(&condition) == 0);
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

static void unlock(void *argument)
{
	pthread_mutex_unlock(&mutex);
}

static void *waiting(void *argument)
{
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(unlock, NULL);
	sem_post(&semaphore);
	for (;;)
		pthread_cond_wait(&condition, &mutex);
	pthread_cleanup_pop(0);
	return NULL;
}

static void both(void *(*routine)(void *))
{
	pthread_t threads[2];
	for (uintptr_t i = 0; i < 2; i++)
		NEED(pthread_create(&threads[i], NULL, routine, (void *)i) == 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

static int onces;

static void once(void)
{
	onces++;
	access("/once", F_OK);
}

static void locks(void)
{
	struct timespec past = { 1, 0 };
	pthread_mutexattr_t checking;
	pthread_mutex_t checked;
	pthread_mutexattr_init(&checking);
	pthread_mutexattr_settype(&checking, PTHREAD_MUTEX_ERRORCHECK);
	CHECK(pthread_mutex_init(&checked, &checking) == 0);
	CHECK(pthread_mutex_lock(&checked) == 0 && pthread_mutex_lock(&checked) == EDEADLK);
	CHECK(pthread_mutex_unlock(&checked) == 0 && pthread_mutex_unlock(&checked) == EPERM);
	CHECK(pthread_mutex_destroy(&checked) == 0);
	both(counting);
	CHECK(counter == 4000);
	both(taking_turns);
	/* Cancelled as it waits, a thread has its mutex when its handlers run. */
	NEED(sem_init(&semaphore, 0, 0) == 0);
	for (int i = 0; i < 20; i++) {
		pthread_t thread;
		void *result;
		NEED(pthread_create(&thread, NULL, waiting, NULL) == 0);
		CHECK(sem_wait(&semaphore) == 0);
		CHECK(pthread_cancel(thread) == 0);
		CHECK(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
		CHECK(pthread_mutex_trylock(&mutex) == 0);
		pthread_mutex_unlock(&mutex);
	}
	pthread_mutex_lock(&mutex);
	CHECK(pthread_cond_timedwait(&condition, &mutex, &past) == ETIMEDOUT);
	pthread_mutex_unlock(&mutex);
	CHECK(sem_timedwait(&semaphore, &past) == -1 && errno == ETIMEDOUT);
	CHECK(sem_trywait(&semaphore) == -1 && errno == EAGAIN);
	pthread_once_t control = PTHREAD_ONCE_INIT;
	CHECK(pthread_once(&control, once) == 0 && pthread_once(&control, once) == 0 && onces == 1);
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		/* Whatever else malloc may be. */
		churn((void *)1);
		forked();
	} else {
		heap();
		forked();
		locks();
	}
	return done();
}
