/*
 * Reads the events of trace.dat files, of sessions and of snapshots, in the order of time.
 *
 *     struct lookback_reader *reader = lookback_reader_open("trace.dat", NULL);
 *     struct lookback_reader_event event;
 *     int64_t result;
 *
 *     lookback_reader_filter(reader, "libc:*_exit: error == ENOENT");
 *     while (lookback_reader_next(reader, &event, sizeof event) > 0)
 *         if (event.name && lookback_reader_integer(reader, "ret", &result) == 0)
 *             printf("%s-%d %s %lld\n", event.comm, event.tid, event.name, (long long)result);
 *     lookback_reader_close(reader);
 *
 * Errors, ownership and threads: see lookback_session.h.
 */
#ifndef LOOKBACK_READER_H
#define LOOKBACK_READER_H

#include "lookback_session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A source of events, opened. */
struct lookback_reader;

/* What lookback_reader_next has found. */
enum lookback_reader_item {
	/* An event. */
	LOOKBACK_EVENT = 1,
	/* Events that were lost before the next event of their CPU. */
	LOOKBACK_LOST = 2
};

/* An event, or what was lost. */
struct lookback_reader_event {
	/* Its time in the trace's clock; of what was lost, the time of the next event. */
	uint64_t time;
	/* How many events were lost, UINT64_MAX where nobody knows; 0 for an event. */
	uint64_t lost;
	/* The system and the name of the event, "" where the trace doesn't describe it; until the reader
	 * is closed. NULL for what was lost. */
	const char *system;
	const char *name;
	/* The name of the thread, "" where it is unknown; until the next event is read. */
	const char *comm;
	/* All of the event, as events/SYSTEM/NAME/format describes it, from its common fields on; until
	 * the next event is read. */
	const void *data;
	/* Its bytes. */
	uint32_t size;
	/* The CPU that it was recorded on. */
	uint32_t cpu;
	/* The thread that has recorded it. */
	int32_t tid;
	/* The process of the thread; -1 where it is unknown. */
	int32_t pid;
	/* The id of the event: what common_type is. */
	uint16_t id;
};

/* Where the value of a field is in an event. */
enum lookback_reader_kind {
	/* A number of the field's size, at its offset. */
	LOOKBACK_NUMBER = 0,
	/* An array in the field itself; of size 0 it takes the rest of the event. */
	LOOKBACK_ARRAY = 1,
	/* An array elsewhere: the field is 4 bytes, of which the low 16 bits are the offset in the event,
	 * and the high 16 bits are the array's bytes. */
	LOOKBACK_DATA_LOCATION = 2,
	/* The same, with an offset that counts from the end of the field. */
	LOOKBACK_RELATIVE_LOCATION = 3
};

/* A field of an event. */
struct lookback_reader_field {
	/* Its name, and its type as C has it; until the reader is closed. */
	const char *name;
	const char *type;
	/* Bytes from the start of the event, and bytes of the field. */
	uint32_t offset;
	uint32_t size;
	/* enum lookback_reader_kind. */
	uint32_t kind;
	/* Bytes of an element of an array; 0 for a text, which has a zero byte at its end, and for
	 * numbers. */
	uint32_t element;
	/* Whether numbers are signed. */
	uint32_t is_signed;
	/* Whether all events have it. */
	uint32_t is_common;
};

/* Many events at once: in each array a row for each event. All stay until the next batch is read. */
struct lookback_reader_batch {
	/* How many events. */
	size_t count;
	/* Times in the trace's clock. */
	const uint64_t *times;
	/* How many events of the CPU were lost before it, UINT64_MAX where nobody knows. */
	const uint64_t *lost;
	/* Where each event starts in data; one more at the end. */
	const uint64_t *offsets;
	/* CPUs, threads, their processes (-1 where it is unknown), and ids of events. */
	const uint32_t *cpus;
	const int32_t *tids;
	const int32_t *pids;
	const uint16_t *ids;
	/* All of each event, from its common fields on, one after the other. */
	const void *data;
};

/* What a column has. */
enum lookback_reader_column_kind {
	/* No event of the batch has the field. */
	LOOKBACK_NO_COLUMN = 0,
	/* 64-bit numbers. */
	LOOKBACK_SIGNED_COLUMN = 1,
	LOOKBACK_UNSIGNED_COLUMN = 2,
	/* Texts, without zero bytes. */
	LOOKBACK_TEXT_COLUMN = 3,
	/* Arrays of numbers, as bytes. */
	LOOKBACK_BYTES_COLUMN = 4
};

/* The values of a field, a row for each event of a batch, laid out as Apache Arrow has columns. All stay
 * until the next batch is read. */
struct lookback_reader_column {
	/* enum lookback_reader_column_kind: what the first event with such a field has. Others have no
	 * value. */
	size_t kind;
	/* How many rows. */
	size_t count;
	/* Numbers, for columns of numbers. */
	const int64_t *numbers;
	/* For the others: where each row starts in data, and one more at the end. */
	const int32_t *offsets;
	const void *data;
	/* A bit for each row, the first the lowest of the first byte: whether it has a value. */
	const uint8_t *valid;
};

/* Opens a trace.dat file, and of its buffers the one of this name, or for NULL all that have events in
 * the clock of the first of them, in the order of time. NULL with errno: ENOENT and others where there
 * is no such file or buffer, EPROTO for what is no trace.dat file. */
struct lookback_reader *lookback_reader_open(const char *file, const char *buffer);

/* Copies what a session's buffers have now, which stays there, and opens that. */
struct lookback_reader *lookback_reader_open_session(struct lookback_session *session);

/* Copies a snapshot, and opens that: "3", as lookback_session_snapshot has called it, or for NULL the
 * newest. NULL with errno: ENOENT where there is none. */
struct lookback_reader *lookback_reader_open_snapshot(struct lookback_session *session, const char *number);

/* Opens a session's events as they come. What is read is consumed, as from the kernel's trace_pipe:
 * nobody else gets it. At lookback_reader_next's 0 lookback_reader_wait waits for more. NULL with errno:
 * EBUSY while somebody else consumes them. */
struct lookback_reader *lookback_reader_follow(struct lookback_session *session);

/* Closes it. Of a session that was followed, up to 512 events are lost that had been consumed and not
 * read. NULL is allowed. */
void lookback_reader_close(struct lookback_reader *reader);

/* Reads only these events, as `lookback report -e` does; further calls add more. 0; -EINVAL where there
 * is no such event; -EBUSY once an event was read. */
int lookback_reader_choose(struct lookback_reader *reader, const char *events);

/* Reads only events that match a filter, as `lookback report -F` does: "EVENT[,EVENT]: FILTER"; further
 * calls add events that match others. 0; -EINVAL for a wrong filter; -EBUSY once an event was read. */
int lookback_reader_filter(struct lookback_reader *reader, const char *filter);

/* The next event, or what was lost before it: enum lookback_reader_item, and *event, of `size` bytes. 0
 * at the end; of a session that is followed, where there is none now. -errno where it can't be read: the
 * next call goes on with what can. */
int lookback_reader_next(struct lookback_reader *reader, struct lookback_reader_event *event, size_t size);

/* Waits until a session that is followed has an event, for so many milliseconds at most, or without end
 * if that is negative. 1 when there is one, 0 when there is none, -EINTR after a signal handler.
 * Programs wake nobody: it looks every 1 to 10 ms. 1 for other readers. */
int lookback_reader_wait(struct lookback_reader *reader, int milliseconds);

/* Whether times are nanoseconds: with all clocks but counter, uptime and x86-tsc. */
int lookback_reader_has_nanoseconds(const struct lookback_reader *reader);

/* The number that a field has in the event that was read last; one of an unsigned type of 8 bytes as the
 * same bits. 0; -ENOENT where it has no such field, -EINVAL where that is no number. */
int lookback_reader_integer(const struct lookback_reader *reader, const char *field, int64_t *number);

/* The text that a field has in the event that was read last, until the next call with this reader. NULL
 * with errno: ENOENT, EINVAL. */
const char *lookback_reader_string(struct lookback_reader *reader, const char *field);

/* The bytes of an array or a text in the event that was read last, and how many there are; until the
 * next event is read. NULL with errno: ENOENT, EINVAL. */
const void *lookback_reader_bytes(const struct lookback_reader *reader, const char *field, size_t *size);

/* The text of the event that was read last, as `lookback report` has it after the event's name; until
 * the next call with this reader. NULL with ENOENT where none was read. */
const char *lookback_reader_text(struct lookback_reader *reader);

/* The field at an index of the event with this id, the common fields first: 1 and *field, of `size`
 * bytes; 0 after the last; -ENOENT where the trace doesn't describe such an event. */
int lookback_reader_field(struct lookback_reader *reader, uint16_t id, size_t index,
	struct lookback_reader_field *field, size_t size);

/* The name, or the system, of the event with this id, until the reader is closed. NULL where the trace
 * doesn't describe it. */
const char *lookback_reader_name(struct lookback_reader *reader, uint16_t id);
const char *lookback_reader_system(struct lookback_reader *reader, uint16_t id);

/* The name of a thread, until the next call with this reader. NULL where it is unknown. */
const char *lookback_reader_comm(struct lookback_reader *reader, int32_t tid);

/* Reads up to `most` events at once, and *batch, of `size` bytes. How many; 0 at the end, and where there is
 * none now; -errno where they can't be read: what was read before came with the call before, and the next
 * call goes on with what can. Some 50 ns for each event. */
ssize_t lookback_reader_batch(struct lookback_reader *reader, size_t most,
	struct lookback_reader_batch *batch, size_t size);

/* The values of a field in the events of the last batch: *column, of `size` bytes. 0, also where no
 * event has such a field. */
int lookback_reader_column(struct lookback_reader *reader, const char *field,
	struct lookback_reader_column *column, size_t size);

#ifdef __cplusplus
}
#endif

#endif
