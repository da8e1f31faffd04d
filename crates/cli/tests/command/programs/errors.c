/* Ends in the way that its argument names. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <unistd.h>

static volatile int *volatile nowhere;
static volatile int zero;
static jmp_buf place;
static void (*act)(void);

static void null(void) { *nowhere = 1; }
static void wild(void) { *(volatile int *)0x1234567890abcdefUL = 1; }
static void divide(void) { zero = 7 / zero; }
static void illegal(void) { __asm__ volatile("ud2"); }
static void trap(void) { __asm__ volatile("int3"); }
static void hlt(void) { __asm__ volatile("hlt"); }
static void sent(void) { kill(getpid(), SIGSEGV); pause(); }
static void raised(void) { raise(SIGBUS); }
static void queued(void)
{
	union sigval value = {.sival_int = 77};

	sigqueue(getpid(), SIGFPE, value);
	pause();
}
static void system_signal(void) { raise(SIGSYS); }
static void aborts(void) { abort(); }
static void raises_abort(void) { raise(SIGABRT); }
static void asserts(void) { assert(zero > 41); }
static void freed(void) { char *bytes = malloc(100); free(bytes); free(bytes); }
static void killed(void) { raise(SIGKILL); }
static void terminated(void) { raise(SIGTERM); }
static void exits(void) { exit(3); }
static void exits_at_once(void) { _exit(4); }

static void truncated(void)
{
	char name[] = "/tmp/errors-XXXXXX";
	int file = mkstemp(name);
	volatile char *bytes;

	unlink(name);
	bytes = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	bytes[5] = 1;
}

static void *in_thread(void *unused)
{
	act();
	return unused;
}

static void threaded(void)
{
	pthread_t thread;

	pthread_create(&thread, 0, in_thread, 0);
	pthread_join(thread, 0);
}

static void in_handler(int number)
{
	(void)number;
	act();
}

static void handled(void)
{
	signal(SIGUSR1, in_handler);
	raise(SIGUSR1);
}

static char stack[65536];

static void on_stack(void)
{
	stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};

	sigaltstack(&alternate, 0);
	act();
}

static int deep(volatile char *before)
{
	volatile char bytes[4096];

	bytes[0] = *before;
	return deep(bytes) + bytes[0];
}

static void overflows(void) { deep(stack); }
static void overflows_on_stack(void) { act = overflows; on_stack(); }

static void forked(void)
{
	int status, child = fork();

	if (!child)
		act();
	waitpid(child, &status, 0);
	printf("child: %d\n", status);
	exit(0);
}

static void vforked(void)
{
	int status, child = vfork();

	if (!child) {
		act();
		_exit(9);
	}
	waitpid(child, &status, 0);
	printf("child: %d\n", status);
	/* The parent has what it had. */
	act();
}

static void jump(int number) { longjmp(place, number); }
static void again(int number) { signal(number, SIG_DFL); raise(number); }
static void leave(int number) { signal(number, SIG_DFL); }
static void detailed(int number, siginfo_t *info, void *context)
{
	(void)context;
	printf("%d: code %d\n", number, info->si_code);
	fflush(stdout);
}

static void jumps(void)
{
	signal(SIGSEGV, jump);
	if (!setjmp(place))
		act();
	puts("survived");
	exit(0);
}

static void raises_again(void) { signal(SIGSEGV, again); act(); }
static void returns(void) { signal(SIGSEGV, leave); act(); }

static void resets(void)
{
	struct sigaction action = {.sa_sigaction = detailed, .sa_flags = SA_SIGINFO | SA_RESETHAND};

	sigaction(SIGSEGV, &action, 0);
	act();
}

static void ignores(void)
{
	signal(SIGABRT, SIG_IGN);
	raise(SIGABRT);
	signal(SIGSEGV, SIG_IGN);
	raise(SIGSEGV);
	puts("ignored");
	act();
}

/* As sanitizers and crash reporters ask. */
static void asks(void)
{
	static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS, SIGTRAP, SIGABRT, SIGTERM};
	struct sigaction old, set;
	unsigned index;

	for (index = 0; index < sizeof numbers / sizeof *numbers; index++) {
		int number = numbers[index];

		memset(&old, 1, sizeof old);
		sigaction(number, 0, &old);
		printf("%d: %d %#x %d %d\n", number, old.sa_handler == SIG_DFL, old.sa_flags,
			old.sa_restorer != 0, sigismember(&old.sa_mask, SIGINT));
		memset(&set, 0, sizeof set);
		set.sa_flags = SA_RESTART | SA_NODEFER;
		sigaddset(&set.sa_mask, SIGINT);
		sigaction(number, &set, &old);
		sigaction(number, 0, &old);
		printf("%d: %d %#x %d %d\n", number, old.sa_handler == SIG_DFL, old.sa_flags,
			old.sa_restorer != 0, sigismember(&old.sa_mask, SIGINT));
		printf("%d\n", signal(number, SIG_IGN) == SIG_DFL);
		printf("%d\n", signal(number, SIG_DFL) == SIG_IGN);
		printf("%d\n", sigset(number, SIG_DFL) == SIG_DFL);
		sigaction(number, 0, &old);
		printf("%d: %d %#x %d\n", number, old.sa_handler == SIG_DFL, old.sa_flags, old.sa_restorer != 0);
	}
	fflush(stdout);
	act();
}

/* Only what ends a process is allowed, and not what sets handlers. */
static void filtered(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigaction, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigprocmask, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = {sizeof code / sizeof *code, code};

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	act();
}

static const struct {
	const char *name;
	void (*act)(void);
} ways[] = {
	{"null", null}, {"wild", wild}, {"divide", divide}, {"illegal", illegal}, {"trap", trap}, {"hlt", hlt},
	{"sent", sent}, {"raised", raised}, {"queued", queued}, {"system", system_signal}, {"aborts", aborts},
	{"raises_abort", raises_abort}, {"asserts", asserts}, {"freed", freed}, {"killed", killed},
	{"terminated", terminated}, {"exits", exits}, {"exits_at_once", exits_at_once}, {"truncated", truncated},
	{"threaded", threaded}, {"handled", handled}, {"on_stack", on_stack}, {"overflows", overflows},
	{"overflows_on_stack", overflows_on_stack}, {"forked", forked}, {"vforked", vforked}, {"jumps", jumps},
	{"raises_again", raises_again}, {"returns", returns}, {"resets", resets}, {"ignores", ignores},
	{"asks", asks}, {"filtered", filtered},
};

static void (*way(const char *name))(void)
{
	unsigned index;

	for (index = 0; index < sizeof ways / sizeof *ways; index++)
		if (!strcmp(ways[index].name, name))
			return ways[index].act;
	return 0;
}

/* errors WAY [ACT]: ACT is done within WAY. */
int main(int count, char **arguments)
{
	void (*outer)(void) = count > 1 ? way(arguments[1]) : 0;

	act = count > 2 ? way(arguments[2]) : null;
	if (!outer || !act)
		return 5;
	access("/last", F_OK);
	outer();
	return 6;
}
