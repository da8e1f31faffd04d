/* Who else uses the thread's restartable sequences. */
#include "law.h"
#include <sys/rseq.h>

static struct rseq *area(void)
{
	return (struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset);
}

/* What google's tcmalloc does: the first word is its own, as long as the thread runs on. */
static void *scribbling(void *argument)
{
	int ends[2];
	for (int i = 0; i < 2000; i++) {
		*(volatile unsigned *)&area()->cpu_id_start = 0x80000000u | (unsigned)(uintptr_t)&ends >> 4;
		CHECK(pipe(ends) == 0);
		CHECK(write(ends[1], "x", 1) == 1);
		close(ends[0]);
		close(ends[1]);
	}
	return NULL;
}

/* What it does where libc has left it to others: an area that libc doesn't know of. */
static __thread struct rseq own __attribute__((aligned(32)));

static void *registering(void *argument)
{
	int ends[2];
	CHECK(__rseq_size == 0);
	CHECK(syscall(SYS_rseq, &own, 32, 0, RSEQ_SIG) == 0);
	for (int i = 0; i < 500; i++) {
		CHECK(pipe(ends) == 0);
		close(ends[0]);
		close(ends[1]);
	}
	CHECK(syscall(SYS_rseq, &own, 32, RSEQ_FLAG_UNREGISTER, RSEQ_SIG) == 0);
	return NULL;
}

int main(int argc, char **argv)
{
	void *(*routine)(void *) = argc > 1 ? registering : scribbling;
	pthread_t threads[3];
	for (int i = 0; i < 3; i++)
		NEED(pthread_create(&threads[i], NULL, routine, NULL) == 0);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return done();
}
