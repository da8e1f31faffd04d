/* Filters: built, checked against the format, set, refused, taken away. */
#include "check.h"

static struct tep_event *event(struct tep_handle *tep)
{
	struct tep_event *found = tep_find_event_by_name(tep, "libc", "open_exit");

	CHECK(found);
	return found;
}

static char *filter(void)
{
	return tracefs_event_file_read(NULL, "libc", "open_exit", "filter", NULL);
}

/* One piece more of a filter. */
static void add(struct tep_event *event, char **text, enum tracefs_filter kind, const char *field,
		enum tracefs_compare how, const char *value)
{
	CHECK(!tracefs_filter_string_append(event, text, kind, field, how, value));
}

/* `ret < 0 && (error == 2 || error == 13)` */
static char *built(struct tep_event *event)
{
	char *text = NULL, *wrong = NULL;

	add(event, &text, TRACEFS_FILTER_COMPARE, "ret", TRACEFS_COMPARE_LT, "0");
	add(event, &text, TRACEFS_FILTER_AND, NULL, 0, NULL);
	add(event, &text, TRACEFS_FILTER_OPEN_PAREN, NULL, 0, NULL);
	add(event, &text, TRACEFS_FILTER_COMPARE, "error", TRACEFS_COMPARE_EQ, "2");
	add(event, &text, TRACEFS_FILTER_OR, NULL, 0, NULL);
	add(event, &text, TRACEFS_FILTER_COMPARE, "error", TRACEFS_COMPARE_EQ, "13");
	add(event, &text, TRACEFS_FILTER_CLOSE_PAREN, NULL, 0, NULL);
	CHECK(!tracefs_filter_string_verify(event, text, &wrong) && !wrong);
	return text;
}

static void check_set(struct tep_event *event)
{
	char *text = built(event), *now;

	CHECK(tracefs_event_filter_apply(NULL, event, text) > 0);
	now = filter();
	CHECK(!strncmp(now, text, strlen(text)) && now[strlen(text)] == '\n');
	free(now);
	free(text);
	CHECK(tracefs_event_filter_clear(NULL, event) >= 0);
	now = filter();
	CHECK_TEXT(now, "none\n");
	free(now);
}

/* Of texts: by pattern. What passes is in the buffer, and nothing else. */
static void check_effect(struct tep_event *event)
{
	char *wanted = "pathname ~ \"*/nonexistent\"";
	const char *trace;

	CHECK(tracefs_event_filter_apply(NULL, event, wanted) > 0);
	CHECK(!tracefs_event_enable(NULL, "libc", "open_exit"));
	cat(0, "/etc/passwd");
	CHECK(!strstr(content(NULL, "trace"), "open_exit:"));
	CHECK(tracefs_event_filter_apply(NULL, event, "pathname ~ \"*/passwd\"") > 0);
	cat(0, "/etc/passwd");
	trace = content(NULL, "trace");
	CHECK(strstr(trace, "open_exit:") && strstr(trace, "pathname=\"/etc/passwd\""));
	CHECK(!strstr(trace, ".so"));
	CHECK(!tracefs_event_disable(NULL, "libc", "open_exit"));
	CHECK(tracefs_event_filter_clear(NULL, event) >= 0);
}

static void check_refused(struct tep_event *event)
{
	char *text = NULL, *wrong = NULL;

	CHECK(tracefs_filter_string_append(event, &text, TRACEFS_FILTER_COMPARE, "nothing", TRACEFS_COMPARE_EQ,
					   "1"));
	CHECK(tracefs_filter_string_verify(event, "(ret < 0", &wrong) && wrong);
	free(wrong);
	CHECK(!tracefs_error_clear(NULL));
	CHECK(tracefs_event_filter_apply(NULL, event, "nothing == 1") < 0 && errno == EINVAL);
	wrong = tracefs_error_last(NULL);
	CHECK(wrong && strstr(wrong, "Field not found") && strstr(wrong, "nothing == 1"));
	free(wrong);
	CHECK(tracefs_event_filter_apply(NULL, event, "ret = 1") < 0 && errno == EINVAL);
	wrong = tracefs_error_last(NULL);
	CHECK(wrong && strstr(wrong, "ret = 1") && !strstr(wrong, "nothing"));
	free(wrong);
	wrong = tracefs_error_all(NULL);
	CHECK(wrong && strstr(wrong, "nothing == 1") && strstr(wrong, "ret = 1"));
	free(wrong);
	CHECK(!tracefs_error_clear(NULL));
	CHECK(!tracefs_error_last(NULL) && !tracefs_error_all(NULL));
}

void check_filters(void)
{
	struct tep_handle *tep = tracefs_local_events(NULL);

	check_set(event(tep));
	check_effect(event(tep));
	check_refused(event(tep));
	tep_free(tep);
}
