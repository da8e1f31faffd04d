/* Handlers of signals: what is set is what is told, and they run as they were set. */
#include "law.h"
#include <execinfo.h>
#include <setjmp.h>
#include <ucontext.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* As the kernel has it. */
struct kernel_action {
	void *handler;
	unsigned long flags;
	void *restorer;
	unsigned long mask;
};

static volatile sig_atomic_t handled, last, depth, deepest;
static void *volatile seen;

static void plain(int signal)
{
	last = signal;
	handled++;
}

static void other(int signal)
{
	last = -signal;
	handled++;
}

static void informed(int signal, siginfo_t *info, void *context)
{
	CHECK(info->si_signo == signal);
	CHECK(((ucontext_t *)context)->uc_mcontext.gregs[REG_RSP] != 0);
	seen = info->si_value.sival_ptr;
	handled++;
}

static struct sigaction get(int signal)
{
	struct sigaction found;
	memset(&found, 0xff, sizeof(found));
	CHECK(sigaction(signal, NULL, &found) == 0);
	return found;
}

/* The program is told of its own handlers, by whomever they were set. */
static void told(void)
{
	struct sigaction old;
	CHECK(get(SIGUSR1).sa_handler == SIG_DFL);
	handle(SIGUSR1, plain, SA_RESTART);
	old = get(SIGUSR1);
	CHECK(old.sa_handler == plain && (old.sa_flags & ~0x04000000) == SA_RESTART);
	CHECK(signal(SIGUSR1, other) == plain);
	old = get(SIGUSR1);
	CHECK(old.sa_handler == other && (old.sa_flags & ~0x04000000) == SA_RESTART);
	CHECK(sigismember(&old.sa_mask, SIGUSR1) == 1 && sigismember(&old.sa_mask, SIGUSR2) == 0);
	CHECK(signal(SIGUSR1, SIG_IGN) == other && signal(SIGUSR1, SIG_DFL) == SIG_IGN);
	CHECK(siginterrupt(SIGUSR1, 1) == 0);
	CHECK(signal(SIGUSR1, plain) == SIG_DFL && (get(SIGUSR1).sa_flags & ~0x04000000) == 0);
	CHECK(siginterrupt(SIGUSR1, 0) == 0 && (get(SIGUSR1).sa_flags & SA_RESTART));
	CHECK(sysv_signal(SIGUSR1, other) == plain);
	int flags = get(SIGUSR1).sa_flags;
	CHECK(flags & SA_RESETHAND && flags & SA_NODEFER && !(flags & SA_RESTART));
	CHECK(sigset(SIGUSR1, plain) == other && sigset(SIGUSR1, SIG_DFL) == plain);
	CHECK(signal(SIGKILL, plain) == SIG_ERR && errno == EINVAL);
	CHECK(signal(-1, plain) == SIG_ERR && errno == EINVAL);
	CHECK(sigaction(33, (struct sigaction *)1, NULL) == -1 && errno == EINVAL);
	/* What libc sets and puts back. */
	handle(SIGINT, plain, 0);
	CHECK(system("exit 3") == 3 << 8 && get(SIGINT).sa_handler == plain);
	/* What the kernel says can be put back. */
	struct kernel_action raw;
	CHECK(syscall(SYS_rt_sigaction, SIGINT, NULL, &raw, 8) == 0);
	handle(SIGINT, other, 0);
	CHECK(syscall(SYS_rt_sigaction, SIGINT, &raw, NULL, 8) == 0);
	CHECK(get(SIGINT).sa_handler == plain);
	raise(SIGINT);
	CHECK(last == SIGINT);
}

static void nest(int signal)
{
	if (++depth > deepest)
		deepest = depth;
	if (++handled < 5)
		raise(signal);
	depth--;
}

static void on_stack(int signal)
{
	seen = __builtin_frame_address(0);
}

static void with_flags(void)
{
	struct sigaction action = { .sa_sigaction = informed, .sa_flags = SA_SIGINFO };
	union sigval value = { .sival_ptr = &handled };
	handled = 0;
	CHECK(sigaction(SIGRTMIN, &action, NULL) == 0);
	CHECK(sigqueue(getpid(), SIGRTMIN, value) == 0 && handled == 1 && seen == &handled);
	handle(SIGUSR1, nest, SA_NODEFER);
	handled = 0;
	raise(SIGUSR1);
	CHECK(handled == 5 && deepest == 5);
	handled = deepest = 0;
	handle(SIGUSR1, nest, 0);
	/* Each waits for the one before. */
	raise(SIGUSR1);
	CHECK(handled == 5 && deepest == 1);
	handle(SIGUSR1, plain, SA_RESETHAND);
	raise(SIGUSR1);
	CHECK(get(SIGUSR1).sa_handler == SIG_DFL);
	static char stack[64 << 10];
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	CHECK(sigaltstack(&alternate, NULL) == 0);
	handle(SIGUSR1, on_stack, SA_ONSTACK);
	raise(SIGUSR1);
	CHECK((char *)seen >= stack && (char *)seen < stack + sizeof(stack));
	/* While it is handled, what it was set with waits. */
	sigset_t now;
	sigemptyset(&action.sa_mask);
	action.sa_handler = plain;
	action.sa_flags = 0;
	CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
	handled = 0;
	CHECK(kill(getpid(), SIGUSR1) == 0 && handled == 1);
	CHECK(tgkill(getpid(), gettid(), SIGUSR1) == 0 && handled == 2);
	CHECK(pthread_kill(pthread_self(), SIGUSR1) == 0 && handled == 3);
	CHECK(kill(getpid(), 0) == 0 && kill(getpid(), 1000) == -1 && errno == EINVAL && handled == 3);
	pid_t child = fork();
	if (child == 0) {
		raise(SIGUSR1);
		_exit(handled);
	}
	CHECK(reap(child) == 4);
}

static sigjmp_buf back;

static void jump(int signal)
{
	siglongjmp(back, 1);
}

/* The code of a fault is told whether the handler asks for it or not. */
static void faults(void)
{
	handle(SIGSEGV, jump, 0);
	for (int i = 0; i < 3; i++)
		if (!sigsetjmp(back, 1))
			*(volatile int *)8 = 1;
	handle(SIGUSR2, jump, SA_NODEFER);
	for (volatile int i = 0; i < 1000; i++)
		if (!sigsetjmp(back, 1))
			raise(SIGUSR2);
}

static void unwound(int signal)
{
	void *frames[64];
	int count = backtrace(frames, 64);

	handled = count;
	write(-1, "", 0);
}

static int beyond(void)
{
	return handled;
}

/* A stack in a handler has as many frames: the handler's, the signal's, and those of what it has interrupted.
 * What that goes on with is what it had. */
static void frames(void)
{
	register long kept asm("r12") = 0x1234;
	sigset_t mask, before;

	handle(SIGTRAP, unwound, 0);
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR2);
	sigprocmask(SIG_SETMASK, &mask, &before);
	for (int i = 0; i < 100; i++) {
		asm volatile("int3" : "+r"(kept));
		CHECK(kept == 0x1234);
	}
	sigprocmask(SIG_SETMASK, NULL, &mask);
	CHECK(sigismember(&mask, SIGUSR2) && !sigismember(&mask, SIGTRAP));
	sigprocmask(SIG_SETMASK, &before, NULL);
	printf("%d frames\n", beyond());
	CHECK(beyond() >= 4);
}

/* More handlers than there are thunks for. */
static void many(void)
{
	static const int bits[] = { SA_RESTART, SA_NODEFER, SA_ONSTACK, SA_NOCLDSTOP, SA_NOCLDWAIT, SA_RESETHAND };
	handled = 0;
	for (int round = 0; round < 3; round++)
		for (unsigned i = 0; i < 256; i++) {
			int flags = 0;
			for (int bit = 0; bit < 6; bit++)
				flags |= i & 1 << bit ? bits[bit] : 0;
			if (i & 128) {
				struct sigaction action = { .sa_sigaction = informed, .sa_flags = flags | SA_SIGINFO };
				CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
				struct sigaction found = get(SIGUSR1);
				CHECK(found.sa_sigaction == informed && found.sa_flags & SA_SIGINFO);
			} else {
				void (*handler)(int) = i & 64 ? plain : other;
				handle(SIGUSR1, handler, flags);
				CHECK(get(SIGUSR1).sa_handler == handler && !(get(SIGUSR1).sa_flags & SA_SIGINFO));
			}
			raise(SIGUSR1);
		}
	CHECK(handled == 3 * 256);
}

int main(int argc, char **argv)
{
	NEED(argc > 1);
	if (!strcmp(argv[1], "told"))
		told();
	else if (!strcmp(argv[1], "flags"))
		with_flags();
	else if (!strcmp(argv[1], "faults"))
		faults();
	else if (!strcmp(argv[1], "frames"))
		frames();
	else
		many();
	return done();
}
