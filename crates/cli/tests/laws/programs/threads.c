/* Threads: starting, ending in every way, cancelled in calls. */
#include "law.h"
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <threads.h>

static void name_myself(void)
{
	char path[64];
	snprintf(path, sizeof(path), "/tid-%ld", syscall(SYS_gettid));
	access(path, F_OK);
}

static pthread_t start(void *(*routine)(void *), void *argument)
{
	pthread_t thread;
	NEED(pthread_create(&thread, NULL, routine, argument) == 0);
	return thread;
}

static void *calls(void *argument)
{
	int ends[2];
	char byte;
	name_myself();
	for (int i = 0; i < 20; i++)
		if (pipe(ends) || write(ends[1], "x", 1) != 1 || read(ends[0], &byte, 1) != 1 || close(ends[0]) ||
		    close(ends[1]))
			return NULL;
	name_myself();
	return argument;
}

static void *calling(void *argument)
{
	name_myself();
	return argument;
}

static void *exiting(void *argument)
{
	calls(NULL);
	pthread_exit(argument);
}

static void many(void)
{
	pthread_t threads[64];
	for (int round = 0; round < 3; round++) {
		for (long i = 0; i < 64; i++)
			threads[i] = start(i % 2 ? calls : exiting, (void *)(i + 1));
		for (long i = 0; i < 64; i++) {
			void *result;
			CHECK(pthread_join(threads[i], &result) == 0 && result == (void *)(i + 1));
		}
	}
}

static pthread_barrier_t barrier;

static void *detached(void *argument)
{
	name_myself();
	pthread_barrier_wait(&barrier);
	name_myself();
	return NULL;
}

static void detached_threads(void)
{
	pthread_t thread;
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
	pthread_barrier_init(&barrier, NULL, 9);
	for (int i = 0; i < 8; i++)
		CHECK(pthread_create(&thread, &attributes, detached, NULL) == 0);
	pthread_barrier_wait(&barrier);
	/* The process ends as the last thread of it does. */
	puts("ok");
	pthread_exit(NULL);
}

static int ends[2];
static volatile int cleaned, is_ready;

static void clean_up(void *argument)
{
	name_myself();
	cleaned++;
}

static void *blocked(void *argument)
{
	struct timespec long_time = { 100, 0 };
	struct pollfd polled = { ends[0], POLLIN, 0 };
	char byte;
	long way = (long)argument;
	pthread_cleanup_push(clean_up, NULL);
	is_ready = 1;
	pthread_setcanceltype(way & 1 ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED, NULL);
	if (way / 2 == 0)
		read(ends[0], &byte, 1);
	else if (way / 2 == 1)
		poll(&polled, 1, -1);
	else if (way / 2 == 2)
		nanosleep(&long_time, NULL);
	else
		waitpid(-1, NULL, 0);
	pthread_cleanup_pop(0);
	return argument;
}

static void cancelled_in_calls(void)
{
	NEED(pipe(ends) == 0);
	pid_t child = fork();
	if (child == 0) {
		pause();
		_exit(1);
	}
	for (int round = 0; round < 10; round++)
		for (long way = 0; way < 8; way++) {
			void *result;
			is_ready = 0;
			pthread_t thread = start(blocked, (void *)way);
			while (!is_ready)
				sched_yield();
			usleep(2000);
			CHECK(pthread_cancel(thread) == 0);
			CHECK(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
		}
	CHECK(cleaned == 80);
	kill(child, SIGKILL);
	CHECK(reap(child) == -1);
	access("/after-cancel", F_OK);
}

static void *never_blocked(void *argument)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	pthread_cleanup_push(clean_up, NULL);
	for (;;)
		access("/anywhere", F_OK);
	pthread_cleanup_pop(0);
	return NULL;
}

/* Wherever they are: in the wrappers, too. */
static void cancelled_anywhere(void)
{
	for (int i = 0; i < 300; i++) {
		void *result;
		pthread_t thread = start(never_blocked, NULL);
		usleep(50 + i % 50);
		CHECK(pthread_cancel(thread) == 0);
		CHECK(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
	}
	CHECK(cleaned <= 300);
	access("/after-cancel", F_OK);
}

static void *named(void *argument)
{
	CHECK(prctl(PR_SET_NAME, "by prctl") == 0);
	name_myself();
	CHECK(pthread_setname_np(pthread_self(), "by [0] pthread") == 0);
	access("/named", F_OK);
	char name[16];
	CHECK(prctl(PR_GET_NAME, name) == 0 && !strcmp(name, "by [0] pthread"));
	CHECK(pthread_setname_np(pthread_self(), "a name that is too long") == ERANGE);
	return NULL;
}

static void names(void)
{
	pthread_join(start(named, NULL), NULL);
	CHECK(prctl(PR_SET_NAME, "a name that is too long") == 0);
	access("/main", F_OK);
}

static pthread_key_t key;

/* Run when the thread's own things are gone, again and again. */
static void late(void *argument)
{
	name_myself();
	if ((long)argument > 1)
		pthread_setspecific(key, (void *)((long)argument - 1));
}

static void *with_specific(void *argument)
{
	pthread_setspecific(key, (void *)3);
	return NULL;
}

static void destructors(void)
{
	CHECK(pthread_key_create(&key, late) == 0);
	for (int i = 0; i < 10; i++)
		pthread_join(start(with_specific, NULL), NULL);
}

/* More threads than can be started before the first of them runs, on small stacks. */
static void storm(void)
{
	enum { THREADS = 5000 };
	static pthread_t threads[THREADS];
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 64 << 10);
	for (long i = 0; i < THREADS; i++)
		NEED(pthread_create(&threads[i], &attributes, calling, (void *)(i + 1)) == 0);
	for (long i = 0; i < THREADS; i++) {
		void *result;
		CHECK(pthread_join(threads[i], &result) == 0 && result == (void *)(i + 1));
	}
}

static int c11_routine(void *argument)
{
	name_myself();
	return 5;
}

static void c11(void)
{
	thrd_t thread;
	int result;
	CHECK(thrd_create(&thread, c11_routine, NULL) == thrd_success);
	CHECK(thrd_join(thread, &result) == thrd_success && result == 5);
}

/* Programs are started from small stacks, too. */
static void *spawning(void *argument)
{
	char *words[] = { "true", NULL }, *own[] = { "A=1", NULL }, *nothing[] = { NULL };
	pid_t child;
	for (int i = 0; i < 3; i++) {
		CHECK(posix_spawn(&child, "/bin/true", NULL, NULL, words, i == 0 ? environ : i == 1 ? own : nothing) == 0);
		CHECK(reap(child) == 0);
	}
	child = vfork();
	if (child == 0) {
		execve("/bin/true", words, own);
		_exit(1);
	}
	CHECK(reap(child) == 0);
	return NULL;
}

static void small_stacks(void)
{
	pthread_t thread;
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	CHECK(pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN) == 0);
	NEED(pthread_create(&thread, &attributes, spawning, NULL) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
}

static void at_exit(void)
{
	access("/at-exit", F_OK);
}

static void *ends_process(void *argument)
{
	exit(7);
}

static void ending(const char *how)
{
	atexit(at_exit);
	at_quick_exit(at_exit);
	printf("ok\n");
	if (!strcmp(how, "thread-exit")) {
		start(ends_process, NULL);
		for (;;)
			access("/busy", F_OK), usleep(100);
	}
	fflush(stdout);
	if (!strcmp(how, "exit"))
		exit(3);
	if (!strcmp(how, "_exit"))
		_exit(4);
	if (!strcmp(how, "quick_exit"))
		quick_exit(5);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "kill"))
		raise(SIGKILL);
}

__attribute__((constructor)) static void early(void)
{
	access("/constructor", F_OK);
}

__attribute__((destructor)) static void very_late(void)
{
	access("/destructor", F_OK);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} ways[] = {
		{ "many", many },	{ "detached", detached_threads }, { "cancel", cancelled_in_calls },
		{ "names", names },	{ "anywhere", cancelled_anywhere }, { "destructors", destructors },
		{ "storm", storm },	{ "c11", c11 },		{ "small", small_stacks },
	};
	NEED(argc > 1);
	for (unsigned i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(argv[1], ways[i].name)) {
			ways[i].run();
			return done();
		}
	ending(argv[1]);
	return 0;
}
