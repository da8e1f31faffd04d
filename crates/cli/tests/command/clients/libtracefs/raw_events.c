/* Raw events: read in the order of their times, each from the CPU that has written it. */
#include "check.h"
#include <sched.h>
#include <unistd.h>

struct seen {
	struct tep_handle *tep;
	/* Which of the files that programs have opened were seen, and on which CPU each has to be. */
	int files, file_cpu[2];
	int events, exits_followed, stop_after, missed;
	unsigned long long time;
};

/* An event comes with the CPU of its buffer, and no earlier than the one before. */
static int see(struct tep_event *event, struct tep_record *record, int cpu, void *data)
{
	static const char *const files[] = {"/etc/passwd", "/etc/group"};
	struct seen *seen = data;
	struct trace_seq text;

	CHECK(event && record->cpu == cpu && record->ts >= seen->time);
	seen->time = record->ts;
	seen->events++;
	trace_seq_init(&text);
	tep_print_event(seen->tep, &text, record, "%s", TEP_PRINT_INFO);
	for (int number = 0; number < 2; number++) {
		if (strcmp(event->name, "open_exit") && strcmp(event->name, "openat_exit"))
			break;
		if (strstr(text.buffer, files[number])) {
			CHECK(cpu == seen->file_cpu[number]);
			CHECK_TEXT(tep_data_comm_from_pid(seen->tep, tep_data_pid(seen->tep, record)), "cat");
			seen->files |= 1 << number;
		}
	}
	trace_seq_destroy(&text);
	return seen->stop_after && seen->events >= seen->stop_after;
}

static int follow(struct tep_event *event, struct tep_record *record, int cpu, void *data)
{
	struct seen *seen = data;

	(void)record, (void)cpu;
	CHECK_TEXT(event->name, "close_exit");
	seen->exits_followed++;
	return 0;
}

static int miss(struct tep_event *event, struct tep_record *record, int cpu, void *data)
{
	struct seen *seen = data;

	(void)event, (void)cpu;
	CHECK(record->missed_events);
	seen->missed++;
	return 0;
}

static int last_cpu(void)
{
	return sysconf(_SC_NPROCESSORS_CONF) - 1;
}

/* Programs on two CPUs, at most. */
static void write_events(struct seen *seen)
{
	seen->file_cpu[0] = 0;
	seen->file_cpu[1] = last_cpu();
	cat(seen->file_cpu[0], "/etc/passwd");
	cat(seen->file_cpu[1], "/etc/group");
}

/* Reads all events, on all CPUs without a set, with the names of all threads. */
static void read_events(struct seen *seen, struct tracefs_instance *instance, cpu_set_t *set)
{
	seen->files = seen->events = 0;
	seen->time = 0;
	CHECK(!tracefs_load_cmdlines(NULL, seen->tep));
	CHECK(!tracefs_iterate_raw_events(seen->tep, instance, set, set ? sizeof(*set) : 0, see, seen));
}

static void check_all(struct seen *seen)
{
	write_events(seen);
	CHECK(!tracefs_follow_event(seen->tep, NULL, "libc", "close_exit", follow, seen));
	read_events(seen, NULL, NULL);
	CHECK(seen->files == 3 && seen->exits_followed > 0 && seen->exits_followed < seen->events);
	/* What was read is gone. */
	read_events(seen, NULL, NULL);
	CHECK(seen->events == 0);
}

/* Of the CPUs that were asked for, and until the callback has had enough. */
static void check_some(struct seen *seen)
{
	cpu_set_t set;

	write_events(seen);
	CPU_ZERO(&set);
	CPU_SET(seen->file_cpu[1], &set);
	read_events(seen, NULL, &set);
	CHECK(seen->files == 2 || seen->file_cpu[0] == seen->file_cpu[1]);
	write_events(seen);
	seen->stop_after = 3;
	read_events(seen, NULL, NULL);
	CHECK(seen->events == 3);
	seen->stop_after = 0;
}

/* Events that were overwritten are told of. */
static void check_missed(struct seen *seen)
{
	struct tracefs_instance *small = tracefs_instance_create("small");

	CHECK(small && !tracefs_instance_set_buffer_size(small, 8, -1));
	CHECK(!tracefs_follow_missed_events(small, miss, seen));
	stay_on(0);
	for (int text = 0; text < 1000; text++)
		CHECK(tracefs_printf(small, "text") >= 0);
	tracefs_print_close(small);
	read_events(seen, small, NULL);
	CHECK(seen->events > 0 && seen->events < 1000 && seen->missed > 0);
	CHECK(!tracefs_instance_destroy(small));
	tracefs_instance_free(small);
}

void check_raw_events(void)
{
	struct seen seen = {.tep = tracefs_local_events(NULL)};

	CHECK(seen.tep && !tracefs_event_enable(NULL, "libc", NULL));
	check_all(&seen);
	check_some(&seen);
	check_missed(&seen);
	CHECK(!tracefs_event_disable(NULL, "libc", NULL));
	tep_free(seen.tep);
}
