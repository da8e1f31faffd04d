/* errno and results of wrapped calls, on success and on failure; signal masks and rounding as they were. */
#include "law.h"
#include <dirent.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>

/* A value that no call sets. */
enum { UNTOUCHED = 4242 };

/* The call has this result and leaves errno alone. */
#define WORKS(call, expected) \
	do { \
		errno = UNTOUCHED; \
		long result = (long)(call); \
		int error = errno; \
		if (result != (long)(expected) || error != UNTOUCHED) { \
			failures++; \
			printf("line %d: %s: %ld, errno %d\n", __LINE__, #call, result, error); \
		} \
	} while (0)

/* The call has a result of which only this is known, and leaves errno alone. */
#define HOLDS(call, condition) \
	do { \
		errno = UNTOUCHED; \
		long result = (long)(call); \
		int error = errno; \
		if (!(condition) || error != UNTOUCHED) { \
			failures++; \
			printf("line %d: %s: %ld, errno %d\n", __LINE__, #call, result, error); \
		} \
	} while (0)

/* The call fails, with this result, and says why. */
#define FAILS(call, expected, why) \
	do { \
		errno = UNTOUCHED; \
		long result = (long)(call); \
		int error = errno; \
		if (result != (long)(expected) || error != (why)) { \
			failures++; \
			printf("line %d: %s: %ld, errno %d\n", __LINE__, #call, result, error); \
		} \
	} while (0)

/* An address at which there is nothing; the compiler must not know it. */
static void *volatile nowhere = (void *)8;

#define BAD 12345
#define NOWHERE nowhere
#define MISSING "missing/file"

static void files(void)
{
	char buffer[64] = "";
	struct iovec vector = { buffer, 8 };
	struct stat found;
	int fd;
	HOLDS(fd = open("a", O_RDWR | O_CREAT | O_EXCL, 0640), result >= 0);
	WORKS(stat("a", &found), 0);
	CHECK((found.st_mode & 07777) == 0640);
	WORKS(write(fd, "0123456789abcdef", 16), 16);
	WORKS(pwrite(fd, "xy", 2, 4), 2);
	WORKS(lseek(fd, 2, SEEK_SET), 2);
	WORKS(read(fd, buffer, 4), 4);
	CHECK(memcmp(buffer, "23xy", 4) == 0);
	WORKS(pread(fd, buffer, 8, 8), 8);
	WORKS(readv(fd, &vector, 1), 8);
	WORKS(preadv(fd, &vector, 1, 1), 8);
	WORKS(writev(fd, &vector, 1), 8);
	WORKS(pwritev(fd, &vector, 1, 3), 8);
	WORKS(ftruncate(fd, 5), 0);
	WORKS(truncate("a", 7), 0);
	WORKS(posix_fallocate(fd, 0, 100), 0);
	WORKS(fsync(fd), 0);
	WORKS(fdatasync(fd), 0);
	WORKS(flock(fd, LOCK_EX | LOCK_NB), 0);
	WORKS(fstat(fd, &found), 0);
	CHECK(found.st_size == 100);
	WORKS(lstat("a", &found), 0);
	WORKS(fstatat(AT_FDCWD, "a", &found, 0), 0);
	WORKS(access("a", R_OK), 0);
	WORKS(faccessat(AT_FDCWD, "a", R_OK, 0), 0);
	WORKS(chmod("a", 0600), 0);
	WORKS(fchmod(fd, 0644), 0);
	WORKS(fcntl(fd, F_SETFD, FD_CLOEXEC), 0);
	WORKS(fcntl(fd, F_GETFD), FD_CLOEXEC);
	HOLDS(fcntl(fd, F_DUPFD, 100), result == 100);
	WORKS(close(100), 0);
	WORKS(dup2(fd, 77), 77);
	WORKS(dup3(fd, 78, O_CLOEXEC), 78);
	WORKS(close(77), 0);
	WORKS(close(78), 0);
	WORKS(link("a", "b"), 0);
	WORKS(rename("b", "c"), 0);
	WORKS(renameat(AT_FDCWD, "c", AT_FDCWD, "b"), 0);
	WORKS(symlink("a", "l"), 0);
	WORKS(readlink("l", buffer, sizeof(buffer)), 1);
	WORKS(readlinkat(AT_FDCWD, "l", buffer, sizeof(buffer)), 1);
	WORKS(unlink("l"), 0);
	WORKS(unlinkat(AT_FDCWD, "b", 0), 0);
	int other;
	HOLDS(other = creat("d", 0600), result >= 0);
	off_t from = 0;
	WORKS(sendfile(other, fd, &from, 10), 10);
	WORKS(copy_file_range(fd, &from, other, NULL, 10, 0), 10);
	WORKS(close(other), 0);
	WORKS(unlink("d"), 0);
	WORKS(close(fd), 0);
	WORKS(unlink("a"), 0);
	WORKS(mkdir("m", 0700), 0);
	WORKS(mkdirat(AT_FDCWD, "m/n", 0700), 0);
	WORKS(chdir("m"), 0);
	WORKS(chdir(".."), 0);
	DIR *directory;
	HOLDS(directory = opendir("m"), result != 0);
	for (int entry = 0; entry < 3; entry++)
		HOLDS(readdir(directory), result != 0);
	WORKS(readdir(directory), 0);
	WORKS(closedir(directory), 0);
	WORKS(rmdir("m/n"), 0);
	WORKS(rmdir("m"), 0);
}

static void failing_files(void)
{
	char buffer[8];
	struct stat found;
	off_t offset = 0;
	FAILS(open(MISSING, O_RDONLY), -1, ENOENT);
	FAILS(open(NOWHERE, O_RDONLY), -1, EFAULT);
	FAILS(openat(BAD, "x", O_RDONLY), -1, EBADF);
	FAILS(creat("/", 0), -1, EISDIR);
	FAILS(read(BAD, buffer, 1), -1, EBADF);
	FAILS(write(BAD, buffer, 1), -1, EBADF);
	FAILS(pread(BAD, buffer, 1, 0), -1, EBADF);
	FAILS(pwrite(BAD, buffer, 1, 0), -1, EBADF);
	FAILS(readv(BAD, NOWHERE, 1), -1, EBADF);
	FAILS(writev(BAD, NOWHERE, 1), -1, EBADF);
	FAILS(sendfile(BAD, BAD, &offset, 1), -1, EBADF);
	FAILS(lseek(BAD, 0, SEEK_SET), -1, EBADF);
	FAILS(close(BAD), -1, EBADF);
	FAILS(dup(BAD), -1, EBADF);
	FAILS(dup2(BAD, 1), -1, EBADF);
	FAILS(dup3(1, 1, 0), -1, EINVAL);
	FAILS(fcntl(BAD, F_GETFL), -1, EBADF);
	FAILS(ioctl(BAD, FIONREAD, buffer), -1, EBADF);
	FAILS(flock(BAD, LOCK_SH), -1, EBADF);
	FAILS(fsync(BAD), -1, EBADF);
	FAILS(truncate(MISSING, 0), -1, ENOENT);
	FAILS(truncate(NOWHERE, -1), -1, EINVAL);
	FAILS(ftruncate(BAD, 0), -1, EBADF);
	FAILS(stat(MISSING, &found), -1, ENOENT);
	FAILS(stat(NOWHERE, &found), -1, EFAULT);
	FAILS(lstat("", &found), -1, ENOENT);
	FAILS(fstat(BAD, &found), -1, EBADF);
	FAILS(access(MISSING, F_OK), -1, ENOENT);
	FAILS(access(NOWHERE, F_OK), -1, EFAULT);
	FAILS(readlink("/", buffer, 8), -1, EINVAL);
	FAILS(rename(MISSING, "y"), -1, ENOENT);
	/* Which of the two errors comes first depends on the kernel. */
	CHECK(rename(MISSING, NOWHERE) == -1 && (errno == EFAULT || errno == ENOENT));
	CHECK(renameat(AT_FDCWD, MISSING, AT_FDCWD, NOWHERE) == -1 && (errno == EFAULT || errno == ENOENT));
	CHECK(link(MISSING, NOWHERE) == -1 && (errno == EFAULT || errno == ENOENT));
	CHECK(symlink(MISSING, NOWHERE) == -1 && errno == EFAULT);
	FAILS(link(NOWHERE, MISSING), -1, EFAULT);
	FAILS(symlink("x", NOWHERE), -1, EFAULT);
	FAILS(unlink(MISSING), -1, ENOENT);
	FAILS(mkdir("/", 0700), -1, EEXIST);
	FAILS(rmdir("/"), -1, EBUSY);
	FAILS(chdir(MISSING), -1, ENOENT);
	FAILS(chmod(MISSING, 0), -1, ENOENT);
	FAILS(opendir(MISSING), 0, ENOENT);
	FAILS(fdopendir(BAD), 0, EBADF);
	WORKS(posix_fallocate(BAD, 0, 1), EBADF);
}

static void streams(void)
{
	char line[64], *text = NULL;
	size_t size = 0;
	FILE *stream;
	HOLDS(stream = fopen("s", "w+"), result != 0);
	WORKS(fwrite("one\ntwo\nthree", 1, 13, stream), 13);
	HOLDS(fputs("!\n", stream), result >= 0);
	WORKS(fflush(stream), 0);
	WORKS(fseek(stream, 0, SEEK_SET), 0);
	WORKS(fgets(line, sizeof(line), stream), line);
	WORKS(getline(&text, &size, stream), 4);
	WORKS(fread(line, 1, 3, stream), 3);
	WORKS(getdelim(&text, &size, '!', stream), 3);
	HOLDS(fgets(line, sizeof(line), stream), result != 0);
	WORKS(fgets(line, sizeof(line), stream), 0);
	HOLDS(stream = freopen("s", "r", stream), result != 0);
	WORKS(fclose(stream), 0);
	WORKS(unlink("s"), 0);
	FAILS(fopen(MISSING, "r"), 0, ENOENT);
	FAILS(fopen("s", "?"), 0, EINVAL);
	FAILS(fdopen(BAD, "r"), 0, EBADF);
	free(text);
}

static void sockets(void)
{
	int pair[2], one = 1;
	char buffer[8];
	socklen_t size = sizeof(one);
	struct sockaddr_un address = { AF_UNIX, "socket" };
	struct iovec vector = { buffer, 2 };
	struct msghdr message = { .msg_iov = &vector, .msg_iovlen = 1 };
	WORKS(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	WORKS(send(pair[0], "ab", 2, 0), 2);
	WORKS(recv(pair[1], buffer, 8, 0), 2);
	WORKS(sendmsg(pair[0], &message, 0), 2);
	WORKS(recvmsg(pair[1], &message, 0), 2);
	WORKS(sendto(pair[0], "ab", 2, 0, NULL, 0), 2);
	WORKS(recvfrom(pair[1], buffer, 8, 0, NULL, NULL), 2);
	FAILS(recv(pair[1], buffer, 8, MSG_DONTWAIT), -1, EAGAIN);
	WORKS(setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &one, sizeof(one)), 0);
	WORKS(getsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &one, &size), 0);
	WORKS(shutdown(pair[0], SHUT_RDWR), 0);
	FAILS(send(pair[0], "ab", 2, MSG_NOSIGNAL), -1, EPIPE);
	close(pair[0]);
	close(pair[1]);
	int listener, client, server;
	HOLDS(listener = socket(AF_UNIX, SOCK_STREAM, 0), result >= 0);
	WORKS(bind(listener, (void *)&address, sizeof(address)), 0);
	HOLDS(client = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0), result >= 0);
	FAILS(connect(client, (void *)&address, sizeof(address)), -1, ECONNREFUSED);
	WORKS(listen(listener, 1), 0);
	WORKS(connect(client, (void *)&address, sizeof(address)), 0);
	HOLDS(server = accept(listener, NULL, NULL), result >= 0);
	close(client);
	close(server);
	FAILS(connect(listener, NOWHERE, sizeof(address)), -1, EFAULT);
	FAILS(bind(BAD, NOWHERE, 16), -1, EBADF);
	FAILS(accept(BAD, NULL, NULL), -1, EBADF);
	FAILS(accept4(listener, NULL, NULL, -1), -1, EINVAL);
	FAILS(socket(-1, 0, 0), -1, EAFNOSUPPORT);
	FAILS(recvfrom(BAD, buffer, 1, 0, NOWHERE, NOWHERE), -1, EBADF);
	close(listener);
	unlink("socket");
}

static void waiting(void)
{
	int ends[2], set;
	WORKS(pipe(ends), 0);
	struct pollfd polled = { ends[1], POLLOUT, 0 };
	struct timespec none = { 0, 0 }, long_ago = { -1, 0 }, left;
	struct timeval now = { 0, 0 };
	struct epoll_event event = { .events = EPOLLOUT };
	fd_set writable;
	sigset_t signals;
	sigemptyset(&signals);
	WORKS(poll(&polled, 1, -1), 1);
	WORKS(ppoll(&polled, 1, &none, &signals), 1);
	FD_ZERO(&writable);
	FD_SET(ends[1], &writable);
	WORKS(select(ends[1] + 1, NULL, &writable, NULL, &now), 1);
	WORKS(pselect(ends[1] + 1, NULL, &writable, NULL, &none, &signals), 1);
	HOLDS(set = epoll_create1(EPOLL_CLOEXEC), result >= 0);
	WORKS(epoll_ctl(set, EPOLL_CTL_ADD, ends[1], &event), 0);
	WORKS(epoll_wait(set, &event, 1, -1), 1);
	WORKS(epoll_pwait(set, &event, 1, 0, &signals), 1);
	FAILS(epoll_ctl(set, EPOLL_CTL_ADD, ends[1], &event), -1, EEXIST);
	FAILS(epoll_wait(ends[0], &event, 1, 0), -1, EINVAL);
	FAILS(poll(NOWHERE, 1, 0), -1, EFAULT);
	FAILS(select(-1, NULL, NULL, NULL, &now), -1, EINVAL);
	FAILS(pipe(NOWHERE), -1, EFAULT);
	FAILS(pipe2(ends, -1), -1, EINVAL);
	WORKS(nanosleep(&none, &left), 0);
	FAILS(nanosleep(&long_ago, &left), -1, EINVAL);
	FAILS(nanosleep(NOWHERE, &left), -1, EFAULT);
	WORKS(usleep(1), 0);
	WORKS(sleep(0), 0);
	WORKS(clock_nanosleep(CLOCK_MONOTONIC, 0, &none, NULL), 0);
	WORKS(clock_nanosleep(BAD, 0, &none, NULL), EINVAL);
	close(ends[0]);
	close(ends[1]);
	close(set);
}

static void processes(void)
{
	int status;
	siginfo_t info;
	pid_t child;
	char *nothing[] = { NULL };
	HOLDS(child = fork(), result >= 0);
	if (child == 0)
		_exit(errno == UNTOUCHED ? 7 : 8);
	WORKS(waitpid(child, &status, 0), child);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	HOLDS(child = vfork(), result >= 0);
	if (child == 0)
		_exit(9);
	WORKS(wait(NULL), child);
	FAILS(wait(&status), -1, ECHILD);
	FAILS(waitpid(-1, NULL, 0), -1, ECHILD);
	FAILS(waitid(P_ALL, 0, &info, WEXITED), -1, ECHILD);
	FAILS(waitid(P_ALL, 0, &info, 0), -1, EINVAL);
	FAILS(wait4(BAD, &status, 0, NULL), -1, ECHILD);
	FAILS(kill(getpid(), 1000), -1, EINVAL);
	WORKS(kill(getpid(), 0), 0);
	FAILS(execve(MISSING, nothing, nothing), -1, ENOENT);
	FAILS(execve(NOWHERE, nothing, nothing), -1, EFAULT);
	FAILS(execv(MISSING, nothing), -1, ENOENT);
	FAILS(execvp(MISSING, nothing), -1, ENOENT);
	FAILS(execl("/", "a", "b", "c", "d", "e", "f", "g", NULL), -1, EACCES);
	FAILS(execlp("no-such-program", "a", NULL), -1, ENOENT);
	FAILS(execle(MISSING, "a", NULL, nothing), -1, ENOENT);
	FAILS(fexecve(BAD, nothing, nothing), -1, EBADF);
	FAILS(popen("true", "?"), 0, EINVAL);
	WORKS(syscall(SYS_getpid), getpid());
	FAILS(syscall(SYS_close, BAD), -1, EBADF);
	FAILS(syscall(SYS_clone, (long)CLONE_SIGHAND, 0, 0, 0, 0), -1, EINVAL);
	FAILS(syscall(SYS_clone3, NULL, 0), -1, EINVAL);
}

/* Calls that are interrupted say so. */
static void interrupted(void)
{
	struct timespec second = { 1, 0 };
	handle(SIGALRM, SIG_IGN, 0);
	static int count;
	void handler(int signal)
	{
		count += signal == SIGALRM;
		errno = UNTOUCHED + 1;
	}
	handle(SIGALRM, handler, 0);
	struct itimerval soon = { { 0, 0 }, { 0, 20000 } };
	setitimer(ITIMER_REAL, &soon, NULL);
	FAILS(nanosleep(&second, NULL), -1, EINTR);
	setitimer(ITIMER_REAL, &soon, NULL);
	FAILS(pause(), -1, EINTR);
	CHECK(count == 2);
}

/* What the ABI has a function leave alone besides registers. */
static void control_state(void)
{
	unsigned mxcsr_before = 0x3f80, mxcsr, fpu_before = 0xf7f, fpu = 0;
	__asm__ volatile("ldmxcsr %0\n fldcw %1" : : "m"(mxcsr_before), "m"(fpu_before));
	close(BAD);
	unlink(MISSING);
	__asm__ volatile("stmxcsr %0\n fnstcw %1" : "=m"(mxcsr), "=m"(fpu));
	CHECK(mxcsr == mxcsr_before);
	CHECK((fpu & 0xffff) == (fpu_before & 0xffff));
}

int main(void)
{
	char directory[] = "/tmp/law-errno-XXXXXX";
	sigset_t before, after;
	sigemptyset(&before);
	sigaddset(&before, SIGUSR1);
	sigprocmask(SIG_SETMASK, &before, NULL);
	umask(022);
	NEED(mkdtemp(directory) && chdir(directory) == 0);
	files();
	failing_files();
	streams();
	sockets();
	waiting();
	processes();
	interrupted();
	control_state();
	NEED(chdir("/") == 0 && rmdir(directory) == 0);
	sigprocmask(SIG_BLOCK, NULL, &after);
	for (int signal = 1; signal < 65; signal++)
		CHECK(sigismember(&before, signal) == sigismember(&after, signal));
	return done();
}
