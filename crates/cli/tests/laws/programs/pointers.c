/* Pointers that lead nowhere: the kernel answers with an error, or doesn't look at them. */
#include "law.h"
#include <arpa/inet.h>
#include <dirent.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <sys/un.h>
#include <sys/xattr.h>

static char *nowhere[4];

/* An address in no mapping, one that may not be read, and one whose page is the last. */
static void find_nowhere(void)
{
	char *page = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	NEED(page != MAP_FAILED);
	memset(page, 'x', 4096);
	NEED(mprotect(page + 4096, 4096, PROT_NONE) == 0 && munmap(page + 8192, 4096) == 0);
	nowhere[0] = (char *)16;
	nowhere[1] = page + 4096;
	nowhere[2] = page + 8192;
	/* A text that runs into nothing. */
	nowhere[3] = page + 4090;
}

/* What each call says, errors by name: the same with lookback and without. */
#define SAY(call) \
	do { \
		errno = 0; \
		long result = (long)(call); \
		printf("%s: %ld %s\n", #call, result < 0 ? -1L : 0L, result < 0 ? strerror(errno) : ""); \
	} while (0)

static void with_paths(char *bad)
{
	struct stat status;
	struct statfs file_system;
	char text[64];
	char *words[] = { "x", NULL };
	SAY(open(bad, O_RDONLY));
	SAY(open(bad, O_RDWR | O_CREAT, 0600));
	SAY(openat(AT_FDCWD, bad, O_RDONLY));
	SAY(openat(-1, bad, O_RDONLY));
	SAY(creat(bad, 0600));
	SAY(mknod(bad, S_IFDIR, 0));
	SAY(mknod(bad, S_IFREG | 0600, 0));
	SAY(mkdir(bad, 0700));
	SAY(rmdir(bad));
	SAY(unlink(bad));
	SAY(unlinkat(-1, bad, 12345));
	SAY(access(bad, R_OK));
	SAY(access(bad, 12345));
	SAY(stat(bad, &status));
	SAY(lstat(bad, &status));
	SAY(fstatat(-1, bad, &status, 0));
	SAY(fstatat(0, bad, &status, 12345));
	SAY(statfs(bad, &file_system));
	SAY(chdir(bad));
	SAY(chmod(bad, 0));
	SAY(chown(bad, 0, 0));
	SAY(truncate(bad, -1));
	SAY(truncate(bad, 0));
	SAY(readlink(bad, text, sizeof(text)));
	SAY(readlink(bad, text, 0));
	SAY(rename(bad, "/x"));
	SAY(rename("/nowhere", bad));
	SAY(renameat2(AT_FDCWD, bad, AT_FDCWD, bad, 12345));
	SAY(link(bad, bad));
	SAY(linkat(AT_FDCWD, bad, AT_FDCWD, "/x", 12345));
	SAY(symlink(bad, "/x"));
	SAY(symlink("", bad));
	SAY(inotify_add_watch(-1, bad, 0));
	SAY(execv(bad, words));
	SAY(execve(bad, words, NULL));
	SAY(utimensat(AT_FDCWD, bad, NULL, 0));
	SAY(faccessat(AT_FDCWD, bad, R_OK, 12345));
}

static void with_sockets(char *bad)
{
	int stream = socket(AF_INET, SOCK_STREAM, 0), datagram = socket(AF_INET, SOCK_DGRAM, 0);
	struct sockaddr_in own = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr *address = (struct sockaddr *)bad;
	socklen_t none = 0, negative = -1, len = sizeof(own);
	char byte;
	NEED(bind(stream, (struct sockaddr *)&own, sizeof(own)) == 0 && listen(stream, 5) == 0);
	NEED(bind(datagram, (struct sockaddr *)&own, sizeof(own)) == 0);
	SAY(connect(stream, address, 16));
	SAY(connect(-1, address, 16));
	SAY(connect(datagram, address, 0));
	SAY(bind(stream, address, 16));
	SAY(bind(stream, address, -1));
	SAY(sendto(datagram, "x", 1, 0, address, 16));
	SAY(sendto(-1, "x", 1, 0, address, 16));
	SAY(getsockname(stream, (struct sockaddr *)&own, (socklen_t *)bad));
	SAY(getsockname(stream, address, &none));
	SAY(getsockname(stream, address, &negative));
	SAY(getsockname(stream, address, &len));
	SAY(getpeername(stream, address, &none));
	SAY(getsockopt(stream, SOL_SOCKET, SO_ERROR, bad, &none));
	len = sizeof(int);
	SAY(getsockopt(stream, SOL_SOCKET, SO_ERROR, bad, &len));
	SAY(getsockopt(stream, SOL_SOCKET, SO_ERROR, &len, (socklen_t *)bad));
	SAY(poll((struct pollfd *)bad, 1, 0));
	SAY(select(FD_SETSIZE, (fd_set *)bad, NULL, NULL, &(struct timeval){ 0, 0 }));
	SAY(epoll_wait(stream, (struct epoll_event *)bad, 1, 0));
	len = sizeof(own);
	NEED(getsockname(datagram, (struct sockaddr *)&own, &len) == 0);
	NEED(sendto(datagram, "x", 1, 0, (struct sockaddr *)&own, sizeof(own)) == 1);
	none = 0;
	SAY(recvfrom(datagram, &byte, 1, 0, address, &none));
	len = sizeof(own);
	NEED(getsockname(stream, (struct sockaddr *)&own, &len) == 0);
	for (int i = 0; i < 2; i++) {
		int client = socket(AF_INET, SOCK_STREAM, 0);
		NEED(connect(client, (struct sockaddr *)&own, sizeof(own)) == 0);
	}
	none = 0;
	SAY(accept(stream, address, &none));
	none = 0;
	SAY(accept4(stream, address, &none, SOCK_CLOEXEC));
	for (int i = 3; i < 20; i++)
		close(i);
}

static void with_others(char *bad)
{
	char *words[] = { "x", NULL };
	posix_spawn_file_actions_t actions;
	pid_t child;
	int status;
	SAY(nanosleep((struct timespec *)bad, NULL));
	SAY(clock_nanosleep(12345, 0, (struct timespec *)bad, NULL));
	SAY(pipe((int *)bad));
	SAY(socketpair(AF_UNIX, SOCK_STREAM, 0, (int *)bad));
	SAY(socketpair(12345, SOCK_STREAM, 0, (int *)bad));
	SAY(wait((int *)bad));
	SAY(sigprocmask(12345, (sigset_t *)&actions, (sigset_t *)bad));
	SAY(getrlimit(RLIMIT_AS, (struct rlimit *)bad));
	SAY(setrlimit(RLIMIT_AS, (struct rlimit *)bad));
	SAY(syscall(SYS_clone3, bad, 64));
	SAY(syscall(SYS_clone3, bad, 88));
	SAY(syscall(SYS_clone3, bad, 7));
	SAY(syscall(SYS_clone3, bad, 1 << 20));
	SAY(syscall(SYS_seccomp, 1, 0, bad));
	SAY(syscall(SYS_seccomp, 12345, 0, bad));
	SAY(prctl(PR_SET_NAME, bad));
	SAY(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, bad));
	NEED(posix_spawn_file_actions_init(&actions) == 0);
	NEED(posix_spawn_file_actions_addopen(&actions, 0, "/nowhere", O_RDONLY, 0) == 0);
	printf("spawn: %s\n", strerror(posix_spawn(&child, bad, &actions, NULL, words, NULL)));
	printf("spawn: %s\n", strerror(posix_spawn(&child, bad, NULL, NULL, words, NULL)));
	char *with_bad[] = { "A=1", bad, NULL }, **environments[] = { (char **)bad, with_bad };
	for (int i = 0; i < 2; i++) {
		SAY(execve("/bin/true-not", words, environments[i]));
		SAY(execvpe("true-not", words, environments[i]));
		if (bad) {
			SAY(execve("/bin/true", words, environments[i]));
			printf("spawn: %s\n", strerror(posix_spawn(&child, "/bin/true", NULL, NULL, words,
								   environments[i])));
		}
	}
	/* The kernel looks at no more of a set than the process can have open. */
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	NEED(pages != MAP_FAILED && munmap(pages + 4096, 4096) == 0);
	fd_set *set = (fd_set *)(pages + 4096 - 32);
	int null = open("/dev/null", O_RDWR);
	set->fds_bits[0] = 1L << null;
	SAY(select(FD_SETSIZE, NULL, set, NULL, &(struct timeval){ 0, 0 }));
	char *bad_word[] = { "x", bad, NULL };
	SAY(execv("/bin/true-not", (char **)bad));
	SAY(execve("/bin/true-not", bad_word, NULL));
	SAY(fexecve(-1, (char **)bad, NULL));
	SAY(fexecve(0, bad_word, words));
	if (bad)
		SAY(execv("/bin/true", bad_word));
	printf("spawn: %s\n", strerror(posix_spawn(&child, "/bin/true-not", NULL, NULL, bad_word, NULL)));
	(void)status;
}

/* From here on many calls fail by this error, and nobody looks at their arguments. */
static void refuse(int error)
{
#define REFUSE(number) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error)
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		REFUSE(SYS_open),
		REFUSE(SYS_openat),
		REFUSE(SYS_connect),
		REFUSE(SYS_bind),
		REFUSE(SYS_sendto),
		REFUSE(SYS_execve),
		REFUSE(SYS_mkdir),
		REFUSE(SYS_access),
		REFUSE(SYS_newfstatat),
		REFUSE(SYS_rename),
		REFUSE(SYS_symlink),
		REFUSE(SYS_nanosleep),
		REFUSE(SYS_clock_nanosleep),
		REFUSE(SYS_readlink),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };
	NEED(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	NEED(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

int main(int argc, char **argv)
{
	find_nowhere();
	if (argc > 2)
		refuse(atoi(argv[2]));
	for (int i = 0; i < 4; i++) {
		if (strcmp(argv[1], "paths") == 0)
			with_paths(nowhere[i]);
		else if (strcmp(argv[1], "sockets") == 0)
			with_sockets(nowhere[i]);
		else
			with_others(nowhere[i]);
	}
	/* What can be read is read: on the stack, on the heap, in the program. */
	char on_stack[] = "/on-the-stack/x", *on_heap = strdup("/on-the-heap/x");
	SAY(mkdir(on_stack, 0700));
	SAY(mkdir(on_heap, 0700));
	SAY(mkdir("/in-the-program/x", 0700));
	return done();
}
