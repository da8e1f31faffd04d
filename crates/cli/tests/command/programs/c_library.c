/* Does with the library what can be done, with the session of its argument, and expects what has to come. */
#include <errno.h>
#include <lookback_consumer.h>
#include <lookback_reader.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(condition) expect(!!(condition), #condition, __LINE__)

static void expect(int is_so, const char *condition, int line)
{
	if (is_so)
		return;
	fprintf(stderr, "line %d: %s; errno %d, %s\n", line, condition, errno, lookback_error());
	exit(1);
}

static void wrong(struct lookback_session *session)
{
	EXPECT(!lookback_session_open("./nowhere", NULL) && errno == ENOENT);
	EXPECT(strstr(lookback_error(), "nowhere"));
	EXPECT(lookback_session_enable(session, "libc:opem") == -EINVAL && errno == EINVAL);
	EXPECT(strstr(lookback_error(), "no event is called libc:opem"));
	EXPECT(lookback_session_enable(session, "libc:open if nothing < 3") == -EINVAL);
	EXPECT(lookback_session_enable(session, NULL) == -EINVAL);
	EXPECT(lookback_session_disable(session, "libc:opem") == -EINVAL);
	EXPECT(!lookback_session_read(session, "nothing", NULL) && errno == ENOENT);
	EXPECT(lookback_session_write(session, "buffer_size_kb", "x", 1) == -EINVAL);
	EXPECT(!lookback_reader_open_snapshot(session, "99") && errno == ENOENT);
	EXPECT(!lookback_reader_open_snapshot(session, "x") && errno == EINVAL);
	EXPECT(!lookback_reader_open("nowhere.dat", NULL) && errno == ENOENT);
}

static void control(struct lookback_session *session)
{
	size_t size = 0;
	const char *text;

	EXPECT(lookback_session_enable(session, "libc:open*") >= 4);
	text = lookback_session_read(session, "events/libc/open/enable", &size);
	EXPECT(text && size == 2 && strcmp(text, "1\n") == 0);
	EXPECT(lookback_session_disable(session, "libc:open*") >= 4);
	text = lookback_session_read(session, "events/libc/open/enable", NULL);
	EXPECT(text && strcmp(text, "0\n") == 0);
	EXPECT(lookback_session_write(session, "trace", "", 0) == 0);
	EXPECT(lookback_session_mark(session, "first", 5) == 5);
	EXPECT(lookback_session_mark(session, "second", 6) == 6);
}

static void expect_marker(struct lookback_reader *reader, const char *text)
{
	struct lookback_reader_event event;
	const char *found;
	int64_t number = 0;
	size_t size = 0;

	EXPECT(lookback_reader_next(reader, &event, sizeof event) == LOOKBACK_EVENT);
	EXPECT(strcmp(event.system, "ftrace") == 0 && strcmp(event.name, "print") == 0);
	EXPECT(event.time > 0 && event.tid == event.pid && event.comm[0] && event.size > 16);
	found = lookback_reader_string(reader, "buf");
	EXPECT(found && strncmp(found, text, strlen(text)) == 0);
	EXPECT(lookback_reader_bytes(reader, "buf", &size) && size == strlen(text) + 1);
	EXPECT(strstr(lookback_reader_text(reader), text));
	EXPECT(lookback_reader_integer(reader, "common_pid", &number) == 0 && number == event.tid);
	EXPECT(lookback_reader_integer(reader, "buf", &number) == -EINVAL);
	EXPECT(lookback_reader_integer(reader, "none", &number) == -ENOENT);
	EXPECT(!lookback_reader_string(reader, "common_pid") && errno == EINVAL);
}

static void read_all(struct lookback_session *session)
{
	struct lookback_reader *reader = lookback_reader_open_session(session);
	struct lookback_reader_event event;
	/* As a program has it that was compiled with a header of an earlier version. */
	uint64_t earlier = 0;

	EXPECT(reader && lookback_reader_has_nanoseconds(reader) == 1);
	EXPECT(lookback_reader_choose(reader, "nothing:*") == -EINVAL);
	EXPECT(lookback_reader_choose(reader, "ftrace:print") == 0);
	expect_marker(reader, "first");
	expect_marker(reader, "second");
	EXPECT(lookback_reader_choose(reader, "ftrace:print") == -EBUSY);
	EXPECT(lookback_reader_next(reader, &event, sizeof event) == 0);
	EXPECT(!lookback_reader_text(reader) && errno == ENOENT);
	lookback_reader_close(reader);

	reader = lookback_reader_open_session(session);
	EXPECT(lookback_reader_next(reader, &event, 0) == -EINVAL);
	EXPECT(lookback_reader_next(reader, (struct lookback_reader_event *)&earlier, 8) == LOOKBACK_EVENT);
	EXPECT(earlier > 0);
	lookback_reader_close(reader);
}

static void read_batch(struct lookback_session *session)
{
	struct lookback_reader *reader = lookback_reader_open_session(session);
	struct lookback_reader_batch batch;
	struct lookback_reader_column column;
	struct lookback_reader_field field;
	size_t index, own = 0;

	EXPECT(lookback_reader_batch(reader, 100, &batch, sizeof batch) == 2 && batch.count == 2);
	EXPECT(batch.times[0] <= batch.times[1] && batch.ids[0] == batch.ids[1]);
	EXPECT(batch.offsets[0] == 0 && batch.offsets[2] > batch.offsets[1]);
	EXPECT(batch.tids[0] == batch.pids[0] && batch.lost[0] == 0);
	EXPECT(strcmp(lookback_reader_name(reader, batch.ids[0]), "print") == 0);
	EXPECT(strcmp(lookback_reader_system(reader, batch.ids[0]), "ftrace") == 0);
	EXPECT(!lookback_reader_name(reader, 65535));
	EXPECT(lookback_reader_comm(reader, batch.tids[0]));
	EXPECT(lookback_reader_column(reader, "buf", &column, sizeof column) == 0);
	EXPECT(column.kind == LOOKBACK_TEXT_COLUMN && column.count == 2 && column.valid[0] == 3);
	EXPECT(memcmp((const char *)column.data + column.offsets[1], "second", 6) == 0);
	EXPECT(lookback_reader_column(reader, "common_pid", &column, sizeof column) == 0);
	EXPECT(column.kind == LOOKBACK_SIGNED_COLUMN && column.numbers[1] == batch.tids[1]);
	EXPECT(lookback_reader_column(reader, "none", &column, sizeof column) == 0);
	EXPECT(column.kind == LOOKBACK_NO_COLUMN && column.valid[0] == 0);
	for (index = 0; lookback_reader_field(reader, batch.ids[0], index, &field, sizeof field) == 1; index++)
		own += !field.is_common;
	EXPECT(own == 2 && strcmp(field.name, "buf") == 0);
	EXPECT(lookback_reader_field(reader, 65535, 0, &field, sizeof field) == -ENOENT);
	EXPECT(lookback_reader_batch(reader, 100, &batch, sizeof batch) == 0);
	lookback_reader_close(reader);
}

static void snapshots(struct lookback_session *session)
{
	char kept[32];
	const char *number = lookback_session_snapshot(session);
	struct lookback_reader *reader;
	struct lookback_reader_event event;

	EXPECT(number && strlen(number) < sizeof kept);
	strcpy(kept, number);
	EXPECT(strstr(lookback_session_snapshots(session), kept));
	reader = lookback_reader_open_session(session);
	EXPECT(lookback_reader_next(reader, &event, sizeof event) == 0);
	lookback_reader_close(reader);
	reader = lookback_reader_open_snapshot(session, kept);
	EXPECT(lookback_reader_filter(reader, "print: bad bad") == -EINVAL);
	EXPECT(lookback_reader_filter(reader, "print: buf ~ \"sec*\"") == 0);
	expect_marker(reader, "second");
	EXPECT(lookback_reader_next(reader, &event, sizeof event) == 0);
	lookback_reader_close(reader);
}

static void follow(struct lookback_session *session)
{
	struct lookback_reader *reader = lookback_reader_follow(session);
	struct lookback_reader_event event;
	int number, events = 0;
	uint64_t lost = 0;
	struct lookback_consumer *consumer;

	EXPECT(reader && lookback_reader_wait(reader, 0) == 0);
	EXPECT(!lookback_reader_follow(session) && errno == EBUSY);
	EXPECT(lookback_reader_next(reader, &event, sizeof event) == 0);
	EXPECT(lookback_session_mark(session, "third", 5) == 5);
	EXPECT(lookback_reader_wait(reader, 10000) == 1);
	expect_marker(reader, "third");
	EXPECT(lookback_reader_next(reader, &event, sizeof event) == 0);
	/* More than the buffer holds: what was lost comes before what is there. */
	for (number = 0; number < 50000; number++)
		EXPECT(lookback_session_mark(session, "one of many", 11) == 11);
	while ((number = lookback_reader_next(reader, &event, sizeof event)) > 0) {
		events += number == LOOKBACK_EVENT;
		if (number == LOOKBACK_LOST)
			lost += event.lost;
	}
	EXPECT(number == 0 && lost > 0 && events + lost == 50000);
	lookback_reader_close(reader);
	consumer = lookback_consumer_open(NULL, 0);
	EXPECT(consumer && lookback_consumer_put_consumed(consumer, UINT64_MAX, NULL) == -ERANGE);
	lookback_consumer_close(consumer);
}

int main(int count, char **arguments)
{
	struct lookback_session *session = lookback_session_open(count > 1 ? arguments[1] : NULL, NULL);

	EXPECT(session && strcmp(lookback_version(), "") != 0);
	wrong(session);
	control(session);
	read_all(session);
	read_batch(session);
	snapshots(session);
	follow(session);
	lookback_session_close(session);
	lookback_session_close(NULL);
	lookback_reader_close(NULL);
	puts("everything is as it should be");
	return 0;
}
