/*
 * Says which files programs look for and don't find, while they run: controls a session, and reads it.
 *
 *     cc -o missing_files examples/c/missing_files.c $(pkg-config --cflags --libs lookback)
 *     lookback start --snapshots 1
 *     lookback run -- ls /nowhere; ./missing_files
 *
 * It reads what there was up to now, of a snapshot; with the name of a trace.dat file it reads that.
 */
#include <inttypes.h>
#include <lookback_reader.h>
#include <stdio.h>
#include <stdlib.h>

static void fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, lookback_error());
	exit(1);
}

/* Enables the events, says so in the trace, and opens a snapshot of what was recorded. */
static struct lookback_reader *open_snapshot(void)
{
	static const char note[] = "looking for files that are missing";
	struct lookback_session *session = lookback_session_open(NULL, NULL);
	struct lookback_reader *reader;
	const char *number;

	if (!session)
		fail("the session");
	if (lookback_session_enable(session, "@file") < 0)
		fail("@file");
	if (lookback_session_mark(session, note, sizeof note - 1) < 0)
		fail("the marker");
	number = lookback_session_snapshot(session);
	if (!number)
		fail("the snapshot");
	reader = lookback_reader_open_snapshot(session, number);
	lookback_session_close(session);
	return reader;
}

int main(int count, char **arguments)
{
	struct lookback_reader *reader = count > 1 ? lookback_reader_open(arguments[1], NULL) : open_snapshot();
	struct lookback_reader_event event;
	int found;

	if (!reader)
		fail(count > 1 ? arguments[1] : "the snapshot");
	if (lookback_reader_filter(reader, "@file: error == ENOENT") < 0 ||
	    lookback_reader_filter(reader, "print: common_pid > 0") < 0)
		fail("the filter");
	while ((found = lookback_reader_next(reader, &event, sizeof event)) > 0) {
		const char *path;
		int64_t result = 0;

		if (found == LOOKBACK_LOST) {
			printf("CPU %u has lost %" PRIu64 " events\n", event.cpu, event.lost);
			continue;
		}
		path = lookback_reader_string(reader, "pathname");
		if (!path) {
			printf("%s: %s\n", event.name, lookback_reader_text(reader));
			continue;
		}
		lookback_reader_integer(reader, "ret", &result);
		printf("%s-%" PRId32 " %s %s: %" PRId64 "\n", event.comm, event.tid, event.name, path, result);
	}
	if (found < 0)
		fail("reading");
	lookback_reader_close(reader);
	return 0;
}
