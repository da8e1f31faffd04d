// What programs do with their stacks: their functions run in call slots while they do it.
#include "law.h"
#include <csetjmp>
#include <cstdarg>
#include <execinfo.h>
#include <stdexcept>
#include <ucontext.h>

#define APART __attribute__((noinline))

static __thread volatile long destroyed;

struct Guard {
	APART Guard()
	{
	}
	APART ~Guard()
	{
		destroyed = destroyed + 1;
	}
};

APART static void throws(int depth)
{
	Guard guard;
	volatile char room[32] = "";
	if (depth == 0)
		throw std::runtime_error("thrown");
	throws(depth - 1);
	room[0] = 1;
}

APART static void throws_again(int depth)
{
	Guard guard;
	if (depth == 0)
		throw 5;
	try {
		throws_again(depth - 1);
	} catch (int &number) {
		number++;
		throw;
	}
}

static void exceptions()
{
	for (int i = 0; i < 20; i++) {
		int caught = 0;
		destroyed = 0;
		try {
			throws(1000);
		} catch (std::exception &) {
			caught = 1;
		}
		CHECK(caught == 1 && destroyed == 1001);
		destroyed = 0;
		try {
			throws_again(20);
		} catch (int number) {
			caught = number;
		}
		CHECK(caught == 25 && destroyed == 21);
	}
}

static jmp_buf target;

APART static int jumps_out(int depth)
{
	volatile int kept = depth;
	if (depth == 0)
		longjmp(target, 7);
	int result = jumps_out(depth - 1);
	return result + kept;
}

// Of more calls than there are slots.
static void jumps()
{
	for (int i = 0; i < 2000; i++) {
		int result = setjmp(target);
		if (result == 0)
			jumps_out(50);
		CHECK(result == 0 || result == 7);
	}
}

#if defined(__clang__)
#define UNTRACED [[clang::xray_never_instrument]]
#else
#define UNTRACED __attribute__((no_instrument_function, patchable_function_entry(0, 0)))
#endif

static volatile int covered;

// Lies where functions were that have been left, and calls what is recorded with its stack.
UNTRACED APART static void covers()
{
	volatile unsigned long words[300];
	for (int i = 0; i < 300; i++)
		words[i] = i;
	access("/", F_OK);
	for (int i = 0; i < 300; i++)
		CHECK(words[i] == (unsigned long)i);
	covered = covered + 1;
}

static void traces()
{
	for (volatile int i = 0; i < 200; i++) {
		if (setjmp(target) == 0)
			jumps_out(20);
		covers();
		CHECK(covered == i + 1);
	}
}

APART static int own_frames()
{
	static void *frames[4096];
	return backtrace(frames, 4096);
}

APART static int frames_below(int depth)
{
	volatile int kept = depth;
	if (depth == 0)
		return own_frames();
	int result = frames_below(depth - 1);
	kept = result;
	return kept;
}

static void backtraces()
{
	CHECK(frames_below(300) > 302);
}

static ucontext_t outside, coroutines[3];
static long sums[3];

APART static long steps(int which, int depth)
{
	if (depth == 0) {
		swapcontext(&coroutines[which], &coroutines[(which + 1) % 3]);
		return 1;
	}
	return steps(which, depth - 1) + 1;
}

static void coroutine(int which)
{
	for (int i = 0; i < 2000; i++)
		sums[which] += steps(which, i % 7);
}

// On stacks of their own, and on stacks that lie in the thread's.
static void switches()
{
	static const size_t size = 65536;
	char local[3 * size];
	char *memory[] = { (char *)malloc(3 * size), local };
	for (int round = 0; round < 2; round++) {
		memset(sums, 0, sizeof(sums));
		for (int i = 0; i < 3; i++) {
			getcontext(&coroutines[i]);
			coroutines[i].uc_stack.ss_sp = memory[round] + i * size;
			coroutines[i].uc_stack.ss_size = size;
			coroutines[i].uc_link = &outside;
			makecontext(&coroutines[i], (void (*)())coroutine, 1, i);
		}
		swapcontext(&outside, &coroutines[0]);
		CHECK(sums[0] == 7995 && sums[1] == 7990 && sums[2] == 7990);
	}
	free(memory[0]);
}

APART static void *ends(void *how)
{
	Guard guard;
	if (how)
		pthread_exit(how);
	for (;;) {
		pthread_testcancel();
		usleep(100);
	}
}

APART static void *ends_below(void *how, int depth)
{
	Guard guard;
	if (depth == 0)
		return ends(how);
	void *volatile result = ends_below(how, depth - 1);
	return result;
}

static long ended_with[20];

static void *to_end(void *how)
{
	struct Count {
		~Count()
		{
			__sync_fetch_and_add(&ended_with[0], destroyed);
		}
	} count;
	return ends_below(how, 1000);
}

static void cancellation()
{
	for (int i = 0; i < 10; i++) {
		pthread_t thread;
		void *result;
		NEED(pthread_create(&thread, NULL, to_end, i % 2 ? &target : NULL) == 0);
		if (i % 2 == 0) {
			usleep(10000);
			CHECK(pthread_cancel(thread) == 0);
		}
		CHECK(pthread_join(thread, &result) == 0);
		CHECK(result == (i % 2 ? (void *)&target : PTHREAD_CANCELED));
	}
	CHECK(ended_with[0] == 10 * 1002);
}

struct Large {
	long words[9];
};

APART static Large many(long a, long b, long c, long d, long e, long f, long g, double h, Large i)
{
	Large result = { { a, b, c, d, e, f, g, (long)h, i.words[8] } };
	return result;
}

APART static int variadic(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	double first = va_arg(list, double);
	int second = va_arg(list, int);
	va_end(list);
	return first == 1.5 && second == 7;
}

APART static __int128 wide(__int128 x)
{
	return x * 3;
}

APART static long double extended(long double x)
{
	return x + 1;
}

APART static double floating(double x, float y)
{
	return x * y;
}

static void check_values(int rounds)
{
	for (int i = 0; i < rounds; i++) {
		Large large = { { 1, 2, 3, 4, 5, 6, 7, 8, i } };
		Large result = many(i, 2, 3, 4, 5, 6, 7, 8.5, large);
		CHECK(result.words[0] == i && result.words[7] == 8 && result.words[8] == i);
		CHECK(variadic("", 1.5, 7));
		CHECK(wide((__int128)i << 70) == ((__int128)i << 70) * 3);
		CHECK(extended(1.5L + i) == 2.5L + i);
		CHECK(floating(2.0, 3.5f) == 7.0);
	}
}

static void values()
{
	check_values(2000);
}

static volatile long signals;
static sigjmp_buf signal_target;
static volatile int can_jump;

APART static void counts(int)
{
	signals = signals + 1;
	variadic("", 1.5, 7);
}

APART static void leaves(int)
{
	if (can_jump) {
		can_jump = 0;
		siglongjmp(signal_target, 1);
	}
}

static void storm()
{
	handle(SIGALRM, counts, 0);
	every(ITIMER_REAL, 50);
	while (signals < 2000)
		check_values(10);
	handle(SIGALRM, leaves, 0);
	for (volatile int i = 0; i < 1000; i = i + 1)
		if (sigsetjmp(signal_target, 1) == 0) {
			can_jump = 1;
			for (;;)
				check_values(1);
		}
	every(ITIMER_REAL, 0);
}

static void *work(void *)
{
	check_values(500);
	exceptions();
	return NULL;
}

static void threads()
{
	pthread_t threads[8];
	for (pthread_t &thread : threads)
		NEED(pthread_create(&thread, NULL, work, NULL) == 0);
	for (pthread_t &thread : threads)
		pthread_join(thread, NULL);
}

APART static int forks_below(int depth)
{
	volatile int kept = depth;
	if (depth == 0) {
		pid_t child = fork();
		if (child == 0)
			return 1;
		CHECK(reap(child) == 3);
		return 0;
	}
	int result = forks_below(depth - 1);
	kept = result;
	return kept;
}

static void forks()
{
	for (int i = 0; i < 10; i++)
		if (forks_below(30) == 1)
			_exit(3);
	for (int i = 0; i < 10; i++) {
		pid_t child = vfork();
		if (child == 0) {
			variadic("", 1.5, 7);
			_exit(4);
		}
		CHECK(reap(child) == 4);
	}
}

APART static int odd(int n);

APART static int even(int n)
{
	return n == 0 ? 1 : odd(n - 1);
}

APART static int odd(int n)
{
	return n == 0 ? 0 : even(n - 1);
}

static void tail_calls()
{
	CHECK(even(1000) == 1 && odd(1001) == 1);
	CHECK(even(1000000) == 1);
}

int main(int, char **arguments)
{
	static const struct {
		const char *name;
		void (*run)();
	} ways[] = {
		{ "exceptions", exceptions }, { "jumps", jumps }, { "backtraces", backtraces },
		{ "traces", traces },
		{ "switches", switches }, { "cancellation", cancellation }, { "values", values },
		{ "storm", storm }, { "threads", threads }, { "forks", forks }, { "tail_calls", tail_calls },
	};
	for (auto &way : ways)
		if (strcmp(way.name, arguments[1]) == 0)
			way.run();
	return done();
}
