/* Threads that fork, vfork, execute, load and unload a library, and sleep, until SIGTERM. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int stop;
static const char *library;
static void term(int signal) { stop = 1; }
__attribute__((noinline)) int leaf(int x) { __asm__ volatile(""); return x + 1; }

static void reap(pid_t child)
{
	int status;
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		abort();
}

static void *forks(void *unused)
{
	while (!stop) {
		pid_t child = fork();
		if (!child)
			_exit(leaf(1) != 2);
		reap(child);
	}
	return 0;
}

static void *vforks(void *unused)
{
	while (!stop) {
		pid_t child = vfork();
		if (!child) {
			execl("/bin/true", "true", (char *)0);
			_exit(9);
		}
		reap(child);
	}
	return 0;
}

static void *loads(void *unused)
{
	while (!stop) {
		void *handle = dlopen(library, RTLD_NOW);
		int (*run)(int) = handle ? (int (*)(int))dlsym(handle, "plugin_run") : 0;
		if (!run || run(1) != 6)
			abort();
		dlclose(handle);
	}
	return 0;
}

static void *sleeps(void *unused)
{
	struct timespec pause = { 0, 200000000 };
	while (!stop) {
		if (nanosleep(&pause, 0))
			abort();
		leaf(2);
	}
	return 0;
}

int main(int count, char **words)
{
	void *(*all[])(void *) = { forks, vforks, loads, sleeps };
	pthread_t threads[4];
	sigset_t set;
	library = words[1];
	signal(SIGTERM, term);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	/* The handler runs here alone: nothing else may return EINTR. */
	pthread_sigmask(SIG_BLOCK, &set, 0);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], 0, all[i], 0);
	pthread_sigmask(SIG_UNBLOCK, &set, 0);
	puts("ready");
	fflush(stdout);
	while (!stop)
		pause();
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], 0);
	puts("ok");
	return 0;
}
