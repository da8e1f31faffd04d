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
#include <poll.h>
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

/* Begins with an instruction as long as a jump. */
__attribute__((noinline)) int leaf(int x) { __asm__ volatile("nopl 0x1000000(%rax)"); return x + 1; }

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

static void install(struct sock_filter *instructions, int count)
{
	struct sock_fprog filter = { count, instructions };
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		abort();
}

/* Ends the program for any system call but those whose numbers the environment names. */
static void allow(const char *numbers)
{
	static struct sock_filter filter[1024];
	int count = 0;
	char *next;
	filter[count++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0);
	for (long number; number = strtol(numbers, &next, 10), next != numbers; numbers = next) {
		filter[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
		filter[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	filter[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	install(filter, count);
}

/* As systemd's MemoryDenyWriteExecute= does it: what can be written never becomes code. */
static void make_no_code(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 10, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 32),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	install(filter, 6);
}

static void *work_filtered(void *name)
{
	make_no_code();
	return work(name);
}

static void prepare(const char *state)
{
	pthread_t thread;
	if (!strcmp(state, "threads")) {
		pthread_create(&thread, 0, work, 0);
		sem_wait(&done);
	} else if (!strcmp(state, "locked")) {
		mlockall(MCL_CURRENT | MCL_FUTURE);
	} else if (!strcmp(state, "filter")) {
		allow(getenv("ALLOWED"));
	} else if (!strcmp(state, "no-code")) {
		make_no_code();
	} else if (!strcmp(state, "filtered-thread")) {
		pthread_create(&thread, 0, work_filtered, 0);
		sem_wait(&done);
	} else if (!strcmp(state, "handling")) {
		signal(SIGALRM, handle);
		raise(SIGALRM);
	} else if (!strcmp(state, "hidden")) {
		prctl(PR_SET_DUMPABLE, 0);
	}
}

/* Where the environment says so: in a call that the kernel goes on with by restart_syscall(2). */
static int wait_for_input(void)
{
	struct pollfd input = { 0, POLLIN, 0 };
	return !getenv("POLLS") || poll(&input, 1, 100000) == 1;
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
	while (wait_for_input() && read(0, &byte, 1) == 1) {
		int error = errno;
		act(byte, count > 2 ? words[2] : "");
		printf("%c done, errno %d\n", byte, error);
		fflush(stdout);
		errno = 77;
	}
	return 0;
}
