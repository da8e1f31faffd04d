/* What the ABI promises about registers and the stack, and no more than it promises about either. */
#include "law.h"
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <stdarg.h>
#include <pty.h>

/* Calls close(-1) with known values in all registers that a function has to preserve. */
static int preserves_registers(void)
{
	long wrong;
	__asm__ volatile("push %%rbp\n push %%rbx\n push %%r12\n push %%r13\n push %%r14\n push %%r15\n"
			 "mov $0x1111, %%ebx\n mov $0x2222, %%ebp\n mov $0x3333, %%r12d\n"
			 "mov $0x4444, %%r13d\n mov $0x5555, %%r14d\n"
			 "mov %%rsp, %%r15\n and $-16, %%rsp\n"
			 "mov $-1, %%edi\n call close@plt\n"
			 "lea 0(%%r15), %%rsp\n"
			 "xor $0x1111, %%rbx\n xor $0x2222, %%rbp\n xor $0x3333, %%r12\n"
			 "xor $0x4444, %%r13\n xor $0x5555, %%r14\n"
			 "or %%rbp, %%rbx\n or %%r12, %%rbx\n or %%r13, %%rbx\n or %%r14, %%rbx\n"
			 "mov %%rbx, %%rax\n"
			 "pop %%r15\n pop %%r14\n pop %%r13\n pop %%r12\n pop %%rbx\n pop %%rbp\n"
			 : "=a"(wrong)
			 :
			 : "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
	return wrong == 0;
}

static void *const volatile pointer = (void *)0x123456789abcdef0;

static void variadic(void)
{
	int ends[2], ready = 0;
	struct flock lock = { .l_type = F_WRLCK };
	char name[64];
	NEED(pipe(ends) == 0);
	CHECK(write(ends[1], "abc", 3) == 3);
	CHECK(ioctl(ends[0], FIONREAD, &ready) == 0 && ready == 3);
	CHECK(fcntl(ends[0], F_DUPFD, 200) == 200);
	CHECK(fcntl(ends[0], F_SETPIPE_SZ, 8192) == 8192 && fcntl(ends[0], F_GETPIPE_SZ) == 8192);
	snprintf(name, sizeof(name), "/tmp/law-registers-%d", getpid());
	umask(0);
	for (int mode = 0; mode <= 0777; mode += 0111) {
		struct stat found;
		int fd = open(name, O_CREAT | O_RDWR | O_EXCL, 0600 | mode);
		CHECK(fd >= 0 && fstat(fd, &found) == 0 && (found.st_mode & 0777) == (0600 | mode));
		CHECK(fcntl(fd, F_SETLK, &lock) == 0);
		CHECK(close(fd) == 0 && unlink(name) == 0);
	}
	int fd = open("/tmp", O_TMPFILE | O_RDWR, 0640);
	struct stat found;
	CHECK(fd < 0 || (fstat(fd, &found) == 0 && (found.st_mode & 0777) == 0640));
	/* Six arguments, and more than six. */
	loff_t from = 1, to = 0;
	fd = open("/proc/self/cmdline", O_RDONLY);
	CHECK(copy_file_range(-1, &from, -2, &to, 7, 0) == -1 && errno == EBADF);
	CHECK(syscall(SYS_mmap, NULL, 4096L, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1L, 0L) > 0);
}

/* The floating-point state survives calls between which it is only kept in memory by the ABI's rules; what is
 * in a signal frame or in the upper halves is nobody's but the program's. */
static double floating(void)
{
	volatile double sum = 0;
	for (int i = 1; i < 1000; i++) {
		double value = 1.0 / i;
		access("/nowhere", F_OK);
		sum += value * value;
	}
	return sum;
}

static void in_long_double(void)
{
	volatile long double value = 1.0L / 3;
	long double before = value * 3;
	access("/nowhere", F_OK);
	CHECK(before == value * 3);
	unsigned short tags = 0;
	struct {
		unsigned short words[14];
	} state;
	__asm__ volatile("fnstenv %0" : "=m"(state));
	tags = state.words[4];
	CHECK(tags == 0xffff);
}

/* A stack that ends right after the return address: an ABI promises nothing above. The call is the last
 * thing that a coroutine does, so it is jumped to. */
static char *edge;

static long on_edge(void *function, long first, long second, long third)
{
	long result;
	__asm__ volatile("mov %%rsp, %%rbx\n"
			 "mov %[edge], %%rsp\n"
			 "call *%[function]\n"
			 "mov %%rbx, %%rsp\n"
			 : "=a"(result)
			 : [edge] "r"(edge), [function] "r"(function), "D"(first), "S"(second), "d"(third)
			 : "rbx", "rcx", "r8", "r9", "r10", "r11", "memory", "cc");
	return result;
}

static void at_the_edge(void)
{
	char *stack = mmap(NULL, 128 << 10, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	NEED(stack != MAP_FAILED && mprotect(stack, 64 << 10, PROT_READ | PROT_WRITE) == 0);
	edge = stack + (64 << 10);
	CHECK((int)on_edge(access, (long)"/nowhere", F_OK, 0) == -1 && errno == ENOENT);
	CHECK((int)on_edge(close, -1, 0, 0) == -1 && errno == EBADF);
	CHECK(on_edge(read, -1, 0, 0) == -1 && errno == EBADF);
	CHECK((int)on_edge(fcntl, -1, F_GETFD, 0) == -1 && errno == EBADF);
	CHECK((int)on_edge(open, (long)"/nowhere", O_RDONLY, 0) == -1 && errno == ENOENT);
	CHECK((int)on_edge(waitpid, -1, 0, 0) == -1 && errno == ECHILD);
	char *nothing[] = { NULL };
	CHECK((int)on_edge(execve, (long)"/nowhere", (long)nothing, (long)nothing) == -1 && errno == ENOENT);
	int child = (int)on_edge(fork, 0, 0, 0);
	if (child == 0)
		_exit(7);
	CHECK(reap(child) == 7);
}

/* A peer's address is cut off at what the program has space for, although its length is told. */
static void short_addresses(void)
{
	char *page = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	NEED(page != MAP_FAILED && mprotect(page, 4096, PROT_READ | PROT_WRITE) == 0);
	struct sockaddr_un name = { AF_UNIX, "\0law of short addresses, with a name that is long enough" };
	int receiver = socket(AF_UNIX, SOCK_DGRAM, 0), sender = socket(AF_UNIX, SOCK_DGRAM, 0);
	snprintf(name.sun_path + 30, 30, "%d", getpid());
	CHECK(bind(sender, (void *)&name, sizeof(name)) == 0);
	name.sun_path[1] = 'L';
	CHECK(bind(receiver, (void *)&name, sizeof(name)) == 0);
	char byte = 'x';
	for (socklen_t space = 1; space < 8; space++) {
		socklen_t size = space;
		CHECK(sendto(sender, &byte, 1, 0, (void *)&name, sizeof(name)) == 1);
		CHECK(recvfrom(receiver, &byte, 1, 0, (void *)(page + 4096 - space), &size) == 1);
		CHECK(size == sizeof(name));
	}
}

int main(int argc, char **argv)
{
	CHECK(preserves_registers());
	variadic();
	printf("%.17g\n", floating());
	in_long_double();
	if (argc > 1 && !strcmp(argv[1], "edge"))
		at_the_edge();
	if (argc > 1 && !strcmp(argv[1], "short"))
		short_addresses();
	return done();
}
