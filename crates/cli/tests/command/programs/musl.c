// Makes calls of several kinds. With an argument: in threads, for so many milliseconds.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int goes_on = 1;
static int wrong;
static sigjmp_buf back;

// Fails, and errno says how.
__attribute__((noinline)) int fails(int number)
{
	return open("/nowhere", O_RDONLY) + number + errno;
}

static void sleep_for(long milliseconds)
{
	struct timespec left = { milliseconds / 1000, milliseconds % 1000 * 1000000 };
	if (nanosleep(&left, 0) != 0)
		__atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
}

static void *works(void *unused)
{
	while (goes_on) {
		char *memory = malloc(100);
		memset(memory, 1, 100);
		free(memory);
		if (fails(1) != ENOENT)
			__atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
		sleep_for(1);
	}
	return 0;
}

static void *fails_thrice(void *unused)
{
	for (int number = 0; number < 3; number++)
		fails(number);
	return 0;
}

static void leave(int signal)
{
	siglongjmp(back, signal);
}

int main(int count, char **arguments)
{
	pthread_t threads[3];
	char bytes[8];
	int status, pipes[2];

	if (count > 1 && strcmp(arguments[1], "last") == 0)
		return 5;
	if (count > 1) {
		for (int index = 0; index < 3; index++)
			pthread_create(&threads[index], 0, works, 0);
		puts("ready");
		fflush(stdout);
		sleep_for(atoi(arguments[1]));
		goes_on = 0;
		for (int index = 0; index < 3; index++)
			pthread_join(threads[index], 0);
		printf("wrong %d\n", wrong);
		return 5;
	}
	pthread_create(&threads[0], 0, fails_thrice, 0);
	pthread_join(threads[0], 0);
	signal(SIGUSR1, leave);
	if (sigsetjmp(back, 1) == 0)
		raise(SIGUSR1);
	pipe(pipes);
	if (fork() == 0) {
		write(pipes[1], "child", 5);
		_exit(3);
	}
	wait(&status);
	read(pipes[0], bytes, sizeof(bytes));
	printf("%.5s %d\n", bytes, WEXITSTATUS(status));
	fflush(stdout);
	execl(arguments[0], arguments[0], "last", (char *)0);
	return 1;
}
