/* A program of four threads that run already: each works for a while and sleeps, for 20 s at most. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *work(void *unused)
{
	volatile unsigned long sum = 0;

	for (;;) {
		for (int i = 0; i < 20000; i++)
			sum += i;
		usleep(100);
	}
	return unused;
}

int main(void)
{
	pthread_t thread;

	alarm(20);
	for (int i = 0; i < 3; i++)
		pthread_create(&thread, NULL, work, NULL);
	puts("runs");
	fflush(stdout);
	work(NULL);
}
