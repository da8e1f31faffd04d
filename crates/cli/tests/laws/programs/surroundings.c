/* Programs that change what surrounds them, or find it changed, and go on. */
#include "law.h"
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

static int marked(void)
{
	return access("/marked", F_OK) == -1 && errno == ENOENT;
}

#define ALLOW(number) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* From here on any call but these few ends the process. Recording makes none. */
static void sandbox(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(SYS_read),
		ALLOW(SYS_write),
		ALLOW(SYS_close),
		ALLOW(SYS_faccessat),
		ALLOW(SYS_access),
		ALLOW(SYS_exit_group),
		ALLOW(SYS_exit),
		ALLOW(SYS_rt_sigreturn),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };
	CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

static pthread_barrier_t barrier;

static void *in_sandbox(void *argument)
{
	char byte;
	/* A thread's first event comes after the filter is there. */
	while (!*(volatile int *)argument)
		;
	for (int i = 0; i < 5000; i++)
		CHECK(read(-1, &byte, 1) == -1 && errno == EBADF);
	CHECK(marked());
	return NULL;
}

static void sandboxed(void)
{
	static int filtered;
	pthread_t thread;
	char byte;
	NEED(pthread_create(&thread, NULL, in_sandbox, &filtered) == 0);
	sandbox();
	*(volatile int *)&filtered = 1;
	for (int i = 0; i < 20000; i++)
		CHECK(read(-1, &byte, 1) == -1 && errno == EBADF);
	CHECK(marked());
	CHECK(close(-1) == -1 && errno == EBADF);
	/* There is no way to wait for the thread: it has its time. */
	for (double end = seconds() + 0.3; seconds() < end;)
		;
	write(1, failures ? "bad\n" : "ok\n", failures ? 4 : 3);
	_exit(failures);
}

static void strictly(void)
{
	char byte;
	CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0);
	for (int i = 0; i < 20000; i++)
		CHECK(read(-1, &byte, 1) == -1 && errno == EBADF);
	write(1, failures ? "bad\n" : "ok\n", failures ? 4 : 3);
	syscall(SYS_exit, failures);
}

static void *without_clock(void *argument)
{
	char byte;
	CHECK(prctl(PR_SET_TSC, PR_TSC_SIGSEGV) == 0);
	for (int i = 0; i < 1000; i++)
		CHECK(read(-1, &byte, 1) == -1 && errno == EBADF);
	return NULL;
}

/* As recorders of another kind do it, which replay what they have recorded. */
static void no_clock(void)
{
	pthread_t thread;
	without_clock(NULL);
	NEED(pthread_create(&thread, NULL, without_clock, NULL) == 0);
	pthread_join(thread, NULL);
	pid_t child = fork();
	if (child == 0)
		_exit(2);
	CHECK(reap(child) == 2);
}

static void in_other_root(const char *directory)
{
	CHECK(chroot(directory) == 0 && chdir("/") == 0);
	CHECK(marked());
	pid_t child = fork();
	if (child == 0) {
		CHECK(marked());
		_exit(6);
	}
	CHECK(reap(child) == 6);
	CHECK(marked());
}

static void changed_root(void)
{
	char directory[] = "/tmp/law-root-XXXXXX";
	NEED(mkdtemp(directory));
	pid_t child = fork();
	if (child == 0) {
		in_other_root(directory);
		_exit(failures);
	}
	CHECK(reap(child) == 0);
	CHECK(rmdir(directory) == 0);
}

static void changed_user(void)
{
	char *words[] = { "true", NULL };
	CHECK(setgid(65534) == 0 && setuid(65534) == 0);
	CHECK(marked());
	pid_t child = fork();
	if (child == 0) {
		CHECK(marked());
		_exit(6);
	}
	CHECK(reap(child) == 6);
	child = fork();
	if (child == 0) {
		execv("/bin/true", words);
		_exit(1);
	}
	CHECK(reap(child) == 0);
	CHECK(system("exit 4") == 4 << 8);
}

/* What is executed in another root, where the object that is to be loaded isn't. The program needs none. */
static void executed_in_root(const char *program)
{
	char directory[] = "/tmp/law-root-XXXXXX", command[1000];
	char *words[] = { "program", "marked", NULL };
	NEED(mkdtemp(directory));
	snprintf(command, sizeof(command),
		 "for i in %s $(ldd %s | grep -o '[[:space:]]/lib[^ ]*'); do mkdir -p %s$(dirname $i); cp -L $i %s$i; done",
		 program, program, directory, directory);
	NEED(system(command) == 0);
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		NEED(chroot(directory) == 0 && chdir("/") == 0);
		execv(program, words);
		_exit(1);
	}
	CHECK(reap(child) == 0);
	snprintf(command, sizeof(command), "rm -r %s", directory);
	CHECK(system(command) == 0);
}

static void deleted_directory(void)
{
	char directory[] = "/tmp/law-deleted-XXXXXX";
	char *words[] = { "true", NULL };
	NEED(mkdtemp(directory) && chdir(directory) == 0 && rmdir(directory) == 0);
	CHECK(marked());
	CHECK(open("x", O_CREAT | O_RDWR, 0600) == -1 && errno == ENOENT);
	pid_t child = fork();
	if (child == 0) {
		execv("/bin/true", words);
		_exit(1);
	}
	CHECK(reap(child) == 0);
}

/* The session goes while it is used. */
static void removed_session(void)
{
	char command[PATH_MAX + 10], *session = getenv("LOOKBACK_SESSION");
	CHECK(marked());
	if (session) {
		snprintf(command, sizeof(command), "rm -r %s", session);
		CHECK(system(command) == 0);
	}
	for (int i = 0; i < 20000; i++)
		CHECK(marked());
	CHECK(system("exit 3") == 3 << 8);
}

static void identity(void)
{
	printf("%d %d\n", getuid(), geteuid());
	CHECK(marked());
}

int main(int argc, char **argv)
{
	NEED(argc > 1);
	if (!strcmp(argv[1], "sandbox"))
		sandboxed();
	if (!strcmp(argv[1], "strict"))
		strictly();
	if (!strcmp(argv[1], "no-clock"))
		no_clock();
	if (!strcmp(argv[1], "root"))
		changed_root();
	if (!strcmp(argv[1], "user"))
		changed_user();
	if (!strcmp(argv[1], "in-root"))
		executed_in_root(argv[0]);
	if (!strcmp(argv[1], "deleted"))
		deleted_directory();
	if (!strcmp(argv[1], "removed"))
		removed_session();
	if (!strcmp(argv[1], "identity"))
		identity();
	if (!strcmp(argv[1], "marked"))
		return !marked();
	return done();
}
