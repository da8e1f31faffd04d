/*
 * Asks a file of ktrace/buffers, which has records, for what it can and can't do, and says what came of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/types.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define KTRACE_BUF_GET_SIZE     _IOR(0xF5, 0x00, __u32)
#define KTRACE_BUF_GET_PRODUCED _IOR(0xF5, 0x01, __u32)
#define KTRACE_BUF_GET_CONSUMED _IOR(0xF5, 0x02, __u32)
#define KTRACE_BUF_PUT_PRODUCED _IOW(0xF5, 0x03, __u32)
#define KTRACE_BUF_PUT_CONSUMED _IOW(0xF5, 0x04, __u32)

static void say(const char *what, long result)
{
	printf("%s %s\n", what, result < 0 ? strerrorname_np(errno) : "done");
}

int main(int count, char **arguments)
{
	__u32 size = 0, produced = 0, consumed = 0, position;
	struct pollfd ready = {.events = POLLIN};
	int file = ready.fd = open(arguments[count - 1], O_RDONLY);

	say("poll", poll(&ready, 1, 10000) == 1 && ready.revents & POLLIN ? 0 : -1);
	say("GET_SIZE", ioctl(file, KTRACE_BUF_GET_SIZE, &size));
	say("GET_PRODUCED", ioctl(file, KTRACE_BUF_GET_PRODUCED, &produced));
	say("GET_CONSUMED", ioctl(file, KTRACE_BUF_GET_CONSUMED, &consumed));
	say("within", size >= 4096 && produced - consumed > 10 && produced - consumed <= size ? 0 : -1);
	say("PUT_PRODUCED", ioctl(file, KTRACE_BUF_PUT_PRODUCED, &produced));
	say("of 64 bits", ioctl(file, _IOR(0xF5, 0x00, __u64), &(__u64){0}));
	say("no request", ioctl(file, _IO(0xF5, 0x05)));
	say("no address", ioctl(file, KTRACE_BUF_GET_SIZE, 0));
	position = produced + 1;
	say("beyond", ioctl(file, KTRACE_BUF_PUT_CONSUMED, &position));
	position = consumed - 1;
	say("too early", ioctl(file, KTRACE_BUF_PUT_CONSUMED, &position));
	position = consumed + 1;
	say("in a record", ioctl(file, KTRACE_BUF_PUT_CONSUMED, &position));
	say("nothing", ioctl(file, KTRACE_BUF_PUT_CONSUMED, &consumed));
	say("mmap", mmap(0, 4096, PROT_READ, MAP_SHARED, file, 0) == MAP_FAILED ? -1 : 0);
	say("another", open(arguments[count - 1], O_RDONLY));
	say("PUT_CONSUMED", ioctl(file, KTRACE_BUF_PUT_CONSUMED, &produced));
	say("poll", (errno = ETIME, poll(&ready, 1, 0)) ? 0 : -1);
	return 0;
}
