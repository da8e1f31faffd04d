/* The other names of wrapped calls, and looking wrapped names up. */
#include "law.h"
#include <dirent.h>
#include <dlfcn.h>
#include <poll.h>
#include <sys/socket.h>

/* Names that headers no longer have. */
int __xstat(int, const char *, struct stat *);
int __lxstat(int, const char *, struct stat *);
int __fxstat(int, int, struct stat *);
int __fxstatat(int, int, const char *, struct stat *, int);
int __open_2(const char *, int);
int __open64_2(const char *, int);
int __openat_2(int, const char *, int);
ssize_t __read_chk(int, void *, size_t, size_t);
ssize_t __pread_chk(int, void *, size_t, off_t, size_t);
ssize_t __recv_chk(int, void *, size_t, size_t, int);
ssize_t __recvfrom_chk(int, void *, size_t, size_t, int, void *, void *);
ssize_t __readlink_chk(const char *, char *, size_t, size_t);
int __poll_chk(struct pollfd *, nfds_t, int, size_t);
char *__fgets_chk(char *, size_t, int, FILE *);
size_t __fread_chk(void *, size_t, size_t, size_t, FILE *);
__asm__(".symver __xstat, __xstat@GLIBC_2.2.5");
__asm__(".symver __lxstat, __lxstat@GLIBC_2.2.5");
__asm__(".symver __fxstat, __fxstat@GLIBC_2.2.5");
__asm__(".symver __fxstatat, __fxstatat@GLIBC_2.4");

static void by_other_names(void)
{
	char bytes[16] = "";
	struct stat found;
	struct sockaddr_storage address;
	socklen_t size = sizeof(address);
	int fd, pair[2];
	CHECK(__xstat(1, "/proc", &found) == 0 && S_ISDIR(found.st_mode));
	CHECK(__lxstat(1, "/proc", &found) == 0 && S_ISDIR(found.st_mode));
	CHECK(__fxstatat(1, AT_FDCWD, "/proc", &found, 0) == 0 && S_ISDIR(found.st_mode));
	CHECK((fd = __open_2("/proc/self/comm", O_RDONLY)) >= 0);
	CHECK(__fxstat(1, fd, &found) == 0 && S_ISREG(found.st_mode));
	CHECK(__read_chk(fd, bytes, 2, 16) == 2);
	CHECK(close(fd) == 0);
	CHECK((fd = __open64_2("/dev/zero", O_RDONLY)) >= 0);
	CHECK(__pread_chk(fd, bytes, 16, 5, 16) == 16);
	CHECK(close(fd) == 0);
	CHECK((fd = __openat_2(AT_FDCWD, "/dev/null", O_RDONLY)) >= 0);
	CHECK(close(fd) == 0);
	CHECK((fd = open64("/dev/null", O_RDONLY)) >= 0);
	CHECK(lseek64(fd, 0, SEEK_CUR) == 0);
	CHECK(close(fd) == 0);
	CHECK(__readlink_chk("/proc/self/exe", bytes, 4, 16) == 4);
	NEED(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	CHECK(send(pair[0], "abcdefgh", 8, 0) == 8);
	CHECK(__recv_chk(pair[1], bytes, 3, 16, MSG_PEEK) == 3 && !memcmp(bytes, "abc", 3));
	CHECK(__recvfrom_chk(pair[1], bytes, 8, 16, 0, &address, &size) == 8 && !memcmp(bytes, "abcdefgh", 8));
	struct pollfd polled = { pair[0], POLLOUT, 0 };
	CHECK(__poll_chk(&polled, 1, 0, sizeof(polled)) == 1);
	FILE *stream = fopen64("/proc/self/status", "r");
	CHECK(__fgets_chk(bytes, 16, 6, stream) && !strcmp(bytes, "Name:"));
	CHECK(__fread_chk(bytes, 16, 1, 4, stream) == 4);
	/* The compiler has a version of its own. */
	size_t (*volatile unlocked)(void *, size_t, size_t, FILE *) = fread_unlocked;
	CHECK(unlocked(bytes, 1, 4, stream) == 4);
	CHECK(fclose(stream) == 0);
	CHECK(creat64("/nowhere/x", 0) == -1 && errno == ENOENT);
}

/* What a check finds is still found: the wrapper checks nothing, but libc does. */
static void overflows(void)
{
	pid_t child = fork();
	if (child == 0) {
		char bytes[8];
		int null = open("/dev/null", O_RDWR);
		dup2(null, 2);
		__read_chk(null, bytes, 9, 8);
		_exit(1);
	}
	int status;
	CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void looked_up(void)
{
	int (*by_default)(const char *, int) = dlsym(RTLD_DEFAULT, "access");
	int (*next)(const char *, int) = dlsym(RTLD_NEXT, "access");
	int (*versioned)(const char *, int) = dlvsym(RTLD_DEFAULT, "access", "GLIBC_2.2.5");
	void *libc = dlopen("libc.so.6", RTLD_NOLOAD | RTLD_NOW);
	int (*of_libc)(const char *, int) = dlsym(libc, "access");
	CHECK(by_default && next && versioned && of_libc);
	CHECK(by_default("/by-default", F_OK) == -1 && errno == ENOENT);
	CHECK(next("/next", F_OK) == -1 && errno == ENOENT);
	CHECK(versioned("/versioned", F_OK) == -1 && errno == ENOENT);
	CHECK(of_libc("/of-libc", F_OK) == -1 && errno == ENOENT);
	CHECK(dlsym(RTLD_DEFAULT, "no_such_call") == NULL);
	Dl_info info;
	CHECK(dladdr((void *)printf, &info) && strstr(info.dli_fname, "libc.so"));
}

typedef int (*Call)(const char *);

static void opened(const char *path)
{
	for (int i = 0; i < 3; i++) {
		void *library = dlopen(path, RTLD_NOW | (i == 2 ? RTLD_DEEPBIND : 0));
		NEED(library);
		Call call = dlsym(library, "in_library");
		char name[32];
		snprintf(name, sizeof(name), "/library-%d", i);
		CHECK(call && call(name) == -1 && errno == ENOENT);
		call = dlsym(library, "stat_in_library");
		CHECK(call && call(name) == -1 && errno == ENOENT);
		CHECK(dlclose(library) == 0);
	}
	/* Another place is used again by what is mapped next. */
	void *library = dlopen(path, RTLD_NOW);
	CHECK(((Call)dlsym(library, "in_library"))("/library-last") == -1);
}

/* A child of a process whose other threads load and unload: whatever locks they hold, it comes to its end. */
static volatile int stop;
static const char *loaded;

static void *loading(void *argument)
{
	while (!stop)
		dlclose(dlopen(loaded, RTLD_NOW));
	return NULL;
}

static void among_loaders(const char *path)
{
	pthread_t threads[2];
	char *words[] = { "true", NULL };
	loaded = path;
	for (int i = 0; i < 2; i++)
		NEED(pthread_create(&threads[i], NULL, loading, NULL) == 0);
	for (int i = 0; i < 300; i++) {
		pid_t child = i % 4 == 0 ? vfork() : i % 4 == 1 ? _Fork() : i % 4 == 2 ? syscall(SYS_fork) : fork();
		if (child == 0) {
			if (i % 3 == 0)
				execv("/bin/true", words);
			_exit(i % 3 ? 5 : 1);
		}
		CHECK(reap(child) == (i % 3 ? 5 : 0));
	}
	stop = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	if (argc > 2)
		among_loaders(argv[1]);
	else if (argc > 1)
		opened(argv[1]);
	else {
		by_other_names();
		overflows();
		looked_up();
	}
	return done();
}
