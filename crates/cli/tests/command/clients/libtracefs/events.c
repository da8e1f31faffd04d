/* Events: which there are, their formats and files, switching them. */
#include "check.h"

static void check_lists(void)
{
	char **systems = tracefs_event_systems(NULL);
	char **events = tracefs_system_events(NULL, "libc");

	CHECK(has(systems, "libc") && has(systems, "sched"));
	/* Its events can't be switched, as in the kernel: there are no files to do it. */
	CHECK(!has(systems, "ftrace"));
	CHECK(has(events, "open") && has(events, "open_exit") && !has(events, "enable"));
	CHECK(tracefs_list_size(events) > 100);
	CHECK(!tracefs_system_events(NULL, "nothing"));
	tracefs_list_free(systems);
	tracefs_list_free(events);
}

/* All formats are understood; the fields lie where they say. */
static void check_formats(void)
{
	const char *const libc[] = {"libc", NULL};
	struct tep_handle *tep = tracefs_local_events(NULL);
	struct tep_event *event;
	struct tep_format_field *field;
	int failures = -1;

	CHECK(tep);
	event = tep_find_event_by_name(tep, "libc", "open_exit");
	CHECK(event && tep_find_event_by_name(tep, "ftrace", "print"));
	field = tep_find_field(event, "ret");
	CHECK(field && field->size == 4 && field->flags & TEP_FIELD_IS_SIGNED);
	field = tep_find_field(event, "pathname");
	CHECK(field && field->flags & TEP_FIELD_IS_STRING && field->flags & TEP_FIELD_IS_DYNAMIC);
	CHECK(tep_find_common_field(event, "common_pid")->offset == 4);
	tep_free(tep);

	tep = tracefs_local_events_system(NULL, libc);
	CHECK(tep && tep_find_event_by_name(tep, "libc", "open"));
	CHECK(!tep_find_event_by_name(tep, "ftrace", "print"));
	tep_free(tep);

	tep = tep_alloc();
	CHECK(!tracefs_fill_local_events(NULL, tep, &failures) && failures == 0);
	tep_free(tep);
}

static void check_files(void)
{
	char *file = tracefs_event_get_file(NULL, "libc", "open", "filter");
	char *text;
	int size;

	CHECK(strstr(file, "/events/libc/open/filter"));
	tracefs_put_tracing_file(file);
	CHECK(is_there(NULL, "events/libc/open/id") && !is_there(NULL, "events/libc/open/hist"));
	CHECK(is_elsewhere || tracefs_event_file_exists(NULL, "libc", "open", "id"));
	CHECK(!tracefs_event_file_exists(NULL, "libc", "nothing", "id"));
	text = tracefs_event_file_read(NULL, "libc", "open", "format", &size);
	CHECK(text && !strncmp(text, "name: open\nID: ", 15) && (int)strlen(text) == size);
	free(text);
	CHECK(tracefs_event_file_write(NULL, "libc", "open", "trigger", "traceoff:3") == 10);
	CHECK(tracefs_event_file_append(NULL, "libc", "open", "trigger", "stacktrace") == 10);
	text = tracefs_event_file_read(NULL, "libc", "open", "trigger", NULL);
	CHECK_TEXT(text, "stacktrace:unlimited\ntraceoff:count=3\n");
	free(text);
	CHECK(tracefs_event_file_write(NULL, "libc", "open", "trigger", "!traceoff") == 9);
	CHECK(tracefs_event_file_append(NULL, "libc", "open", "trigger", "!stacktrace") == 11);
	CHECK(!tracefs_event_file_clear(NULL, "libc", "open", "trigger"));
	text = tracefs_event_file_read(NULL, "libc", "open", "trigger", NULL);
	CHECK(text && text[0] == '#');
	free(text);
}

static void check_switches(void)
{
	CHECK(tracefs_event_is_enabled(NULL, "libc", "open") == TRACEFS_ALL_DISABLED);
	CHECK(!tracefs_event_enable(NULL, "libc", "open"));
	CHECK(tracefs_event_is_enabled(NULL, "libc", "open") == TRACEFS_ALL_ENABLED);
	CHECK(tracefs_event_is_enabled(NULL, "libc", "open_exit") == TRACEFS_ALL_DISABLED);
	CHECK(tracefs_event_is_enabled(NULL, "libc", NULL) == TRACEFS_SOME_ENABLED);
	CHECK_TEXT(content(NULL, "set_event"), "libc:open\n");
	/* Patterns of the library, of events in any system. */
	CHECK(!tracefs_event_enable(NULL, NULL, "^open.*_exit$"));
	CHECK(tracefs_event_is_enabled(NULL, "libc", "openat_exit") == TRACEFS_ALL_ENABLED);
	CHECK(!tracefs_event_enable(NULL, "libc", NULL));
	CHECK(tracefs_event_is_enabled(NULL, "libc", NULL) == TRACEFS_ALL_ENABLED);
	CHECK(!tracefs_event_disable(NULL, "libc", "open"));
	CHECK(tracefs_event_is_enabled(NULL, "libc", NULL) == TRACEFS_SOME_ENABLED);
	CHECK(tracefs_event_enable(NULL, "libc", "nothing"));
	CHECK(tracefs_event_is_enabled(NULL, "libc", "nothing") == TRACEFS_ERROR);
	CHECK(!tracefs_event_enable(NULL, NULL, NULL));
	CHECK_TEXT(content(NULL, "events/enable"), "1\n");
	CHECK(!tracefs_event_disable(NULL, NULL, NULL));
	CHECK_TEXT(content(NULL, "set_event"), "");
}

void check_events(void)
{
	check_lists();
	check_formats();
	check_files();
	check_switches();
}
