/* Calls on signals, time and names of hosts, and the other calls on sockets. */
#define _GNU_SOURCE
#include "calls.h"
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

__sighandler_t __sysv_signal(int, __sighandler_t);
int __sigaction(int, const struct sigaction *, struct sigaction *);
int __gethostname_chk(char *, size_t, size_t);
int gsignal(int);
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static sigset_t set;
static struct timespec none;
static char buffer[4096];

static void handler(int number)
{
}

IN_ORDER(signal)
{
	ADDRESS(signal, signal(SIGUSR1, handler));
	ADDRESS(signal, signal(SIGUSR1, SIG_IGN));
	ADDRESS(signal, ssignal(SIGUSR1, handler));
	ADDRESS(signal, __sysv_signal(SIGUSR2, handler));
	ADDRESS(signal, sysv_signal(SIGUSR2, handler));
	ADDRESS(signal, signal(SIGKILL, handler));
	ADDRESS(signal, signal(77, SIG_IGN));
}

IN_ORDER(sigaction)
{
	struct sigaction action = {.sa_handler = handler}, old;
	INT(sigaction, sigaction(SIGUSR2, &action, &old));
	INT(sigaction, __sigaction(SIGUSR2, NULL, &old));
	INT(sigaction, sigaction(32, (void *)1, NULL));
	INT(sigaction, sigaction(SIGSTOP, &action, NULL));
}

IN_ORDER(sigset)
{
	ADDRESS(sigset, sigset(SIGUSR2, handler));
}

IN_ORDER(sigprocmask)
{
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	INT(sigprocmask, sigprocmask(SIG_BLOCK, &set, NULL));
	INT(sigprocmask, sigprocmask(77, &set, NULL));
}

IN_ORDER(pthread_sigmask)
{
	TELL_NUMBER(pthread_sigmask, pthread_sigmask(SIG_BLOCK, &set, NULL));
	TELL_NUMBER(pthread_sigmask, pthread_sigmask(77, &set, NULL));
}

IN_ORDER(killpg)
{
	INT(killpg, killpg(-5, 0));
}

IN_ORDER(raise)
{
	INT(raise, raise(SIGUSR1));
	INT(raise, gsignal(77));
}

IN_ORDER(tgkill)
{
	INT(tgkill, tgkill(getpid(), gettid(), SIGUSR1));
	INT(tgkill, tgkill(getpid(), -1, SIGUSR1));
}

IN_ORDER(pthread_kill)
{
	TELL_NUMBER(pthread_kill, pthread_kill(pthread_self(), SIGUSR1));
	TELL_NUMBER(pthread_kill, pthread_kill(pthread_self(), 77));
}

IN_ORDER(sigqueue)
{
	union sigval value = {.sival_int = 5};
	INT(sigqueue, sigqueue(getpid(), SIGRTMIN, value));
	INT(sigqueue, sigqueue(getpid(), 77, value));
}

IN_ORDER(pthread_sigqueue)
{
	union sigval value = {.sival_int = 5};
	TELL_NUMBER(pthread_sigqueue, pthread_sigqueue(pthread_self(), SIGRTMIN, value));
	TELL_NUMBER(pthread_sigqueue, pthread_sigqueue(pthread_self(), 77, value));
}

IN_ORDER(sigpending)
{
	sigset_t pending;
	INT(sigpending, sigpending(&pending));
}

IN_ORDER(sigwaitinfo)
{
	siginfo_t info;
	INT(sigwaitinfo, sigwaitinfo(&set, &info));
}

IN_ORDER(sigtimedwait)
{
	siginfo_t info;
	INT(sigtimedwait, sigtimedwait(&set, &info, &none));
	INT(sigtimedwait, sigtimedwait(&set, &info, &none));
}

IN_ORDER(sigwait)
{
	int number;
	raise(SIGRTMIN);
	TELL_NUMBER(sigwait, sigwait(&set, &number));
}

IN_ORDER(sigsuspend)
{
	sigset_t others;
	sigemptyset(&others);
	raise(SIGRTMIN);
	signal(SIGRTMIN, handler);
	INT(sigsuspend, sigsuspend(&others));
}

IN_ORDER(sigaltstack)
{
	stack_t stack;
	INT(sigaltstack, sigaltstack(NULL, &stack));
	stack.ss_flags = 77;
	INT(sigaltstack, sigaltstack(&stack, NULL));
}

IN_ORDER(signalfd)
{
	INT(signalfd, signalfd(-1, &set, SFD_CLOEXEC));
	INT(signalfd, signalfd(0, &set, 0));
}

static struct itimerval interval;

IN_ORDER(alarm)
{
	TELL_ONLY(alarm, "%u", alarm(0));
}

IN_ORDER(ualarm)
{
	TELL_ONLY(ualarm, "%u", ualarm(0, 0));
}

IN_ORDER(getitimer)
{
	INT(getitimer, getitimer(ITIMER_PROF, &interval));
	INT(getitimer, getitimer(77, &interval));
}

IN_ORDER(setitimer)
{
	INT(setitimer, setitimer(ITIMER_REAL, &interval, NULL));
	INT(setitimer, setitimer(77, &interval, NULL));
}

static timer_t timer;
static struct itimerspec setting;

IN_ORDER(timer_create)
{
	INT(timer_create, timer_create(CLOCK_MONOTONIC, NULL, &timer));
	INT(timer_create, timer_create(999, NULL, &timer));
}

IN_ORDER(timer_settime)
{
	INT(timer_settime, timer_settime(timer, 0, &setting, NULL));
}

IN_ORDER(timer_gettime)
{
	INT(timer_gettime, timer_gettime(timer, &setting));
}

IN_ORDER(timer_getoverrun)
{
	INT(timer_getoverrun, timer_getoverrun(timer));
}

IN_ORDER(timer_delete)
{
	INT(timer_delete, timer_delete(timer));
	INT(timer_delete, timer_delete((timer_t)999));
}

static int timerfd;

IN_ORDER(timerfd_create)
{
	INT(timerfd_create, timerfd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK));
	INT(timerfd_create, timerfd_create(999, 0));
}

IN_ORDER(timerfd_settime)
{
	INT(timerfd_settime, timerfd_settime(timerfd, 0, &setting, NULL));
}

IN_ORDER(timerfd_gettime)
{
	INT(timerfd_gettime, timerfd_gettime(-1, &setting));
}

IN_ORDER(clock_settime)
{
	INT(clock_settime, clock_settime(CLOCK_MONOTONIC, &none));
}

IN_ORDER(time)
{
	LONG(time, time(NULL));
}

IN_ORDER(gettimeofday)
{
	struct timeval now;
	INT(gettimeofday, gettimeofday(&now, NULL));
}

IN_ORDER(clock_gettime)
{
	struct timespec now;
	INT(clock_gettime, clock_gettime(CLOCK_REALTIME, &now));
	INT(clock_gettime, clock_gettime(999, &now));
}

IN_ORDER(clock_getres)
{
	INT(clock_getres, clock_getres(CLOCK_REALTIME, NULL));
}

IN_ORDER(clock)
{
	LONG(clock, clock());
}

IN_ORDER(times)
{
	struct tms now;
	LONG(times, times(&now));
}

static int pair[2];
static struct iovec vector = {buffer, 4};
static struct mmsghdr message = {.msg_hdr = {.msg_iov = &vector, .msg_iovlen = 1}};

IN_ORDER(sendmmsg)
{
	socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
	INT(sendmmsg, sendmmsg(pair[0], &message, 1, MSG_DONTWAIT));
	INT(sendmmsg, sendmmsg(-1, &message, 1, 0));
}

IN_ORDER(recvmmsg)
{
	INT(recvmmsg, recvmmsg(pair[1], &message, 1, MSG_DONTWAIT, NULL));
	INT(recvmmsg, recvmmsg(pair[1], &message, 1, MSG_DONTWAIT, NULL));
}

static struct sockaddr_storage address;
static socklen_t length = sizeof address;

IN_ORDER(getsockname)
{
	INT(getsockname, getsockname(pair[0], (struct sockaddr *)&address, &length));
	INT(getsockname, getsockname(-1, (struct sockaddr *)&address, &length));
}

IN_ORDER(getpeername)
{
	length = sizeof address;
	INT(getpeername, getpeername(pair[0], (struct sockaddr *)&address, &length));
}

static struct addrinfo *addresses;

IN_ORDER(getaddrinfo)
{
	struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
	TELL_ONLY(getaddrinfo, "%d", getaddrinfo("127.0.0.1", "80", &hints, &addresses));
	struct addrinfo *other;
	TELL_ONLY(getaddrinfo, "%d", getaddrinfo("no address", NULL, &hints, &other));
}

IN_ORDER(getnameinfo)
{
	TELL_ONLY(getnameinfo, "%d",
		  getnameinfo(addresses->ai_addr, addresses->ai_addrlen, buffer, 100, buffer + 100, 100,
			      NI_NUMERICHOST | NI_NUMERICSERV));
	tell("# %s %s\n", buffer, buffer + 100);
}

IN_ORDER(freeaddrinfo)
{
	freeaddrinfo(addresses);
}

IN_ORDER(gethostbyname)
{
	TELL_ONLY(gethostbyname, "%p", (void *)gethostbyname("127.0.0.1"));
}

IN_ORDER(gethostbyname2)
{
	TELL_ONLY(gethostbyname2, "%p", (void *)gethostbyname2("127.0.0.1", AF_INET));
}

IN_ORDER(gethostbyname_r)
{
	static struct hostent entry, *result;
	int error;
	TELL_NUMBER(gethostbyname_r, gethostbyname_r("127.0.0.1", &entry, buffer, sizeof buffer, &result, &error));
	TELL_NUMBER(gethostbyname_r, gethostbyname_r("127.0.0.1", &entry, buffer, 1, &result, &error));
}

IN_ORDER(gethostbyaddr)
{
	struct in_addr own = {htonl(INADDR_LOOPBACK)};
	TELL_ONLY(gethostbyaddr, "%p", (void *)gethostbyaddr(&own, sizeof own, AF_INET));
}

IN_ORDER(gethostname)
{
	INT(gethostname, gethostname(buffer, sizeof buffer));
	INT(gethostname, __gethostname_chk(buffer, 100, sizeof buffer));
}

IN_ORDER(getifaddrs)
{
	struct ifaddrs *interfaces;
	INT(getifaddrs, getifaddrs(&interfaces));
}

MAIN
