/*
 * Waits for a byte on its input, does what that says, and prints that it is done, with errno as it was set
 * before the byte was waited for. Before that it gets into the state that its first argument names.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static sem_t wanted, done;

__attribute__((noinline)) int leaf(int x) { __asm__ volatile(""); return x + 1; }

static void touch(const char *path) { close(open(path, O_RDONLY)); }

static void *work(void *name)
{
	prctl(PR_SET_NAME, "worker");
	sem_post(&done);
	for (;;) {
		sem_wait(&wanted);
		touch("/dev/zero");
		sem_post(&done);
	}
}

static void handle(int signal)
{
	char byte;
	puts("handling");
	fflush(stdout);
	read(0, &byte, 1);
}

static void child(void (*act)(void))
{
	pid_t pid = fork();
	if (!pid) {
		act();
		_exit(3);
	}
	int status;
	waitpid(pid, &status, 0);
}

static void touch_full(void) { touch("/dev/full"); }
static void execute(void) { execl("/bin/cat", "cat", "/dev/null", NULL); }

static void own(int signal) { puts("handled by its own"); fflush(stdout); }

__attribute__((noinline)) static void act(char byte, const char *library)
{
	int (*run)(void);
	void *loaded;
	switch (byte) {
	case 'c': leaf(1); touch("/dev/null"); break;
	case 't': sem_post(&wanted); sem_wait(&done); break;
	case 'f': child(touch_full); break;
	case 'x': child(execute); break;
	case 'p':
		loaded = dlopen(library, RTLD_NOW);
		run = (int (*)(void))dlsym(loaded, "plugin_run");
		run();
		break;
	case 'h': signal(SIGUSR2, own); raise(SIGUSR2); break;
	case 's': raise(SIGUSR2); break;
	case 'q': exit(7);
	}
}

static void prepare(const char *state)
{
	pthread_t thread;
	struct sock_filter all[] = { BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	struct sock_fprog filter = { 1, all };
	if (!strcmp(state, "threads")) {
		pthread_create(&thread, 0, work, 0);
		sem_wait(&done);
	} else if (!strcmp(state, "locked")) {
		mlockall(MCL_CURRENT | MCL_FUTURE);
	} else if (!strcmp(state, "filter")) {
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
	} else if (!strcmp(state, "handling")) {
		signal(SIGALRM, handle);
		raise(SIGALRM);
	} else if (!strcmp(state, "hidden")) {
		prctl(PR_SET_DUMPABLE, 0);
	}
}

int main(int count, char **words)
{
	sem_init(&wanted, 0, 0);
	sem_init(&done, 0, 0);
	prepare(count > 1 ? words[1] : "");
	puts("ready");
	fflush(stdout);
	char byte;
	errno = 77;
	while (read(0, &byte, 1) == 1) {
		int error = errno;
		act(byte, count > 2 ? words[2] : "");
		printf("%c done, errno %d\n", byte, error);
		fflush(stdout);
		errno = 77;
	}
	return 0;
}
