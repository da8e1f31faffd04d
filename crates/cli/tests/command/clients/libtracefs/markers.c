/* Markers: texts and bytes that a program writes, here and in an instance. */
#include "check.h"
#include <unistd.h>

/* The numbers and bytes that are found in the buffer. */
static int see(struct tep_event *event, struct tep_record *record, int cpu, void *data)
{
	struct tep_format_field *field;

	(void)cpu;
	if (!strcmp(event->name, "raw_data")) {
		field = tep_find_field(event, "id");
		CHECK(field && !memcmp((char *)record->data + field->offset, "\x07\0\0\0bytes", 9));
		++*(int *)data;
	}
	return 0;
}

static void check_texts(void)
{
	char line[64];

	stay_on(0);
	CHECK(!tracefs_print_init(NULL));
	CHECK(tracefs_printf(NULL, "%s number %d\n", "text", 1) >= 0);
	CHECK(tracefs_printf(NULL, "text number %d", 2) >= 0);
	tracefs_print_close(NULL);
	/* It opens the file itself, too. */
	CHECK(tracefs_printf(NULL, "text number %d", 3) >= 0);
	tracefs_print_close(NULL);
	for (int number = 1; number <= 3; number++) {
		snprintf(line, sizeof(line), ": text number %d\n", number);
		CHECK(strstr(content(NULL, "per_cpu/cpu0/trace"), line));
	}
	snprintf(line, sizeof(line), "-%d ", getpid());
	CHECK(strstr(content(NULL, "trace"), line));
	CHECK(!tracefs_trace_off(NULL));
	CHECK(tracefs_printf(NULL, "nobody records") < 0 && errno == EBADF);
	CHECK(!tracefs_trace_on(NULL));
}

static void check_bytes(void)
{
	struct tep_handle *tep = tracefs_local_events(NULL);
	char bytes[] = "\x07\0\0\0bytes";
	int seen = 0;

	CHECK(!tracefs_binary_init(NULL));
	CHECK(tracefs_binary_write(NULL, bytes, 9) >= 0);
	CHECK(tracefs_binary_write(NULL, bytes, 3) < 0 && errno == EINVAL);
	tracefs_binary_close(NULL);
	CHECK(strstr(content(NULL, "trace"), ": # 7 buf: 62 79 74 65 73"));
	CHECK(!tracefs_iterate_raw_events(tep, NULL, NULL, 0, see, &seen) && seen == 1);
	tep_free(tep);
}

static void check_instance(void)
{
	struct tracefs_instance *instance = tracefs_instance_create("markers");

	CHECK(instance && !tracefs_print_init(instance) && !tracefs_binary_init(instance));
	CHECK(tracefs_printf(instance, "only %s", "here") >= 0);
	CHECK(tracefs_binary_write(instance, "\1\0\0\0x", 5) >= 0);
	CHECK(strstr(content(instance, "trace"), ": only here\n"));
	CHECK(strstr(content(instance, "trace"), ": # 1 buf: 78"));
	CHECK(!strstr(content(NULL, "trace"), "only here"));
	tracefs_print_close(instance);
	tracefs_binary_close(instance);
	CHECK(!tracefs_instance_destroy(instance));
	tracefs_instance_free(instance);
}

void check_markers(void)
{
	check_texts();
	check_bytes();
	check_instance();
}
