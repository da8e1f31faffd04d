/*
 * What programs share that make calls which can be recorded, each from a function `call_NAME`. What they see
 * themselves goes to standard output, a line for each: call, result, error.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static char told[1 << 16];
static size_t told_length;

__attribute__((format(printf, 1, 2))) static void tell(const char *form, ...)
{
	va_list arguments;
	va_start(arguments, form);
	told_length += vsnprintf(told + told_length, sizeof told - told_length, form, arguments);
	va_end(arguments);
}

static const char *name_of(int error)
{
	return error ? strerrorname_np(error) : "none";
}

/* A call that fails with `bad` and says in errno why. */
#define TELL(name, form, bad, call) \
	do { \
		errno = 0; \
		__typeof__(call) result = (call); \
		int error = errno; \
		tell(#name " " form " %s\n", result, name_of(result == (__typeof__(result))(bad) ? error : 0)); \
	} while (0)
/* One whose result is the error. */
#define TELL_NUMBER(name, call) \
	do { \
		int result = (call); \
		tell(#name " %d %s\n", result, name_of(result)); \
	} while (0)
/* One that doesn't tell of errors. */
#define TELL_ONLY(name, form, call) tell(#name " " form " none\n", (call))
#define INT(name, call) TELL(name, "%d", -1, call)
#define LONG(name, call) TELL(name, "%ld", -1L, (long)(call))
#define POINTER(name, call) TELL(name, "%p", NULL, (void *)(call))

#define CALL(name) __attribute__((noinline)) static void call_##name(void)
#define ADDRESS(name, call) TELL(name, "%p", -1L, (void *)(call))

/* A program that makes its calls in the order of its text. */
#define IN_ORDER(name) \
	CALL(name); \
	__attribute__((used, section("calls"))) static void (*const entry_##name)(void) = call_##name; \
	CALL(name)
#define MAIN \
	int main(void) \
	{ \
		extern void (*const __start_calls[])(void), (*const __stop_calls[])(void); \
		for (void (*const *call)(void) = __start_calls; call < __stop_calls; call++) \
			(*call)(); \
		fwrite(told, 1, told_length, stdout); \
		return 9; \
	}
