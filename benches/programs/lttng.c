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

int main(void)
{
	static const struct operation operations[] = {
		{ "number", number },
		{ "text", text },
		{ NULL, NULL },
	};

	if (!lttng_ust_tracepoint_enabled(bench, number) || !lttng_ust_tracepoint_enabled(bench, text))
		return 4;
	return serve(operations);
}
