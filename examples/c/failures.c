/*
 * Reports files that programs in a session fail to open, as it happens: a client of libtracefs, which knows
 * nothing of lookback.
 *
 *     cc -o failures failures.c $(pkg-config --cflags --libs libtracefs)
 *     lookback start && lookback exec -- ./failures
 *
 * and elsewhere
 *
 *     lookback run -- cat /nonexistent
 */
#include <signal.h>
#include <stdio.h>
#include <tracefs.h>
#include <unistd.h>

static const char *const calls[] = {"open_exit", "openat_exit", "fopen_exit"};

static volatile sig_atomic_t is_over;

static void end(int signal)
{
	(void)signal;
	is_over = 1;
}

static int tell(struct tep_event *event, struct tep_record *record, int cpu, void *tep)
{
	struct trace_seq text;

	(void)event;
	/* A program that has started since has a name, too. */
	if (!tep_is_pid_registered(tep, tep_data_pid(tep, record)))
		tracefs_load_cmdlines(NULL, tep);
	trace_seq_init(&text);
	tep_print_event(tep, &text, record, "%s-%d ", TEP_PRINT_COMM, TEP_PRINT_PID);
	tep_print_event(tep, &text, record, "%s: %s", TEP_PRINT_NAME, TEP_PRINT_INFO);
	printf("[%03d] %s\n", cpu, text.buffer);
	trace_seq_destroy(&text);
	return 0;
}

int main(void)
{
	struct tracefs_instance *instance = tracefs_instance_create("failures");
	struct tep_handle *tep = tracefs_local_events(NULL);

	if (!instance || !tep) {
		perror("no tracefs");
		return 1;
	}
	for (size_t call = 0; call < sizeof(calls) / sizeof(calls[0]); call++) {
		struct tep_event *event = tep_find_event_by_name(tep, "libc", calls[call]);

		if (!event || tracefs_event_filter_apply(instance, event, "error != 0") < 0 ||
		    tracefs_event_enable(instance, "libc", calls[call])) {
			perror(calls[call]);
			is_over = 1;
		}
	}
	signal(SIGINT, end);
	signal(SIGTERM, end);
	while (!is_over) {
		tracefs_iterate_raw_events(tep, instance, NULL, 0, tell, tep);
		fflush(stdout);
		usleep(100000);
	}
	tracefs_instance_destroy(instance);
	tracefs_instance_free(instance);
	tep_free(tep);
	return 0;
}
