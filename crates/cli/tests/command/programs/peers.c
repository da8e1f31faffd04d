/* Talks through sockets, and prints how its calls on them are to be shown, in their order. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static struct sockaddr_in local(int port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port) };

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return address;
}

static int port_of(int fd)
{
	struct sockaddr_storage address;
	socklen_t len = sizeof(address);

	getsockname(fd, (void *)&address, &len);
	return ntohs(((struct sockaddr_in *)&address)->sin_port);
}

/* What is sent through `fd` is shown with the peer at `port`, or without one. */
static void say(int fd, int port)
{
	dprintf(1, "write(fd=%d", fd);
	if (port)
		dprintf(1, "<127.0.0.1:%d>", port);
	dprintf(1, ", \n");
	write(fd, "x", 1);
}

static void refused(int port)
{
	struct sockaddr_in address = local(port);
	int error, fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	socklen_t len = sizeof(error);
	struct pollfd polled = { .fd = fd, .events = POLLOUT };

	connect(fd, (void *)&address, sizeof(address));
	poll(&polled, 1, 1000);
	dprintf(1, "getsockopt(sockfd=%d<127.0.0.1:%d>, \n", fd, port);
	getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len);
	dprintf(1, "shutdown(sockfd=%d, \n", fd);
	shutdown(fd, SHUT_RDWR);
	close(fd);
}

int main(void)
{
	struct sockaddr_in address = local(0);
	struct sockaddr_in6 mapped = { .sin6_family = AF_INET6 };
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	int client, server, copy, file, port, unused;

	bind(listener, (void *)&address, sizeof(address));
	listen(listener, 5);
	port = port_of(listener);

	/* An IPv4 address in the clothes of IPv6. */
	client = socket(AF_INET6, SOCK_STREAM, 0);
	inet_pton(AF_INET6, "::ffff:127.0.0.1", &mapped.sin6_addr);
	mapped.sin6_port = htons(port);
	connect(client, (void *)&mapped, sizeof(mapped));
	server = accept(listener, (void *)&address, &(socklen_t){ sizeof(address) });
	say(client, port);
	say(server, port_of(client));

	copy = dup(server);
	dprintf(1, "close(fd=%d<127.0.0.1:%d>)\n", server, port_of(client));
	close(server);
	file = open("/dev/null", O_WRONLY);
	dprintf(1, "write(fd=%d</dev/null>, \n", file);
	write(file, "x", 1);
	say(copy, port_of(client));
	dup2(copy, file);
	say(file, port_of(client));
	dup2(listener, file);
	dprintf(1, "shutdown(sockfd=%d, \n", file);
	shutdown(file, SHUT_RD);

	/* As a server does that forks. */
	if (fork() == 0) {
		usleep(30000);
		say(copy, port_of(client));
		execl("/bin/sh", "sh", "-c", "exit 0", NULL);
	}
	close(copy);
	wait(&unused);
	close(listener);
	refused(port);
	return 0;
}
