/* Makes 5,000 threads, 5,000 processes by fork(2) and 500 by vfork(2) and execve(2), many at a time. */
#define _GNU_SOURCE
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { AT_ONCE = 100 };

static atomic_int ran;

static void *run(void *argument)
{
	atomic_fetch_add(&ran, access("/missing", F_OK) == -1);
	return argument;
}

static void threads(int count)
{
	int joined = 0;
	while (joined < count) {
		pthread_t threads[AT_ONCE];
		for (long i = 0; i < AT_ONCE; i++)
			if (pthread_create(&threads[i], NULL, run, (void *)i))
				perror("pthread_create");
		for (long i = 0; i < AT_ONCE; i++) {
			void *result;
			pthread_join(threads[i], &result);
			joined += result == (void *)i;
		}
	}
	printf("%d threads, %d have run\n", joined, ran);
}

static pid_t forked(void)
{
	pid_t child = fork();
	if (child == 0)
		_exit(access("/missing", F_OK) == -1 ? 9 : 1);
	return child;
}

static pid_t executed(void)
{
	pid_t child = vfork();
	if (child == 0) {
		execl("/bin/sh", "sh", "-c", "exit 9", NULL);
		_exit(1);
	}
	return child;
}

static void processes(const char *name, pid_t (*make)(void), int count)
{
	int ended = 0;
	for (int made = 0; made < count; made += AT_ONCE) {
		pid_t children[AT_ONCE];
		for (int i = 0; i < AT_ONCE; i++)
			children[i] = make();
		for (int i = 0; i < AT_ONCE; i++) {
			int status = 0;
			ended += waitpid(children[i], &status, 0) == children[i] && WEXITSTATUS(status) == 9;
		}
	}
	printf("%d %s\n", ended, name);
}

int main(void)
{
	threads(5000);
	processes("forked", forked, 5000);
	processes("executed", executed, 500);
	return 3;
}
