/*
 * Threads that trace at full speed, by tracepoints of their own and of a library that they load and close: so
 * many threads, so often, and the library. Says how many records that were.
 */
#include <lookback.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEN(macro, name) macro(name##0) macro(name##1) macro(name##2) macro(name##3) macro(name##4) \
	macro(name##5) macro(name##6) macro(name##7) macro(name##8) macro(name##9)
#define THIRTY(macro, name) TEN(macro, name##0) TEN(macro, name##1) TEN(macro, name##2)

#ifdef PLUGIN

#define TRACE(name) DO_TRACE(name, "%u of C++ at %p", number, static_cast<const void *>(&number)); count++;

extern "C" unsigned trace_all(unsigned number)
{
	unsigned count = 0;

	THIRTY(TRACE, cpp_)
	TRACE(cpp_30) TRACE(cpp_31) TRACE(cpp_32)
	return count;
}

#else

#define TRACE(name) DO_TRACE(name, "%u of C at %s", number, text); count++;

static unsigned (*trace_library)(unsigned);
static unsigned times;

static unsigned trace_all(unsigned number)
{
	const char *text = "a text";
	unsigned count = 0;

	THIRTY(TRACE, c_)
	TRACE(c_30) TRACE(c_31) TRACE(c_32) TRACE(c_33)
	return count;
}

static void *produce(void *unused)
{
	size_t count = 0;

	(void)unused;
	for (unsigned number = 0; number < times; number++)
		count += trace_all(number) + trace_library(number);
	return (void *)count;
}

int main(int count, char **arguments)
{
	int threads = atoi(arguments[1]);
	void *library = dlopen(arguments[count - 1], RTLD_NOW), *found = dlsym(library, "trace_all"), *produced;
	pthread_t ids[64];
	size_t total = 0;

	memcpy(&trace_library, &found, sizeof found);
	times = atoi(arguments[2]);
	for (int index = 0; index < threads; index++)
		pthread_create(&ids[index], NULL, produce, NULL);
	for (int index = 0; index < threads; index++) {
		pthread_join(ids[index], &produced);
		total += (size_t)produced;
	}
	dlclose(library);
	printf("%zu\n", total);
	return 0;
}

#endif
