/* Calls from everywhere. Each is followed by something, so that it is no jump. */
#include "law.h"

#define CALL(path) \
	do { \
		access(path, F_OK); \
		__asm__ volatile(""); \
	} while (0)

__attribute__((noinline)) static void in_static(void)
{
	CALL("/from-static");
}

static void *in_thread(void *argument)
{
	CALL("/from-thread");
	return argument;
}

static void in_handler(int signal)
{
	CALL("/from-handler");
}

__attribute__((constructor)) static void in_constructor(void)
{
	CALL("/from-constructor");
}

__attribute__((noinline)) static void by_pointer(int (*volatile call)(const char *, int))
{
	call("/from-pointer", F_OK);
	__asm__ volatile("");
}

__attribute__((noinline)) static void in_child(void)
{
	CALL("/from-child");
	_exit(0);
}

int main(void)
{
	pthread_t thread;
	CALL("/from-main");
	in_static();
	NEED(pthread_create(&thread, NULL, in_thread, NULL) == 0);
	pthread_join(thread, NULL);
	handle(SIGUSR1, in_handler, 0);
	raise(SIGUSR1);
	by_pointer(access);
	pid_t child = fork();
	if (child == 0)
		in_child();
	CHECK(reap(child) == 0);
	return done();
}
