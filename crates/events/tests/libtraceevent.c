/* Parses formats with libtraceevent, as trace-cmd, perf and KernelShark do, and prints an event of each. */
#include <stdio.h>
#include <string.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

static char text[1 << 16];

/* What is wrong with the format; 0 if nothing is. */
static const char *parse(struct tep_handle *tep, size_t len)
{
	static unsigned long long bytes[64];
	struct tep_record record = {.data = bytes, .size = sizeof bytes, .record_size = sizeof bytes};
	struct tep_event *event = NULL;
	struct trace_seq printed;
	unsigned id;
	char *start = strstr(text, "\nID: ");

	if (tep_parse_event(tep, text, len, "lookback"))
		return "it is no format";
	if (!start || sscanf(start, "\nID: %u", &id) != 1 || !(event = tep_find_event(tep, id)))
		return "there is no event of its id";
	if (event->flags & TEP_EVENT_FL_FAILED)
		return "its print fmt can't be parsed";
	bytes[0] = id;
	trace_seq_init(&printed);
	tep_print_event(tep, &printed, &record, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&printed);
	if (strstr(printed.buffer, "FAILED") || strstr(printed.buffer, "[UNKNOWN"))
		return printed.buffer;
	trace_seq_destroy(&printed);
	return 0;
}

int main(int count, char **paths)
{
	struct tep_handle *tep = tep_alloc();
	int at, bad = 0;

	for (at = 1; at < count; at++) {
		FILE *file = fopen(paths[at], "r");
		size_t len = file ? fread(text, 1, sizeof text - 1, file) : 0;
		const char *wrong;

		if (file)
			fclose(file);
		text[len] = 0;
		wrong = parse(tep, len);
		if (wrong)
			printf("%s: %s\n", paths[at], wrong);
		bad += wrong != 0;
	}
	printf("%d formats, %d bad\n", count - 1, bad);
	tep_free(tep);
	return 0;
}
