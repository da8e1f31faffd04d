/* Recording on and off, the clock, tracers, PID filters, names of threads. */
#include "check.h"
#include <unistd.h>

static void check_recording(struct tracefs_instance *instance)
{
	int on = tracefs_trace_on_get_fd(instance);

	CHECK(tracefs_trace_is_on(instance) == 1 && on >= 0);
	CHECK(!tracefs_trace_off(instance) && tracefs_trace_is_on(instance) == 0);
	CHECK(!tracefs_trace_on(instance) && tracefs_trace_is_on(instance) == 1);
	CHECK(!tracefs_trace_off_fd(on) && tracefs_trace_is_on(instance) == 0);
	CHECK(!tracefs_trace_on_fd(on) && tracefs_trace_is_on(instance) == 1);
	close(on);
}

static void check_clock(struct tracefs_instance *instance)
{
	static const char *const clocks[] = {"boot", "local", "mono_raw", "mono"};
	char *clock;

	for (int number = 0; number < 4; number++) {
		CHECK(tracefs_instance_file_write(instance, "trace_clock", clocks[number]) > 0);
		clock = tracefs_get_clock(instance);
		CHECK_TEXT(clock, clocks[number]);
		free(clock);
	}
}

static void check_tracers(struct tracefs_instance *instance)
{
	char **tracers = tracefs_tracers(NULL);

	/* The library leaves out the one that does nothing. */
	CHECK(tracefs_list_size(tracers) == 6);
	tracefs_list_free(tracers);
	CHECK(tracefs_tracer_available(NULL, "function") && tracefs_tracer_available(NULL, "function_graph"));
	CHECK(!tracefs_tracer_set(instance, TRACEFS_TRACER_FUNCTION));
	CHECK_TEXT(content(instance, "current_tracer"), "function\n");
	CHECK(!tracefs_tracer_set(instance, TRACEFS_TRACER_FUNCTION_GRAPH));
	CHECK_TEXT(content(instance, "current_tracer"), "function_graph\n");
	CHECK(!tracefs_tracer_set(instance, TRACEFS_TRACER_NOP));
	CHECK(!tracefs_tracer_set(instance, TRACEFS_TRACER_CUSTOM, "nop"));
	CHECK(tracefs_tracer_set(instance, TRACEFS_TRACER_WAKEUP_RT) && errno == ENODEV);
	CHECK(!tracefs_tracer_clear(instance));
	CHECK_TEXT(content(instance, "current_tracer"), "nop\n");
}

/* Events of the threads on the list alone are recorded, and not of those on the other. */
static void check_threads(struct tracefs_instance *instance)
{
	char own[32];

	snprintf(own, sizeof(own), "%d", getpid());
	CHECK(tracefs_instance_file_write(instance, "set_event_pid", own) > 0);
	CHECK(tracefs_instance_file_append(instance, "set_event_pid", "1") > 0);
	CHECK(!strncmp(content(instance, "set_event_pid"), "1\n", 2));
	CHECK(atoi(content(instance, "set_event_pid") + 2) == getpid());
	CHECK(tracefs_instance_file_append(instance, "set_event_pid", "x") < 0 && errno == EINVAL);
	CHECK(!tracefs_event_enable(instance, "libc", NULL));
	cat(0, "/etc/passwd");
	CHECK(!strstr(content(instance, "trace"), " open"));
	CHECK(!tracefs_instance_file_clear(instance, "set_event_pid"));
	CHECK_TEXT(content(instance, "set_event_pid"), "");
	CHECK(tracefs_instance_file_write(instance, "set_event_notrace_pid", own) > 0);
	cat(0, "/etc/passwd");
	CHECK(strstr(content(instance, "trace"), "/etc/passwd"));
	CHECK(!tracefs_instance_file_clear(instance, "set_event_notrace_pid"));
	CHECK(!tracefs_event_disable(instance, NULL, NULL));
	CHECK(!tracefs_instance_file_clear(instance, "trace"));
	CHECK(!strstr(content(instance, "trace"), "passwd"));
}

void check_control(void)
{
	struct tracefs_instance *instance = tracefs_instance_create("control");

	CHECK(instance);
	for (int round = 0; round < 2; round++) {
		check_recording(round ? instance : NULL);
		check_clock(round ? instance : NULL);
		check_tracers(round ? instance : NULL);
		check_threads(round ? instance : NULL);
	}
	CHECK(!tracefs_instance_destroy(instance));
	tracefs_instance_free(instance);
}
