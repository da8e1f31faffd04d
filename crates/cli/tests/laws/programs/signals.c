/* Signals at any place: handlers that call wrapped functions while they interrupt others. */
#include "law.h"
#include <dirent.h>
#include <poll.h>
#include <setjmp.h>
#include <spawn.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <sys/un.h>

static volatile sig_atomic_t handled;

static void name_myself(void)
{
	char path[64];
	snprintf(path, sizeof(path), "/tid-%ld", syscall(SYS_gettid));
	access(path, F_OK);
}

static void naming_handler(int signal)
{
	int error = errno;
	char byte = 'x';
	name_myself();
	if (write(-1, &byte, 1) != -1 || errno != EBADF)
		failures++;
	handled++;
	errno = error;
}

/* Calls of all kinds, with their results looked at. */
static void work(void)
{
	int ends[2];
	char bytes[8] = "";
	struct stat found;
	CHECK(pipe(ends) == 0);
	CHECK(write(ends[1], "abcdefg", 8) == 8);
	CHECK(read(ends[0], bytes, 8) == 8 && !strcmp(bytes, "abcdefg"));
	struct pollfd polled = { ends[1], POLLOUT, 0 };
	CHECK(poll(&polled, 1, 0) == 1);
	CHECK(fstat(ends[0], &found) == 0);
	CHECK(stat("/nowhere", &found) == -1 && errno == ENOENT);
	CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
	CHECK(open("/dev/null/x", O_RDONLY) == -1 && errno == ENOTDIR);
}

static void storm(void)
{
	handle(SIGALRM, naming_handler, SA_RESTART);
	handle(SIGPROF, naming_handler, SA_RESTART);
	every(ITIMER_REAL, 300);
	every(ITIMER_PROF, 1000);
	for (double end = seconds() + 0.7; seconds() < end;) {
		work();
		usleep(50);
	}
	every(ITIMER_REAL, 0);
	every(ITIMER_PROF, 0);
	CHECK(handled > 100);
}

static void nested_handler(int signal)
{
	static volatile sig_atomic_t depth;
	int error = errno;
	name_myself();
	if (++depth < 8)
		raise(signal);
	depth--;
	handled++;
	name_myself();
	errno = error;
}

static void nested(void)
{
	handle(SIGUSR1, nested_handler, SA_NODEFER);
	for (int i = 0; i < 100; i++)
		raise(SIGUSR1);
	CHECK(handled == 800);
	handle(SIGUSR1, nested_handler, SA_NODEFER);
	handle(SIGALRM, naming_handler, SA_NODEFER | SA_RESTART);
	every(ITIMER_REAL, 200);
	for (int i = 0; i < 500; i++)
		raise(SIGUSR1);
	every(ITIMER_REAL, 0);
}

/* The signals that come while a thread waits in vfork are handled when it returns, by the parent. */
static void around_vfork(void)
{
	struct timespec while_signals_come = { 0, 3000000 };
	handle(SIGALRM, naming_handler, SA_RESTART);
	handle(SIGCHLD, naming_handler, SA_RESTART);
	every(ITIMER_REAL, 1000);
	for (int i = 0; i < 50; i++) {
		pid_t child = vfork();
		if (child == 0) {
			nanosleep(&while_signals_come, NULL);
			if (i % 2)
				execl("/bin/true", "true", NULL);
			_exit(0);
		}
		name_myself();
		CHECK(reap(child) == 0);
	}
	every(ITIMER_REAL, 0);
	CHECK(handled > 50);
}

/* From here on, up to `unstep`, a signal comes after every instruction. */
static inline __attribute__((always_inline)) void step(void)
{
	__asm__ volatile("lea -128(%%rsp), %%rsp\n pushfq\n orq $0x100, (%%rsp)\n popfq\n lea 128(%%rsp), %%rsp"
			 ::: "memory", "cc");
}

static inline __attribute__((always_inline)) void unstep(void)
{
	__asm__ volatile("lea -128(%%rsp), %%rsp\n pushfq\n andq $~0x100, (%%rsp)\n popfq\n lea 128(%%rsp), %%rsp"
			 ::: "memory", "cc");
}

static void step_handler(int signal)
{
	int error = errno;
	name_myself();
	handled++;
	errno = error;
}

static int cloned(void *argument)
{
	name_myself();
	_exit(6);
}

/* After every instruction of a call, libc's and ours. Where libc blocks all signals, one that can't wait
 * would end the process: so not every call can be watched. */
static void stepped(void)
{
	static char stack[64 << 10] __attribute__((aligned(16)));
	char *words[] = { "true", NULL }, *own[] = { "A=1", NULL };
	struct stat found;
	pid_t child;
	int result;
	handle(SIGTRAP, step_handler, 0);
	/* What is looked up at the first call is looked up before. */
	for (int i = 0; i < 2; i++) {
		if (i)
			step();
		result = stat("/nowhere", &found);
		unstep();
		CHECK(result == -1 && errno == ENOENT);
		if (i)
			step();
		result = execve("/nowhere", words, own);
		unstep();
		CHECK(result == -1 && errno == ENOENT);
		if (i)
			step();
		child = vfork();
		if (child == 0)
			_exit(5);
		unstep();
		CHECK(reap(child) == 5);
		if (i)
			step();
		child = clone(cloned, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
		unstep();
		CHECK(reap(child) == 6);
	}
	CHECK(handled > 100);
}

static sigjmp_buf back;

static void jump(int signal)
{
	if (signal == SIGALRM)
		write(-1, "", 0);
	siglongjmp(back, 1);
}

/* Leaves calls that wait, again and again. */
static void jumps(void)
{
	static volatile int count;
	static int ends[2];
	handle(SIGALRM, jump, 0);
	NEED(pipe(ends) == 0);
	struct itimerval soon = { { 0, 0 }, { 0, 20 } };
	char byte;
	struct pollfd polled = { ends[0], POLLIN, 0 };
	struct timespec long_time = { 100, 0 };
	for (count = 0; count < 10000; count++) {
		if (sigsetjmp(back, 1))
			continue;
		setitimer(ITIMER_REAL, &soon, NULL);
		if (count % 3 == 0)
			read(ends[0], &byte, 1);
		else if (count % 3 == 1)
			poll(&polled, 1, -1);
		else
			nanosleep(&long_time, NULL);
		CHECK(!"comes back");
	}
	access("/after-jumps", F_OK);
}

/* Leaves whatever is just being done. */
static void jumps_anywhere(void)
{
	static volatile int count;
	handle(SIGALRM, jump, 0);
	struct itimerval soon = { { 0, 0 }, { 0, 30 } };
	for (count = 0; count < 3000; count++) {
		if (sigsetjmp(back, 1))
			continue;
		setitimer(ITIMER_REAL, &soon, NULL);
		for (;;)
			access("/anywhere", F_OK);
	}
	access("/after-jumps", F_OK);
}

/* Programs that handle their own faults. The fault is in libc, after a wrapper. */
static void faults(void)
{
	static volatile int count;
	FILE *stream = fopen("/dev/zero", "r");
	NEED(stream);
	handle(SIGSEGV, jump, SA_NODEFER);
	for (count = 0; count < 1000; count++)
		if (!sigsetjmp(back, 1)) {
			fgets((char *)(8L << count % 3), 4096, stream);
			CHECK(!"comes back");
		}
	access("/after-jumps", F_OK);
}

enum { STACK = 64 << 10, PAINT = 0xa5 };

static void calls_on_small_stack(int signal)
{
	struct sockaddr_un address = { AF_UNIX, "/no/such/socket/with/a/long/name/so/that/its/text/is/long" };
	char byte;
	struct timespec none = { 0, 0 };
	int status;
	work();
	rename("/no/such/file/with/a/long/name", "/no/such/other/file/with/a/long/name");
	connect(-1, (void *)&address, sizeof(address));
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	connect(fd, (void *)&address, sizeof(address));
	getsockname(fd, (void *)&address, &(socklen_t){ sizeof(address) });
	close(fd);
	nanosleep(&none, NULL);
	read(-1, &byte, 1);
	pid_t child = fork();
	if (child == 0)
		_exit(0);
	waitpid(child, &status, 0);
	child = vfork();
	if (child == 0)
		_exit(0);
	waitpid(child, &status, 0);
	char *none_at_all[] = { NULL };
	char *with_preload[] = { "LD_PRELOAD=", NULL };
	execve("/no/such/program", none_at_all, environ);
	execve("/no/such/program", none_at_all, with_preload);
	handled++;
}

/* How much of a stack is used by a handler that makes calls of all kinds, with `ours` added for the
 * wrappers. */
static void small_stack(int space)
{
	static unsigned char stack[STACK];
	stack_t own = { .ss_sp = stack, .ss_size = STACK };
	memset(stack, PAINT, STACK);
	CHECK(sigaltstack(&own, NULL) == 0);
	handle(SIGUSR1, calls_on_small_stack, SA_ONSTACK);
	raise(SIGUSR1);
	CHECK(handled == 1);
	int untouched = 0;
	while (stack[untouched] == PAINT)
		untouched++;
	int used = STACK - untouched - (int)getauxval(AT_MINSIGSTKSZ);
	if (space < 0)
		fprintf(stderr, "%d\n", used);
	CHECK(space < 0 || used <= space);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} ways[] = {
		{ "storm", storm }, { "nested", nested },	      { "vfork", around_vfork },
		{ "jumps", jumps }, { "anywhere", jumps_anywhere }, { "faults", faults },
		{ "stepped", stepped },
	};
	NEED(argc > 1);
	if (argc > 2) {
		small_stack(atoi(argv[2]));
		return done();
	}
	for (unsigned i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(argv[1], ways[i].name)) {
			ways[i].run();
			return done();
		}
	return 2;
}
