/* Calls that the compiler checks: they go by other names. */
#include "law.h"
#include <poll.h>
#include <sys/socket.h>

static volatile size_t eight = 8, one = 1;

int main(int argc, char **argv)
{
	char bytes[16], path[64];
	int ends[2], pair[2], flags = O_RDONLY + argc - 1;
	NEED(pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	CHECK(write(ends[1], "01234567", 8) == 8);
	CHECK(read(ends[0], bytes, eight) == 8 && !memcmp(bytes, "01234567", 8));
	CHECK(send(pair[0], "01234567", 8, 0) == 8);
	CHECK(recv(pair[1], bytes, eight, MSG_PEEK) == 8);
	CHECK(recvfrom(pair[1], bytes, eight, 0, NULL, NULL) == 8);
	struct pollfd polled[2] = { { ends[1], POLLOUT, 0 }, { ends[0], POLLIN, 0 } };
	CHECK(poll(polled, one + 1, 0) == 1);
	CHECK(readlink("/proc/self/exe", path, eight * 8) > 0);
	CHECK(readlinkat(AT_FDCWD, "/proc/self/exe", path, eight * 8) > 0);
	int fd = open("/proc/self/comm", flags);
	CHECK(fd >= 0 && pread(fd, bytes, eight / 2, 1) == 4);
	FILE *stream = fdopen(fd, "r");
	CHECK(fgets(bytes, (int)eight, stream));
	rewind(stream);
	CHECK(fread(bytes, one, eight, stream) == 8);
	CHECK(fclose(stream) == 0);
	return done();
}
