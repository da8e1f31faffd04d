/* Waits for descriptors, and prints how the events of these calls end, in order. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#define NEED(condition) \
	do { \
		if (!(condition)) { \
			perror(#condition); \
			return 1; \
		} \
	} while (0)

/* A connection that is refused later. */
static int refused(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(address);
	int unused = socket(AF_INET, SOCK_STREAM, 0);
	int own = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	if (bind(unused, (struct sockaddr *)&address, len) || getsockname(unused, (struct sockaddr *)&address, &len))
		return -1;
	if (connect(own, (struct sockaddr *)&address, len) == 0)
		return -1;
	return own;
}

int main(void)
{
	int pair[2], error = -1, connecting = refused();
	NEED(pipe(pair) == 0 && connecting > 0);
	struct timeval now = { 0, 0 };
	struct timespec at_once = { 0, 0 };
	char byte;

	struct pollfd fds[40] = { { pair[0], POLLIN, 0 }, { connecting, POLLOUT, 0 } };
	NEED(poll(fds, 2, 10000) == 1);
	printf("poll_exit: ret=1 error=0 fds=\"%d:POLLOUT|POLLERR|POLLHUP\"\n", connecting);
	socklen_t len = sizeof(error);
	NEED(getsockopt(connecting, SOL_SOCKET, SO_ERROR, &error, &len) == 0);
	printf("getsockopt_exit: ret=0 error=0 optval=111\n");
	NEED(getsockopt(connecting, SOL_SOCKET, SO_ERROR, &error, &len) == 0);
	printf("getsockopt_exit: ret=0 error=0 optval=0\n");
	NEED(getsockopt(pair[0], SOL_SOCKET, SO_ERROR, &error, &len) == -1);
	printf("getsockopt_exit: ret=-1 error=ENOTSOCK optval=0\n");

	NEED(poll(fds, 1, 0) == 0);
	printf("poll_exit: ret=0 error=0 fds=\"\"\n");
	fds[1].fd = pair[1];
	NEED(write(pair[1], "x", 1) == 1);
	NEED(ppoll(fds, 2, &at_once, NULL) == 2);
	printf("ppoll_exit: ret=2 error=0 fds=\"%d:POLLIN, %d:POLLOUT\"\n", pair[0], pair[1]);
	for (int i = 0; i < 40; i++)
		fds[i] = (struct pollfd){ pair[0], POLLIN, 0 };
	NEED(poll(fds, 40, 0) == 40);
	printf("poll_exit: ret=40 error=0 fds=\"");
	/* As many as 120 bytes have space for, and three of them for what is left out. */
	char text[200];
	int used = 0;
	for (;;) {
		char next[32];
		int more = sprintf(next, "%s%d:POLLIN", used ? ", " : "", pair[0]);
		if (used + more + 3 > 120)
			break;
		used += sprintf(text + used, "%s", next);
	}
	printf("%s...\"\n", text);

	fd_set reading, writing;
	FD_ZERO(&reading);
	FD_ZERO(&writing);
	FD_SET(pair[0], &reading);
	FD_SET(pair[1], &writing);
	FD_SET(1, &writing);
	NEED(select(pair[1] + 1, &reading, &writing, NULL, &now) == 3);
	printf("select_exit: ret=3 error=0 readfds=\"%d\" writefds=\"1, %d\" exceptfds=\"\"\n", pair[0], pair[1]);
	NEED(read(pair[0], &byte, 1) == 1);
	NEED(pselect(pair[1] + 1, &reading, NULL, NULL, &at_once, NULL) == 0);
	printf("pselect_exit: ret=0 error=0 readfds=\"\" writefds=\"\" exceptfds=\"\"\n");

	int epoll = epoll_create1(0);
	struct epoll_event wanted = { EPOLLOUT, { .u64 = pair[1] } }, found[2];
	NEED(epoll_ctl(epoll, EPOLL_CTL_ADD, pair[1], &wanted) == 0);
	NEED(epoll_wait(epoll, found, 2, 0) == 1);
	printf("epoll_wait_exit: ret=1 error=0 events=\"%d:EPOLLOUT\"\n", pair[1]);
	wanted = (struct epoll_event){ EPOLLIN, { .u64 = 0x123456789abcULL } };
	NEED(epoll_ctl(epoll, EPOLL_CTL_ADD, pair[0], &wanted) == 0);
	close(pair[1]);
	NEED(epoll_pwait(epoll, found, 2, 0, NULL) == 1);
	printf("epoll_pwait_exit: ret=1 error=0 events=\"0x123456789abc:EPOLLHUP\"\n");
	NEED(epoll_wait(epoll, found, 0, 0) == -1);
	printf("epoll_wait_exit: ret=-1 error=EINVAL events=\"\"\n");
	return 0;
}
