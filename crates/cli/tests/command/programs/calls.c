/*
 * Makes every call that can be recorded, under every name that libc has for it, from a function `call_NAME`.
 * What it saw itself goes to standard output, a line for each: call, result, error.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* What the compiler puts in the place of a call whose buffer it knows, and what older programs call. */
int __open_2(const char *, int);
int __open64_2(const char *, int);
int __openat_2(int, const char *, int);
int __openat64_2(int, const char *, int);
ssize_t __read_chk(int, void *, size_t, size_t);
ssize_t __pread_chk(int, void *, size_t, off_t, size_t);
ssize_t __pread64_chk(int, void *, size_t, off_t, size_t);
ssize_t __readlink_chk(const char *, char *, size_t, size_t);
ssize_t __readlinkat_chk(int, const char *, char *, size_t, size_t);
size_t __fread_chk(void *, size_t, size_t, size_t, FILE *);
size_t __fread_unlocked_chk(void *, size_t, size_t, size_t, FILE *);
char *__fgets_chk(char *, size_t, int, FILE *);
char *__fgets_unlocked_chk(char *, size_t, int, FILE *);
ssize_t __recv_chk(int, void *, size_t, size_t, int);
ssize_t __recvfrom_chk(int, void *, size_t, size_t, int, struct sockaddr *, socklen_t *);
int __poll_chk(struct pollfd *, nfds_t, int, size_t);
int __ppoll_chk(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *, size_t);
ssize_t __getdelim(char **, size_t *, int, FILE *);
pid_t _Fork(void);
#define OLDER(name) __asm__(".symver " #name "," #name "@GLIBC_2.2.5")
#define OLD(name) __asm__(".symver " #name "," #name "@GLIBC_2.4")
OLDER(__xstat);
OLDER(__xstat64);
OLDER(__lxstat);
OLDER(__lxstat64);
OLDER(__fxstat);
OLDER(__fxstat64);
OLD(__fxstatat);
OLD(__fxstatat64);
int __xstat(int, const char *, struct stat *);
int __xstat64(int, const char *, struct stat *);
int __lxstat(int, const char *, struct stat *);
int __lxstat64(int, const char *, struct stat *);
int __fxstat(int, int, struct stat *);
int __fxstat64(int, int, struct stat *);
int __fxstatat(int, int, const char *, struct stat *, int);
int __fxstatat64(int, int, const char *, struct stat *, int);

#include "calls.h"

static char buffer[4096];
static struct stat found;
static struct iovec vector = {buffer, 4};

/* Descriptors that most calls are made with. */
static int file;
static int pair[2];

CALL(open)
{
	INT(open, open("file", O_RDWR | O_CREAT | O_CLOEXEC, 0640));
	INT(open, open("file", O_RDONLY));
	INT(open, open64("file", O_WRONLY | O_APPEND));
	INT(open, __open_2("file", O_RDONLY));
	INT(open, __open64_2("file", O_RDWR));
	INT(open, open("missing", O_RDONLY));
	INT(open, open("file", O_CREAT | O_EXCL | O_WRONLY, 0600));
	INT(open, open("quote\"s and spaces", O_RDONLY));
	INT(open, open("back\\slash", O_RDONLY));
	INT(open, open("percent %s %n %d", O_RDONLY));
	INT(open, open("letters äöü \xff", O_RDONLY));
	INT(open, open("", O_RDONLY));
	INT(open, open((const char *)8, O_RDONLY));
}

CALL(openat)
{
	INT(openat, openat(AT_FDCWD, "file", O_RDONLY));
	INT(openat, openat64(AT_FDCWD, "file", O_RDONLY));
	INT(openat, __openat_2(AT_FDCWD, "file", O_RDONLY));
	INT(openat, __openat64_2(AT_FDCWD, "file", O_RDONLY));
	INT(openat, openat(-1, "file", O_RDONLY));
	INT(openat, openat(AT_FDCWD, ".", O_TMPFILE | O_RDWR, 0600));
}

CALL(creat)
{
	INT(creat, creat("created", 0600));
	INT(creat, creat64("created", 0600));
	INT(creat, creat(".", 0600));
}

CALL(close)
{
	INT(close, close(dup(file)));
	INT(close, close(-1));
}

CALL(read)
{
	LONG(read, read(file, buffer, 4));
	LONG(read, __read_chk(file, buffer, 4, sizeof buffer));
	LONG(read, read(-1, buffer, 4));
}

CALL(pread)
{
	LONG(pread, pread(file, buffer, 4, 0));
	LONG(pread, pread64(file, buffer, 4, 1));
	LONG(pread, __pread_chk(file, buffer, 4, 2, sizeof buffer));
	LONG(pread, __pread64_chk(file, buffer, 4, 3, sizeof buffer));
	LONG(pread, pread(file, buffer, 4, -1));
}

CALL(readv)
{
	LONG(readv, readv(file, &vector, 1));
	LONG(readv, readv(-1, &vector, 1));
}

CALL(preadv)
{
	LONG(preadv, preadv(file, &vector, 1, 0));
	LONG(preadv, preadv64(file, &vector, 1, 1));
}

CALL(write)
{
	LONG(write, write(file, "some text for all", 17));
	LONG(write, write(-1, "x", 1));
}

CALL(pwrite)
{
	LONG(pwrite, pwrite(file, "some", 4, 0));
	LONG(pwrite, pwrite64(file, "some", 4, 0));
}

CALL(writev)
{
	LONG(writev, writev(file, &vector, 1));
}

CALL(pwritev)
{
	LONG(pwritev, pwritev(file, &vector, 1, 0));
	LONG(pwritev, pwritev64(file, &vector, 1, 0));
}

CALL(sendfile)
{
	off_t from = 0;
	int other = open("copy", O_RDWR | O_CREAT, 0600);
	LONG(sendfile, sendfile(other, file, &from, 4));
	LONG(sendfile, sendfile64(other, file, &from, 4));
	LONG(sendfile, sendfile(other, -1, &from, 4));
	close(other);
}

CALL(copy_file_range)
{
	off64_t from = 0;
	int other = open("copy", O_RDWR);
	LONG(copy_file_range, copy_file_range(file, &from, other, NULL, 4, 0));
	LONG(copy_file_range, copy_file_range(-1, NULL, other, NULL, 4, 0));
	close(other);
}

CALL(lseek)
{
	LONG(lseek, lseek(file, 5, SEEK_SET));
	LONG(lseek, lseek64(file, -1, SEEK_END));
	LONG(lseek, lseek(file, -100, SEEK_SET));
}

CALL(dup)
{
	INT(dup, dup(file));
	INT(dup, dup(-1));
}

CALL(dup2)
{
	INT(dup2, dup2(file, 60));
	INT(dup2, dup2(-1, 60));
}

CALL(dup3)
{
	INT(dup3, dup3(file, 61, O_CLOEXEC));
	INT(dup3, dup3(file, file, 0));
}

CALL(fcntl)
{
	INT(fcntl, fcntl(file, F_GETFL));
	INT(fcntl, fcntl64(file, F_SETFD, FD_CLOEXEC));
	INT(fcntl, fcntl(-1, F_GETFD));
}

CALL(ioctl)
{
	int waiting;
	INT(ioctl, ioctl(file, FIONREAD, &waiting));
	INT(ioctl, ioctl(file, TIOCGWINSZ, buffer));
}

CALL(flock)
{
	INT(flock, flock(file, LOCK_EX | LOCK_NB));
	INT(flock, flock(-1, LOCK_UN));
}

CALL(fsync)
{
	INT(fsync, fsync(file));
	INT(fsync, fsync(-1));
}

CALL(fdatasync)
{
	INT(fdatasync, fdatasync(file));
	INT(fdatasync, fdatasync(pair[0]));
}

CALL(truncate)
{
	INT(truncate, truncate("file", 100));
	INT(truncate, truncate64("file", 100));
	INT(truncate, truncate("missing", 100));
}

CALL(ftruncate)
{
	INT(ftruncate, ftruncate(file, 100));
	INT(ftruncate, ftruncate64(file, 100));
	INT(ftruncate, ftruncate(file, -1));
}

CALL(posix_fallocate)
{
	TELL_NUMBER(posix_fallocate, posix_fallocate(file, 0, 10));
	TELL_NUMBER(posix_fallocate, posix_fallocate64(file, 0, 10));
	TELL_NUMBER(posix_fallocate, posix_fallocate(-1, 0, 10));
}

CALL(stat)
{
	INT(stat, stat("file", &found));
	INT(stat, stat64("file", (struct stat64 *)&found));
	INT(stat, __xstat(1, "file", &found));
	INT(stat, __xstat64(1, "file", &found));
	INT(stat, stat("missing", &found));
}

CALL(lstat)
{
	INT(lstat, lstat("file", &found));
	INT(lstat, lstat64("file", (struct stat64 *)&found));
	INT(lstat, __lxstat(1, "file", &found));
	INT(lstat, __lxstat64(1, "file", &found));
	INT(lstat, lstat("file/below", &found));
}

CALL(fstat)
{
	INT(fstat, fstat(file, &found));
	INT(fstat, fstat64(file, (struct stat64 *)&found));
	INT(fstat, __fxstat(1, file, &found));
	INT(fstat, __fxstat64(1, file, &found));
	INT(fstat, fstat(-1, &found));
}

CALL(fstatat)
{
	INT(fstatat, fstatat(AT_FDCWD, "file", &found, AT_SYMLINK_NOFOLLOW));
	INT(fstatat, fstatat64(AT_FDCWD, "file", (struct stat64 *)&found, 0));
	INT(fstatat, __fxstatat(1, AT_FDCWD, "file", &found, 0));
	INT(fstatat, __fxstatat64(1, AT_FDCWD, "file", &found, 0));
	INT(fstatat, fstatat(AT_FDCWD, "missing", &found, 0));
}

CALL(statx)
{
	struct statx more;
	INT(statx, statx(AT_FDCWD, "file", AT_EMPTY_PATH, STATX_BASIC_STATS, &more));
	INT(statx, statx(AT_FDCWD, "missing", 0, STATX_BASIC_STATS, &more));
}

CALL(access)
{
	INT(access, access("file", R_OK | W_OK));
	INT(access, access("missing", F_OK));
}

CALL(faccessat)
{
	INT(faccessat, faccessat(AT_FDCWD, "file", R_OK, AT_EACCESS));
	INT(faccessat, faccessat(AT_FDCWD, "missing", F_OK, 0));
}

CALL(symlink)
{
	INT(symlink, symlink("file", "pointer"));
	INT(symlink, symlink("file", "pointer"));
}

CALL(readlink)
{
	LONG(readlink, readlink("pointer", buffer, 10));
	LONG(readlink, __readlink_chk("pointer", buffer, 10, sizeof buffer));
	LONG(readlink, readlink("file", buffer, 10));
}

CALL(readlinkat)
{
	LONG(readlinkat, readlinkat(AT_FDCWD, "pointer", buffer, 10));
	LONG(readlinkat, __readlinkat_chk(AT_FDCWD, "pointer", buffer, 10, sizeof buffer));
	LONG(readlinkat, readlinkat(-1, "pointer", buffer, 10));
}

CALL(link)
{
	INT(link, link("file", "second"));
	INT(link, link("missing", "third"));
}

CALL(rename)
{
	INT(rename, rename("second", "third"));
	INT(rename, rename("missing", "third"));
}

CALL(renameat)
{
	INT(renameat, renameat(AT_FDCWD, "third", AT_FDCWD, "fourth"));
	INT(renameat, renameat(AT_FDCWD, "missing", AT_FDCWD, "fourth"));
}

CALL(unlink)
{
	INT(unlink, unlink("fourth"));
	INT(unlink, unlink("fourth"));
}

CALL(unlinkat)
{
	INT(unlinkat, unlinkat(AT_FDCWD, "pointer", 0));
	INT(unlinkat, unlinkat(AT_FDCWD, "file", AT_REMOVEDIR));
}

CALL(mkdir)
{
	INT(mkdir, mkdir("folder", 0750));
	INT(mkdir, mkdir("folder", 0750));
}

CALL(mkdirat)
{
	INT(mkdirat, mkdirat(AT_FDCWD, "folder/inner", 0700));
	INT(mkdirat, mkdirat(AT_FDCWD, "missing/inner", 0700));
}

CALL(rmdir)
{
	INT(rmdir, rmdir("folder"));
	INT(rmdir, rmdir("folder/inner"));
}

CALL(chdir)
{
	INT(chdir, chdir("folder"));
	INT(chdir, chdir(".."));
	INT(chdir, chdir("missing"));
}

CALL(chmod)
{
	INT(chmod, chmod("file", 0600));
	INT(chmod, chmod("missing", 0600));
}

CALL(fchmod)
{
	INT(fchmod, fchmod(file, 0644));
	INT(fchmod, fchmod(-1, 0644));
}

CALL(chown)
{
	INT(chown, chown("file", getuid(), getgid()));
	INT(chown, chown("missing", -1, -1));
}

static DIR *directory;

CALL(opendir)
{
	POINTER(opendir, opendir("missing"));
	POINTER(opendir, directory = opendir("folder"));
}

CALL(fdopendir)
{
	DIR *other;
	POINTER(fdopendir, other = fdopendir(openat(AT_FDCWD, "folder", O_RDONLY)));
	POINTER(fdopendir, fdopendir(file));
	closedir(other);
}

CALL(readdir)
{
	TELL_ONLY(readdir, "%p", (void *)readdir(directory));
	TELL_ONLY(readdir, "%p", (void *)readdir64(directory));
}

CALL(closedir)
{
	INT(closedir, closedir(directory));
}

static FILE *stream;

CALL(fopen)
{
	POINTER(fopen, stream = fopen("lines", "w+"));
	POINTER(fopen, fopen64("lines", "r"));
	POINTER(fopen, fopen("missing", "r"));
}

CALL(fdopen)
{
	POINTER(fdopen, fdopen(dup(file), "r"));
	POINTER(fdopen, fdopen(-1, "r"));
}

CALL(freopen)
{
	FILE *other = fopen("lines", "r");
	POINTER(freopen, other = freopen("file", "r", other));
	POINTER(freopen, other = freopen64("lines", "r", other));
	fclose(other);
}

CALL(fwrite)
{
	TELL_ONLY(fwrite, "%zu", fwrite("one\ntwo\nthree\nfour\n", 1, 19, stream));
	TELL_ONLY(fwrite, "%zu", fwrite_unlocked("five\n", 5, 1, stream));
}

CALL(fputs)
{
	INT(fputs, fputs("six\n", stream));
	INT(fputs, fputs_unlocked("seven\n", stream));
}

CALL(puts)
{
	INT(puts, puts("# by puts"));
}

CALL(fflush)
{
	INT(fflush, fflush(stream));
	INT(fflush, fflush_unlocked(stream));
}

CALL(fseek)
{
	INT(fseek, fseek(stream, 0, SEEK_SET));
	INT(fseek, fseeko(stream, 0, SEEK_END));
	INT(fseek, fseeko64(stream, 0, SEEK_SET));
	INT(fseek, fseek(stream, -1, SEEK_SET));
}

CALL(fread)
{
	TELL_ONLY(fread, "%zu", fread(buffer, 1, 1, stream));
	TELL_ONLY(fread, "%zu", fread_unlocked(buffer, 1, 1, stream));
	TELL_ONLY(fread, "%zu", __fread_chk(buffer, sizeof buffer, 1, 1, stream));
	TELL_ONLY(fread, "%zu", __fread_unlocked_chk(buffer, sizeof buffer, 1, 1, stream));
}

CALL(fgets)
{
	POINTER(fgets, fgets(buffer, 3, stream));
	POINTER(fgets, fgets_unlocked(buffer, 3, stream));
	POINTER(fgets, __fgets_chk(buffer, sizeof buffer, 3, stream));
	POINTER(fgets, __fgets_unlocked_chk(buffer, sizeof buffer, 3, stream));
}

CALL(getline)
{
	char *line = NULL;
	size_t space = 0;
	LONG(getline, getline(&line, &space, stream));
	free(line);
}

CALL(getdelim)
{
	char *line = NULL;
	size_t space = 0;
	LONG(getdelim, getdelim(&line, &space, 'e', stream));
	LONG(getdelim, __getdelim(&line, &space, 'v', stream));
	free(line);
}

CALL(fclose)
{
	INT(fclose, fclose(stream));
}

static struct sockaddr_un local = {AF_UNIX, "socket"};
static struct sockaddr_in remote = {.sin_family = AF_INET};
static socklen_t length;
static int listener, client, server;

#define ADDRESS(address) (struct sockaddr *)&address, sizeof address

CALL(socket)
{
	INT(socket, listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
	INT(socket, socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0));
	INT(socket, socket(-1, SOCK_STREAM, 0));
}

CALL(socketpair)
{
	INT(socketpair, socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	INT(socketpair, socketpair(AF_INET, SOCK_STREAM, 0, pair));
}

CALL(bind)
{
	INT(bind, bind(listener, ADDRESS(local)));
	INT(bind, bind(listener, ADDRESS(local)));
}

CALL(listen)
{
	INT(listen, listen(listener, 5));
	INT(listen, listen(file, 5));
}

CALL(connect)
{
	client = socket(AF_UNIX, SOCK_STREAM, 0);
	INT(connect, connect(client, ADDRESS(local)));
	remote.sin_port = htons(1);
	remote.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	int other = socket(AF_INET, SOCK_STREAM, 0);
	INT(connect, connect(other, ADDRESS(remote)));
	close(other);
}

CALL(accept)
{
	length = sizeof local;
	INT(accept, server = accept(listener, (struct sockaddr *)&local, &length));
	INT(accept, accept(file, NULL, NULL));
}

CALL(accept4)
{
	int other = socket(AF_UNIX, SOCK_STREAM, 0);
	struct sockaddr_un address = {AF_UNIX, "socket"};
	connect(other, ADDRESS(address));
	INT(accept4, accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK));
	INT(accept4, accept4(-1, NULL, NULL, 0));
}

CALL(send)
{
	LONG(send, send(client, "some text", 9, MSG_NOSIGNAL));
	LONG(send, send(file, "some text", 9, 0));
}

CALL(sendto)
{
	LONG(sendto, sendto(client, "some text", 9, MSG_DONTWAIT | MSG_NOSIGNAL, NULL, 0));
	int datagrams = socket(AF_INET, SOCK_DGRAM, 0);
	LONG(sendto, sendto(datagrams, "some text", 9, 0, ADDRESS(remote)));
	close(datagrams);
}

CALL(sendmsg)
{
	struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
	LONG(sendmsg, sendmsg(client, &message, 0));
	LONG(sendmsg, sendmsg(-1, &message, 0));
}

CALL(recv)
{
	LONG(recv, recv(server, buffer, 2, MSG_PEEK));
	LONG(recv, __recv_chk(server, buffer, 2, sizeof buffer, 0));
	LONG(recv, recv(pair[0], buffer, 2, MSG_DONTWAIT));
}

CALL(recvfrom)
{
	length = sizeof local;
	LONG(recvfrom, recvfrom(server, buffer, 2, 0, (struct sockaddr *)&local, &length));
	LONG(recvfrom, __recvfrom_chk(server, buffer, 2, sizeof buffer, 0, NULL, NULL));
	LONG(recvfrom, recvfrom(-1, buffer, 2, 0, NULL, NULL));
}

CALL(recvmsg)
{
	struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
	LONG(recvmsg, recvmsg(server, &message, MSG_WAITALL));
	LONG(recvmsg, recvmsg(-1, &message, 0));
}

CALL(shutdown)
{
	INT(shutdown, shutdown(client, SHUT_WR));
	INT(shutdown, shutdown(listener + 1000, SHUT_RDWR));
}

CALL(getsockopt)
{
	int value;
	length = sizeof value;
	INT(getsockopt, getsockopt(client, SOL_SOCKET, SO_TYPE, &value, &length));
	INT(getsockopt, getsockopt(file, SOL_SOCKET, SO_TYPE, &value, &length));
}

CALL(setsockopt)
{
	int value = 1;
	INT(setsockopt, setsockopt(client, SOL_SOCKET, SO_KEEPALIVE, &value, sizeof value));
	INT(setsockopt, setsockopt(client, SOL_SOCKET, SO_KEEPALIVE, &value, 1));
}

static struct timespec moment = {0, 1000};

CALL(poll)
{
	struct pollfd fds = {file, POLLIN, 0};
	INT(poll, poll(&fds, 1, 0));
	INT(poll, __poll_chk(&fds, 1, 0, sizeof fds));
}

CALL(ppoll)
{
	struct pollfd fds = {pair[0], POLLIN, 0};
	INT(ppoll, ppoll(&fds, 1, &moment, NULL));
	INT(ppoll, __ppoll_chk(&fds, 1, &moment, NULL, sizeof fds));
}

CALL(select)
{
	struct timeval none = {0, 0};
	INT(select, select(0, NULL, NULL, NULL, &none));
	INT(select, select(-1, NULL, NULL, NULL, &none));
}

CALL(pselect)
{
	fd_set fds;
	FD_ZERO(&fds);
	FD_SET(file, &fds);
	INT(pselect, pselect(file + 1, &fds, NULL, NULL, &moment, NULL));
}

static int set;
static struct epoll_event ready = {.events = EPOLLOUT};

CALL(epoll_create)
{
	INT(epoll_create, epoll_create(1));
	INT(epoll_create, epoll_create(0));
}

CALL(epoll_create1)
{
	INT(epoll_create1, set = epoll_create1(EPOLL_CLOEXEC));
	INT(epoll_create1, epoll_create1(1));
}

CALL(epoll_ctl)
{
	INT(epoll_ctl, epoll_ctl(set, EPOLL_CTL_ADD, pair[0], &ready));
	INT(epoll_ctl, epoll_ctl(set, EPOLL_CTL_MOD, pair[1], &ready));
}

CALL(epoll_wait)
{
	INT(epoll_wait, epoll_wait(set, &ready, 1, 0));
	INT(epoll_wait, epoll_wait(-1, &ready, 1, 0));
}

CALL(epoll_pwait)
{
	INT(epoll_pwait, epoll_pwait(set, &ready, 1, 0, NULL));
	INT(epoll_pwait, epoll_pwait(set, &ready, 0, 0, NULL));
}

CALL(pipe)
{
	int ends[2];
	INT(pipe, pipe(ends));
}

CALL(pipe2)
{
	int ends[2];
	INT(pipe2, pipe2(ends, O_CLOEXEC | O_NONBLOCK));
	INT(pipe2, pipe2(ends, 1));
}

CALL(sleep)
{
	TELL_ONLY(sleep, "%u", sleep(0));
}

CALL(usleep)
{
	INT(usleep, usleep(1));
}

CALL(nanosleep)
{
	struct timespec bad = {0, -1};
	INT(nanosleep, nanosleep(&moment, NULL));
	INT(nanosleep, nanosleep(&bad, NULL));
}

CALL(clock_nanosleep)
{
	TELL_NUMBER(clock_nanosleep, clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL));
	TELL_NUMBER(clock_nanosleep, clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &moment, NULL));
}

static void woken(int signal)
{
	(void)signal;
}

CALL(pause)
{
	signal(SIGALRM, woken);
	/* Again and again: the first may come before the wait begins. */
	ualarm(1000, 1000);
	INT(pause, pause());
	ualarm(0, 0);
}

CALL(fork)
{
	pid_t child = fork();
	if (child == 0)
		_exit(0);
	INT(fork, child);
	waitpid(child, NULL, 0);
	child = _Fork();
	if (child == 0)
		_exit(0);
	INT(fork, child);
	waitpid(child, NULL, 0);
}

CALL(vfork)
{
	pid_t child = vfork();
	if (child == 0)
		_exit(0);
	INT(vfork, child);
	waitpid(child, NULL, 0);
}

static char *arguments[] = {"program", NULL};

CALL(execve)
{
	pid_t child = fork();
	if (child == 0)
		execve("/bin/true", arguments, environ);
	waitpid(child, NULL, 0);
	INT(execve, execve("missing", arguments, environ));
	INT(execve, execv("missing", arguments));
	INT(execve, execvp("missing-command", arguments));
	INT(execve, execvpe("missing-command", arguments, environ));
	INT(execve, execl("missing", "a", "b", "c", "d", "e", "f", "g", NULL));
	INT(execve, execlp("missing-command", "a", NULL));
	INT(execve, execle("missing", "a", "b", "c", "d", "e", "f", NULL, environ));
}

CALL(fexecve)
{
	pid_t child = fork();
	if (child == 0)
		fexecve(open("/bin/true", O_RDONLY), arguments, environ);
	waitpid(child, NULL, 0);
	INT(fexecve, fexecve(-1, arguments, environ));
}

CALL(posix_spawn)
{
	pid_t child;
	TELL_NUMBER(posix_spawn, posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ));
	waitpid(child, NULL, 0);
	TELL_NUMBER(posix_spawn, posix_spawnp(&child, "true", NULL, NULL, arguments, environ));
	waitpid(child, NULL, 0);
	TELL_NUMBER(posix_spawn, posix_spawn(&child, "missing", NULL, NULL, arguments, environ));
	TELL_NUMBER(posix_spawn, posix_spawnp(&child, "missing-command", NULL, NULL, arguments, environ));
}

CALL(system)
{
	INT(system, system("exit 2"));
}

static FILE *process;

CALL(popen)
{
	POINTER(popen, process = popen("exit 3", "r"));
	POINTER(popen, popen("exit 3", "neither"));
}

CALL(pclose)
{
	INT(pclose, pclose(process));
}

static void child_that_exits(void)
{
	if (fork() == 0)
		_exit(4);
}

CALL(wait)
{
	int status;
	child_that_exits();
	INT(wait, wait(&status));
	INT(wait, wait(&status));
}

CALL(waitpid)
{
	int status;
	child_that_exits();
	INT(waitpid, waitpid(-1, &status, WUNTRACED));
	INT(waitpid, waitpid(-1, NULL, WNOHANG));
}

CALL(wait3)
{
	int status;
	child_that_exits();
	INT(wait3, wait3(&status, 0, NULL));
	INT(wait3, wait3(NULL, 0, NULL));
}

CALL(wait4)
{
	struct rusage usage;
	child_that_exits();
	INT(wait4, wait4(-1, NULL, 0, &usage));
	INT(wait4, wait4(-1, NULL, 0, &usage));
}

CALL(waitid)
{
	siginfo_t information;
	child_that_exits();
	INT(waitid, waitid(P_ALL, 0, &information, WEXITED));
	INT(waitid, waitid(P_ALL, 0, &information, WEXITED));
}

CALL(kill)
{
	INT(kill, kill(getpid(), 0));
	INT(kill, kill(getpid(), SIGALRM));
	INT(kill, kill(getpid(), 1000));
}

CALL(exit)
{
	if (fork() == 0)
		exit(5);
	wait(NULL);
	if (fork() == 0)
		quick_exit(6);
	wait(NULL);
}

CALL(_exit)
{
	if (fork() == 0)
		_exit(7);
	wait(NULL);
	if (fork() == 0)
		_Exit(8);
	wait(NULL);
}

static void *thread(void *nothing)
{
	prctl(PR_SET_NAME, "worker");
	access("by-a-thread", R_OK);
	return nothing;
}

static void (*const CALLS[])(void) = {
	call_open, call_openat, call_creat, call_close, call_write, call_lseek, call_read, call_pread, call_readv,
	call_preadv, call_pwrite, call_writev, call_pwritev, call_sendfile, call_copy_file_range, call_dup,
	call_dup2, call_dup3, call_fcntl, call_ioctl, call_flock, call_fsync, call_truncate, call_ftruncate,
	call_posix_fallocate, call_stat, call_lstat, call_fstat, call_fstatat, call_statx, call_access,
	call_faccessat, call_symlink, call_readlink, call_readlinkat, call_link, call_rename, call_renameat,
	call_unlink, call_unlinkat, call_mkdir, call_mkdirat, call_rmdir, call_chdir, call_chmod, call_fchmod,
	call_chown, call_opendir, call_fdopendir, call_readdir, call_closedir, call_fopen, call_fdopen,
	call_freopen, call_fwrite, call_fputs, call_puts, call_fflush, call_fseek, call_fread, call_fgets,
	call_getline, call_getdelim, call_fclose, call_socket, call_socketpair, call_fdatasync, call_bind,
	call_listen, call_connect, call_accept, call_accept4, call_send, call_sendto, call_sendmsg, call_recv,
	call_recvfrom, call_recvmsg, call_shutdown, call_getsockopt, call_setsockopt, call_poll, call_ppoll,
	call_select, call_pselect, call_epoll_create, call_epoll_create1, call_epoll_ctl, call_epoll_wait,
	call_epoll_pwait, call_pipe, call_pipe2, call_sleep, call_usleep, call_nanosleep, call_clock_nanosleep,
	call_pause, call_fork, call_vfork, call_execve, call_fexecve, call_posix_spawn, call_system, call_popen,
	call_pclose, call_wait, call_waitpid, call_wait3, call_wait4, call_waitid, call_kill, call_exit,
	call__exit,
};

int main(void)
{
	file = open("file", O_RDWR | O_CREAT, 0644);
	for (size_t index = 0; index < sizeof CALLS / sizeof *CALLS; index++) {
		CALLS[index]();
		/* A child must not have what is still to be written. */
		fflush(NULL);
	}
	pthread_t other;
	pthread_create(&other, NULL, thread, NULL);
	pthread_join(other, NULL);
	fwrite(told, 1, told_length, stdout);
	return 9;
}
