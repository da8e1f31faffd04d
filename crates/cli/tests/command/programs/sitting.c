/*
 * Sits in a call of the kernel until its limit of time is over, or a signal comes, and prints what that
 * returns: KIND, result, errno, milliseconds, handlers that have run.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MILLISECONDS 10000

static volatile int handled;
static void handler(int signal) { handled++; }

__attribute__((noinline)) int leaf(int x) { __asm__ volatile(""); return x + 1; }
__attribute__((noinline)) int other(int x) { __asm__ volatile(""); return x + 2; }

static long now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static int pipe_end(int which)
{
	int ends[2];
	return pipe(ends) ? -1 : ends[which];
}

static int socket_with(int option)
{
	int ends[2];
	struct timeval limit = { MILLISECONDS / 1000, 0 };
	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	if (option)
		setsockopt(ends[0], SOL_SOCKET, option, &limit, sizeof limit);
	return ends[0];
}

static int locked_file(const char *name)
{
	int file = open(name, O_RDWR | O_CREAT, 0600);
	struct flock lock = { .l_type = F_WRLCK };
	flock(file, LOCK_EX);
	fcntl(file, F_OFD_SETLK, &lock);
	return open(name, O_RDWR);
}

static int child(void)
{
	if (!fork()) {
		signal(SIGUSR1, SIG_DFL);
		while (getppid() != 1)
			usleep(10000);
		_exit(0);
	}
	return 0;
}

static long sit(const char *kind)
{
	static char bytes[1 << 20];
	static int word;
	struct timespec limit = { MILLISECONDS / 1000, 0 }, at;
	struct timeval tv = { MILLISECONDS / 1000, 0 };
	struct epoll_event event;
	struct io_event done;
	struct sembuf down = { 0, -1, 0 };
	struct flock lock = { .l_type = F_WRLCK };
	aio_context_t context = 0;
	sigset_t set;
	clock_gettime(CLOCK_MONOTONIC, &at);
	at.tv_sec += MILLISECONDS / 1000;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, 0);
	int poller = epoll_create1(0);
	int semaphore = semget(IPC_PRIVATE, 1, 0600);
	int queue = msgget(IPC_PRIVATE, 0600);
	syscall(SYS_io_setup, 1, &context);
	puts("ready");
	fflush(stdout);
#define KIND(name, call) if (!strcmp(kind, name)) { \
		long result = (call); int error = errno; \
		semctl(semaphore, 0, IPC_RMID); msgctl(queue, IPC_RMID, 0); errno = error; return result; }
	/* With a limit of time. */
	KIND("nanosleep", nanosleep(&limit, 0));
	KIND("clock_nanosleep", clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, 0));
	KIND("poll", poll(0, 0, MILLISECONDS));
	KIND("ppoll", ppoll(0, 0, &limit, 0));
	KIND("select", select(0, 0, 0, 0, &tv));
	KIND("pselect", pselect(0, 0, 0, 0, &limit, 0));
	KIND("epoll_wait", epoll_wait(poller, &event, 1, MILLISECONDS));
	KIND("epoll_pwait2", syscall(441, poller, &event, 1, &limit, 0, 8));
	KIND("futex", syscall(SYS_futex, &word, FUTEX_WAIT, 0, &limit, 0, 0));
	KIND("sigtimedwait", sigtimedwait(&set, 0, &limit));
	KIND("semtimedop", semtimedop(semaphore, &down, 1, &limit));
	KIND("io_getevents", syscall(SYS_io_getevents, context, 1, 1, &done, &limit));
	KIND("recv_limited", recv(socket_with(SO_RCVTIMEO), bytes, 1, 0));
	/* Without. */
	KIND("read", read(pipe_end(0), bytes, 1));
	KIND("eventfd", read(eventfd(0, 0), bytes, 8));
	KIND("timerfd", read(timerfd_create(CLOCK_MONOTONIC, 0), bytes, 8));
	KIND("recv", recv(socket_with(0), bytes, 1, 0));
	KIND("recvmsg", recvmsg(socket_with(0), &(struct msghdr){ 0 }, 0));
	KIND("accept", ({ int s = socket(AF_INET, SOCK_STREAM, 0); listen(s, 1); accept(s, 0, 0); }));
	KIND("epoll_wait_forever", epoll_wait(poller, &event, 1, -1));
	KIND("futex_forever", syscall(SYS_futex, &word, FUTEX_WAIT, 0, 0, 0, 0));
	KIND("sigwaitinfo", sigwaitinfo(&set, 0));
	KIND("sigsuspend", sigsuspend(&set));
	KIND("pause", pause());
	KIND("msgrcv", msgrcv(queue, bytes, 8, 0, 0));
	KIND("semop", semop(semaphore, &down, 1));
	KIND("wait", child() + wait(0));
	KIND("waitid", child() + waitid(P_ALL, 0, 0, WEXITED));
	KIND("flock", flock(locked_file("flock"), LOCK_EX));
	KIND("fcntl", fcntl(locked_file("fcntl"), F_OFD_SETLKW, &lock));
	KIND("io_getevents_forever", syscall(SYS_io_getevents, context, 1, 1, &done, 0));
	/* Would end with a part of its work done. */
	KIND("write", write(pipe_end(1), bytes, sizeof bytes));
	KIND("send", send(socket_with(0), bytes, sizeof bytes, 0));
	KIND("open", ({ mkfifo("fifo", 0600); open("fifo", O_RDONLY); }));
	return -2;
}

int main(int count, char **words)
{
	struct sigaction action = { .sa_handler = handler };
	sigaction(SIGUSR1, &action, 0);
	long start = now();
	errno = 0;
	long result = sit(words[1]);
	int error = result < 0 ? errno : 0;
	long end = now();
	leaf(1);
	other(1);
	printf("%s %ld %d %ld %d\n", words[1], result, error, end - start, handled);
	return 0;
}
