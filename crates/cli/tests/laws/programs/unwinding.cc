// Exceptions and cancellation leave through wrapped calls, and run the destructors on their way.
#include "law.h"
#include <cxxabi.h>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

static volatile int destroyed;

struct Guard {
	~Guard()
	{
		access("/guard", F_OK);
		destroyed = destroyed + 1;
	}
};

static int pipe_ends[2];

static void *blocked(void *argument)
{
	Guard guard;
	try {
		Guard inner;
		char byte;
		if (argument)
			pthread_exit(argument);
		read(pipe_ends[0], &byte, 1);
	} catch (abi::__forced_unwind &) {
		access("/caught", F_OK);
		throw;
	}
	return NULL;
}

static void forced()
{
	NEED(pipe(pipe_ends) == 0);
	for (int i = 0; i < 20; i++) {
		pthread_t thread;
		void *result;
		CHECK(pthread_create(&thread, NULL, blocked, i % 2 ? pipe_ends : NULL) == 0);
		if (i % 2 == 0) {
			usleep(2000);
			CHECK(pthread_cancel(thread) == 0);
		}
		CHECK(pthread_join(thread, &result) == 0);
		CHECK(result == (i % 2 ? (void *)pipe_ends : PTHREAD_CANCELED));
	}
	CHECK(destroyed == 40);
}

static void thrower(int signal)
{
	access("/thrower", F_OK);
	throw std::runtime_error("from a handler");
}

// A handler's exception leaves the call that it has interrupted.
static void from_handler()
{
	int caught = 0;
	handle(SIGSEGV, thrower, SA_NODEFER);
	for (int i = 0; i < 100; i++)
		try {
			Guard guard;
			FILE *stream = fopen("/dev/zero", "r");
			struct Closer {
				FILE *stream;
				~Closer()
				{
					fclose(stream);
				}
			} closer = { stream };
			fgets((char *)(8L << i % 3), 4096, stream);
		} catch (std::runtime_error &) {
			caught++;
		}
	CHECK(caught == 100 && destroyed == 100);
}

static ssize_t reading(void *, char *, size_t)
{
	throw 42;
}

static ssize_t writing(void *, const char *, size_t)
{
	throw 43;
}

// Callbacks that libc calls from wrapped functions.
static void from_callback()
{
	int caught = 0;
	for (int i = 0; i < 100; i++) {
		cookie_io_functions_t functions = { reading, writing, NULL, NULL };
		FILE *stream = fopencookie(NULL, i % 2 ? "r" : "w", functions);
		NEED(stream);
		setvbuf(stream, NULL, _IONBF, 0);
		char bytes[4];
		try {
			Guard guard;
			if (i % 2)
				fread(bytes, 1, 4, stream);
			else
				fwrite("abcd", 1, 4, stream);
		} catch (int) {
			caught++;
		}
	}
	CHECK(caught == 100 && destroyed == 100);
}

static thread_local struct Local {
	std::vector<int> numbers = { 1, 2, 3 };
	~Local()
	{
		char path[64];
		snprintf(path, sizeof(path), "/tid-%ld", syscall(SYS_gettid));
		access(path, F_OK);
	}
} local;

static void thread_locals()
{
	for (int i = 0; i < 10; i++)
		std::thread([] { CHECK(local.numbers.size() == 3); }).join();
}

static void deep(int depth)
{
	Guard guard;
	volatile char room[100] = "";
	if (depth == 0)
		throw std::bad_alloc();
	access("/deep", F_OK);
	deep(depth - 1);
	room[0] = 1;
}

static void in_threads()
{
	std::vector<std::thread> threads;
	static volatile int caught;
	for (int i = 0; i < 8; i++)
		threads.emplace_back([] {
			try {
				deep(20);
			} catch (std::bad_alloc &) {
				__sync_fetch_and_add(&caught, 1);
			}
		});
	for (auto &thread : threads)
		thread.join();
	CHECK(caught == 8);
}

int main(int argc, char **argv)
{
	NEED(argc > 1);
	if (!strcmp(argv[1], "forced"))
		forced();
	if (!strcmp(argv[1], "handler"))
		from_handler();
	if (!strcmp(argv[1], "callback"))
		from_callback();
	if (!strcmp(argv[1], "locals"))
		thread_locals();
	if (!strcmp(argv[1], "threads"))
		in_threads();
	return done();
}
