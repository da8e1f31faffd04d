/* Programs that may make the system calls which they make by themselves, and are ended by any other. */
#include "law.h"
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/prctl.h>

#define MOST 64

static struct sock_filter filter[3 * MOST];
static unsigned short filled;

static void add(struct sock_filter instruction)
{
	filter[filled++] = instruction;
}

static void allow(const int *numbers)
{
	for (; *numbers >= 0; numbers++) {
		add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, *numbers, 0, 1));
		add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
	}
}

/* By which way the filter is installed. */
static void install(const char *by)
{
	struct sock_fprog program = { filled, filter };
	add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
	program.len = filled;
	NEED(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	if (strcmp(by, "prctl") == 0)
		NEED(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
	else
		NEED(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0);
}

#define LIST(...) ((const int[]){ __VA_ARGS__, -1 })

/* To write, and to end. */
#define LEAST SYS_write, SYS_exit_group
/* What libc needs to make and to end a thread. */
#define THREAD \
	SYS_mmap, SYS_mprotect, SYS_munmap, SYS_madvise, SYS_clone3, SYS_clone, SYS_rseq, SYS_set_robust_list, \
		SYS_rt_sigprocmask, SYS_futex, SYS_exit, SYS_brk, SYS_rt_sigaction, SYS_getrandom
#define FORK SYS_clone, SYS_wait4, SYS_rt_sigprocmask, SYS_set_robust_list
/* What the dynamic linker needs, and a program that writes. */
#define START \
	SYS_execve, SYS_brk, SYS_access, SYS_openat, SYS_newfstatat, SYS_fstat, SYS_read, SYS_pread64, SYS_mmap, \
		SYS_mprotect, SYS_munmap, SYS_close, SYS_arch_prctl, SYS_set_tid_address, SYS_set_robust_list, \
		SYS_rseq, SYS_prlimit64, SYS_getrandom

static void say(const char *text)
{
	if (write(1, text, strlen(text)) < 0)
		_exit(9);
}

static void *thread(void *unused)
{
	say("thread\n");
	return NULL;
}

static void end(pid_t child, int code)
{
	say(child > 0 && reap(child) == code ? "ended\n" : "bad\n");
}

static void in_threads(void)
{
	pthread_t made[3];
	for (int i = 0; i < 3; i++) {
		if (pthread_create(&made[i], NULL, thread, NULL))
			say("bad\n");
		pthread_join(made[i], NULL);
	}
}

static void in_fork(void)
{
	pid_t child = fork();
	if (child == 0) {
		say("the child\n");
		_exit(3);
	}
	end(child, 3);
}

static void in_vfork(void)
{
	for (int i = 0; i < 3; i++) {
		pid_t child = vfork();
		if (child == 0) {
			say("vforked\n");
			_exit(4);
		}
		end(child, 4);
	}
}

static char *own, *words[] = { "allowed", "executed", NULL }, *none[] = { NULL };

static void in_executed(void)
{
	pid_t child = vfork();
	if (child == 0) {
		execv("/nowhere", words);
		execv(own, words);
		_exit(9);
	}
	end(child, 0);
	child = fork();
	if (child == 0) {
		execve(own, words, none);
		_exit(9);
	}
	end(child, 0);
}

static void in_spawned(void)
{
	extern char **environ;
	pid_t child = 0;
	if (posix_spawn(&child, own, NULL, NULL, words, environ))
		say("bad\n");
	end(child, 0);
	say(system("exit 5") == 5 << 8 ? "system\n" : "bad\n");
}

static int started(void *unused)
{
	say("cloned\n");
	return 6;
}

static void in_raw(void)
{
	struct clone_args arguments = { .exit_signal = SIGCHLD };
	pid_t child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (child == 0) {
		say("raw\n");
		_exit(6);
	}
	end(child, 6);
	child = syscall(SYS_clone3, &arguments, sizeof(arguments));
	if (child == 0) {
		say("raw\n");
		_exit(6);
	}
	end(child, 6);
	static char stack[65536];
	child = clone(started, stack + sizeof(stack), SIGCHLD, NULL);
	end(child, 6);
	child = clone(started, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
	end(child, 6);
}

static void on_signal(int signal)
{
	say("signal\n");
}

static void in_handler(void)
{
	handle(SIGUSR1, on_signal, 0);
}

int main(int argc, char **argv)
{
	char path[PATH_MAX] = { 0 };
	if (strcmp(argv[1], "executed") == 0) {
		say("was executed\n");
		say(access("/nowhere", F_OK) ? "" : "bad\n");
		return 0;
	}
	NEED(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	own = path;
	const char *way = argv[1];
	if (strcmp(way, "signal") == 0)
		in_handler();
	add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
	allow(LIST(LEAST));
	if (strcmp(way, "thread") == 0)
		allow(LIST(THREAD));
	else if (strcmp(way, "fork") == 0)
		allow(LIST(FORK));
	else if (strcmp(way, "vfork") == 0)
		allow(LIST(SYS_vfork, SYS_wait4));
	else if (strcmp(way, "exec") == 0)
		allow(LIST(SYS_vfork, FORK, START));
	else if (strcmp(way, "spawn") == 0)
		/* libc starts programs with all signals blocked, and asks for what it has blocked itself. */
		allow(LIST(FORK, THREAD, START, SYS_vfork, SYS_getpid, SYS_getuid, SYS_geteuid,
			   SYS_getppid, SYS_getgid, SYS_getegid));
	else if (strcmp(way, "raw") == 0)
		allow(LIST(SYS_clone, SYS_clone3, SYS_wait4, SYS_exit));
	else if (strcmp(way, "signal") == 0)
		allow(LIST(SYS_getpid, SYS_gettid, SYS_tgkill, SYS_rt_sigreturn));
	install(argv[2]);
	say("filtered\n");
	if (strcmp(way, "thread") == 0)
		in_threads();
	else if (strcmp(way, "fork") == 0)
		in_fork();
	else if (strcmp(way, "vfork") == 0)
		in_vfork();
	else if (strcmp(way, "exec") == 0)
		in_executed();
	else if (strcmp(way, "spawn") == 0)
		in_spawned();
	else if (strcmp(way, "raw") == 0)
		in_raw();
	else if (strcmp(way, "signal") == 0)
		syscall(SYS_tgkill, syscall(SYS_getpid), syscall(SYS_gettid), SIGUSR1);
	say("ok\n");
	_exit(0);
}
