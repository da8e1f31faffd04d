/*
 * Tracepoints with formats: each is printed by printf, too. As a program it loads a library, which is this
 * file as C++ with PLUGIN, and unloads it.
 */
#include <lookback.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define TRACE(name, ...) \
	do { \
		DO_TRACE(name, __VA_ARGS__); \
		printf(#name ": "); \
		printf(__VA_ARGS__); \
		putchar('\n'); \
	} while (0)

#ifdef PLUGIN

extern "C" void plugin_work(void)
{
	const double *nowhere = nullptr;

	TRACE(loaded, "loaded by C++ %ld: %s", static_cast<long>(__cplusplus > 0), "library");
	TRACE(nowhere, "%p", static_cast<const void *>(nowhere));
	TRACE(many_100, "number %d of %s", 100, "library");
}

#else

#define ONE(n) TRACE(many_##n, "number %d of %s", n, program);
#define TEN(n) \
	ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7) ONE(n##8) ONE(n##9)

/* The forms that tracepoints were declared in where they come from. */
DEFINE_KTRACE_STRUCT(pair) {
	int first;
	char *second;
};

static void handle(int number)
{
	TRACE(in_handler, "signal %d", number);
}

static void __attribute__((constructor)) early(void)
{
	TRACE(in_constructor, "%s", "early");
}

static void numbers(void)
{
	TRACE(ints, "%d %i %u %x %X %o", -1, 2, 4294967295u, 0xbeef, 0xbeef, 8);
	TRACE(shorts, "%hd %hu %hhd %hhu", (short)-5, (unsigned short)65535, (signed char)-128,
		(unsigned char)255);
	TRACE(longs, "%ld %lu %lx %lld %llu", INT64_MIN, UINT64_MAX, 1L << 40, -1LL, 1ULL << 63);
	TRACE(sizes, "%zu %zd %jd %td", sizeof(int), (ssize_t)-1, (intmax_t)-2, (ptrdiff_t)3);
	TRACE(columns, "|%5d|%-5d|%05d|%+d|% d|%#x|%#o|%.3d|%8.3x|", 1, 2, 3, 4, 5, 6, 7, 8, 9);
	TRACE(stars, "|%*d|%-*d|%*d|%.*d|%0*x|", 6, 1, 6, 2, -6, 3, 4, 5, 8, 255);
	TRACE(mixed, "%c%d%c%ld%hd%s%c", 'a', 1, 'b', 2L, (short)3, "text", 'c');
}

static void texts(const char *program)
{
	char local[] = "on the stack", not_ended[4] = {'f', 'o', 'u', 'r'};

	TRACE(text, "%s", local);
	TRACE(wide_text, "|%20s|%-20s|%.3s|%20.3s|%.0s|", "one", "two", "three", "four", "five");
	TRACE(cut_text, "%.*s|%.*s|%*.*s", 4, not_ended, -1, "all", 6, 2, not_ended);
	TRACE(pair, "pair %d %s", 7, program);
	TRACE(marks, "100%% \"quoted\" \\ caf\u00e9 %s", "\u20ac");
	TRACE(nothing, "nothing");
	TRACE(line_end, "a line");
}

int main(int count, char **arguments)
{
	const char *program = "program";

	signal(SIGUSR1, handle);
	raise(SIGUSR1);
	numbers();
	texts(program);
	TEN(10) TEN(11) TEN(12) TEN(13) TEN(14) TEN(15) TEN(16) TEN(17) TEN(18) TEN(19)
	for (int round = 0; count > 1 && round < 3; round++) {
		void *library = dlopen(arguments[1], RTLD_NOW);
		void (*work)(void);
		void *found = dlsym(library, "plugin_work");

		memcpy(&work, &found, sizeof work);
		work();
		dlclose(library);
	}
	return 0;
}

#endif
