/* Making processes in every way. Each child makes calls that name it, by its PID or thread ID, so that the
 * trace can be checked: access("/TID") is done by the thread TID. */
#include "law.h"
#include <spawn.h>
#include <sys/prctl.h>

static void name_myself(void)
{
	char path[64];
	snprintf(path, sizeof(path), "/tid-%ld", syscall(SYS_gettid));
	access(path, F_OK);
}

/* For children that have their parent's memory: nothing in it is changed that matters. */
static void name_child(void)
{
	name_myself();
}

static void by_fork(void)
{
	pid_t child = fork();
	name_myself();
	if (child == 0)
		_exit(3);
	CHECK(reap(child) == 3);
	child = _Fork();
	name_myself();
	if (child == 0)
		_exit(4);
	CHECK(reap(child) == 4);
}

static void by_vfork(void)
{
	volatile int local = 1;
	pid_t child = vfork();
	if (child == 0) {
		name_child();
		local = 2;
		pid_t grandchild = vfork();
		if (grandchild == 0) {
			name_child();
			_exit(5);
		}
		name_child();
		_exit(reap(grandchild));
	}
	name_myself();
	CHECK(local == 2);
	CHECK(reap(child) == 5);
	child = vfork();
	if (child == 0) {
		name_child();
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	name_myself();
	CHECK(reap(child) == 0);
}

static void by_double_fork(void)
{
	int ends[2];
	char byte;
	NEED(pipe(ends) == 0);
	pid_t child = fork();
	if (child == 0) {
		setsid();
		name_myself();
		if (fork() == 0) {
			close(ends[0]);
			name_myself();
			CHECK(write(ends[1], "x", 1) == 1);
			_exit(0);
		}
		_exit(6);
	}
	close(ends[1]);
	CHECK(reap(child) == 6);
	CHECK(read(ends[0], &byte, 1) == 1 && byte == 'x');
	CHECK(read(ends[0], &byte, 1) == 0);
	close(ends[0]);
	name_myself();
}

static void by_daemon(void)
{
	int ends[2];
	pid_t daemon_pid;
	NEED(pipe(ends) == 0);
	pid_t child = fork();
	if (child == 0) {
		if (daemon(1, 1))
			_exit(1);
		name_myself();
		daemon_pid = getpid();
		CHECK(write(ends[1], &daemon_pid, sizeof(daemon_pid)) == sizeof(daemon_pid));
		_exit(0);
	}
	close(ends[1]);
	CHECK(reap(child) == 0);
	CHECK(read(ends[0], &daemon_pid, sizeof(daemon_pid)) == sizeof(daemon_pid));
	CHECK(daemon_pid != child);
	CHECK(read(ends[0], &daemon_pid, 1) == 0);
	close(ends[0]);
}

static int cloned(void *argument)
{
	name_child();
	CHECK(write(-1, "", 0) == -1);
	_exit(*(int *)argument);
}

static void by_clone(void)
{
	static char stack[64 << 10] __attribute__((aligned(16)));
	static const int flags[] = { 0, CLONE_VFORK, CLONE_VM | CLONE_VFORK, CLONE_VM };
	for (int kind = 0; kind < 4; kind++) {
		int code = 20 + kind;
		pid_t child = clone(cloned, stack + sizeof(stack), flags[kind] | SIGCHLD, &code);
		CHECK(child > 0);
		/* With CLONE_VM alone both run, in the same memory. */
		name_myself();
		CHECK(reap(child) == code);
		name_myself();
	}
	CHECK(clone(cloned, stack + sizeof(stack), CLONE_SIGHAND, NULL) == -1 && errno == EINVAL);
}

/* Past libc, as sandboxes and runtimes do it. */
static void by_syscall(void)
{
	struct {
		uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
	} arguments = { .exit_signal = SIGCHLD };
	for (int kind = 0; kind < 3; kind++) {
		long child = kind == 0 ? syscall(SYS_fork)
			   : kind == 1 ? syscall(SYS_clone, (long)SIGCHLD, 0L, 0L, 0L, 0L)
				       : syscall(SYS_clone3, &arguments, sizeof(arguments));
		if (child == 0) {
			name_myself();
			_exit(30 + kind);
		}
		CHECK(child > 0);
		name_myself();
		CHECK(reap(child) == 30 + kind);
	}
}

static volatile sig_atomic_t handled;

static void fork_in_handler(int signal)
{
	int error = errno;
	pid_t child = fork();
	name_myself();
	if (child == 0)
		_exit(7);
	if (reap(child) == 7)
		handled++;
	errno = error;
}

static void in_handler(void)
{
	struct timespec long_enough = { 5, 0 };
	handle(SIGUSR1, fork_in_handler, 0);
	raise(SIGUSR1);
	kill(getpid(), SIGUSR1);
	CHECK(handled == 2);
	/* One that interrupts a call under way. */
	handle(SIGALRM, fork_in_handler, 0);
	struct itimerval soon = { { 0, 0 }, { 0, 20000 } };
	setitimer(ITIMER_REAL, &soon, NULL);
	CHECK(nanosleep(&long_enough, NULL) == -1 && errno == EINTR);
	CHECK(handled == 3);
}

static volatile int stop;

static void *busy(void *argument)
{
	while (!stop) {
		access("/busy", F_OK);
		usleep(100);
	}
	name_myself();
	return NULL;
}

static void with_threads(void)
{
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		CHECK(pthread_create(&threads[i], NULL, busy, NULL) == 0);
	for (int i = 0; i < 100; i++) {
		pid_t child = i % 2 ? fork() : vfork();
		if (child == 0) {
			name_child();
			_exit(8);
		}
		CHECK(reap(child) == 8);
	}
	stop = 1;
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	name_myself();
}

static void by_others(void)
{
	CHECK(system("exit 9") == 9 << 8);
	FILE *stream = popen("echo popped; exit 10", "r");
	char line[64] = "";
	NEED(stream);
	CHECK(fgets(line, sizeof(line), stream) && !strcmp(line, "popped\n"));
	CHECK(pclose(stream) == 10 << 8);
	name_myself();
}

/* A vfork of a thread that has recorded nothing before. */
static void *silent(void *argument)
{
	pid_t child = vfork();
	if (child == 0)
		_exit(11);
	*(pid_t *)argument = syscall(SYS_gettid);
	return (void *)(long)child;
}

static void by_silent_thread(void)
{
	pthread_t thread;
	pid_t tid;
	void *child;
	NEED(pthread_create(&thread, NULL, silent, &tid) == 0);
	pthread_join(thread, &child);
	CHECK(reap((long)child) == 11);
	char path[64];
	snprintf(path, sizeof(path), "/parent-%d-of-%ld", tid, (long)child);
	access(path, F_OK);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} ways[] = {
		{ "fork", by_fork },	 { "vfork", by_vfork },	    { "double", by_double_fork }, { "daemon", by_daemon },
		{ "clone", by_clone },	 { "syscall", by_syscall }, { "handler", in_handler },	  { "threads", with_threads },
		{ "others", by_others }, { "silent", by_silent_thread },
	};
	NEED(argc > 1);
	for (unsigned i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(argv[1], ways[i].name)) {
			ways[i].run();
			return done();
		}
	return 2;
}
