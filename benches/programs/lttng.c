/* Records the events of lttng_events.h. Exits with 4 when they are off: then there is nothing to measure. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_events.h"
#include <unistd.h>
#include "worker.h"

static void number(unsigned long count)
{
	for (unsigned long value = 0; value < count; value++)
		lttng_ust_tracepoint(bench, number, value);
}

static void text(unsigned long count)
{
	const char *path = "/etc/hosts.1";

	for (unsigned long value = 0; value < count; value++) {
		__asm__ volatile("" : "+r"(path));
		lttng_ust_tracepoint(bench, text, value, (uint32_t)value, path);
	}
}

/* What DO_TRACE("%lu of %u") has. */
static void two(unsigned long count)
{
	for (unsigned long value = 0; value < count; value++)
		lttng_ust_tracepoint(bench, two, value, (uint32_t)value);
}

/* What <lttng/tracef.h> has: included here, it would define the tracepoint of the library once more. */
extern struct lttng_ust_tracepoint lttng_ust_tracepoint_lttng_ust_tracef___event;
void lttng_ust__tracef(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void formatted(unsigned long count)
{
	for (unsigned long value = 0; value < count; value++)
		if (__builtin_expect(lttng_ust_tracepoint_lttng_ust_tracef___event.state, 0))
			lttng_ust__tracef("%lu of %u", value, (uint32_t)value);
}

int main(void)
{
	static const struct operation operations[] = {
		{ "number", number },
		{ "text", text },
		{ "two", two },
		{ "tracef", formatted },
		{ NULL, NULL },
	};

	if (!lttng_ust_tracepoint_enabled(bench, number) || !lttng_ust_tracepoint_enabled(bench, text)
		|| !lttng_ust_tracepoint_enabled(bench, two) || !lttng_ust_tracepoint_lttng_ust_tracef___event.state)
		return 4;
	return serve(operations);
}
