/*
 * Consumes the records of tracepoints with formats (DO_TRACE, do_trace!) where they lie in a session's
 * buffers, while programs write more.
 *
 *     struct lookback_consumer *consumer = lookback_consumer_open(NULL, 0);
 *     struct lookback_consumer_record record;
 *
 *     while (lookback_consumer_poll(consumer, -1) > 0) {
 *         while (lookback_consumer_next(consumer, &record) > 0)
 *             ...look at the record...
 *         lookback_consumer_put_consumed(consumer, lookback_consumer_position(consumer), NULL);
 *     }
 *
 * Errors, ownership and threads: see lookback_session.h. docs/ktrace.md has more.
 */
#ifndef LOOKBACK_CONSUMER_H
#define LOOKBACK_CONSUMER_H

#include "lookback_session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Programs without rseq write to lanes, of which each has a consumer, too: lookback_consumer_open(NULL,
 * LANE). */
#define LOOKBACK_LANE(number) (-1 - (number))

/* The consumer of a CPU, or of a lane. */
struct lookback_consumer;

/* A record where it lies. */
struct lookback_consumer_record {
	/* Its number among the CPU's events. Numbers grow for as long as the session exists. */
	uint64_t number;
	/* Its time in the buffer's clock: ticks of the processor's counter, or nanoseconds where that isn't
	 * used. */
	uint64_t time;
	/* How many events before it were overwritten before they were reached. */
	uint64_t lost;
	/* The event, as events/ktrace/NAME/format describes it, from its common fields on. It may be
	 * overwritten at any moment: what was read of it counts once lookback_consumer_put_consumed has
	 * said so. */
	const void *data;
	/* Its bytes. */
	uint32_t size;
	/* The thread that has written it. */
	int32_t tid;
	/* The CPU that it was written on. */
	uint32_t cpu;
	/* The id of its tracepoint, as ktrace/info has it. */
	uint16_t id;
};

/* Opens the consumer of a CPU of a session: of this name, of this path if it has a '/', or for NULL of the
 * one that $LOOKBACK_SESSION names, or the default one. NULL with errno: EBUSY while somebody else
 * consumes events of this CPU, or of all; ENXIO for a CPU that doesn't exist; ENOENT, EACCES and others
 * where the session can't be opened; EPROTO for a session of another version. */
struct lookback_consumer *lookback_consumer_open(const char *session, int cpu);

/* The next record: 1, and *record; 0 when there is none now. */
int lookback_consumer_next(struct lookback_consumer *consumer, struct lookback_consumer_record *record);

/* The position after the last record, for lookback_consumer_put_consumed. Positions are numbers of events.
 * */
uint64_t lookback_consumer_position(const struct lookback_consumer *consumer);

/* Bytes of the CPU's buffer. */
uint64_t lookback_consumer_size(const struct lookback_consumer *consumer);

/* The position after the last event that was written. */
uint64_t lookback_consumer_produced(const struct lookback_consumer *consumer);

/* The position of the first event that was not consumed. */
uint64_t lookback_consumer_consumed(const struct lookback_consumer *consumer);

/* Consumes all events before a position: nobody gets them any more. *whole, unless it is NULL, becomes the
 * number of the first event that had not been overwritten by then: what was read of records with a smaller
 * number may be anything, and they count as overwritten. 0; or, and nothing was consumed, -ERANGE for a
 * position after lookback_consumer_produced, -EAGAIN when somebody else consumes the same events without
 * end. */
int lookback_consumer_put_consumed(struct lookback_consumer *consumer, uint64_t position, uint64_t *whole);

/* Waits until there is a record, for so many milliseconds at most, or without end if that is negative. 1
 * when there is one; 0 when there is none; -EINTR after a signal handler. Programs that trace wake nobody:
 * it looks every 1 to 10 ms. */
int lookback_consumer_poll(struct lookback_consumer *consumer, int milliseconds);

/* Packs a record as the files ktrace/buffers/cpuN have it: its id, and its arguments one after the other.
 * Gives its bytes, of which as many are in `packed` as fit; -ENOENT for what is no record. */
ssize_t lookback_consumer_pack(struct lookback_consumer *consumer,
	const struct lookback_consumer_record *record, void *packed, size_t size);

/* The format of the tracepoint with this id. NULL with ENOENT where there is none. It stays until the
 * consumer is closed. */
const char *lookback_consumer_format(struct lookback_consumer *consumer, uint16_t id);

/* Closes it. What was not consumed stays in the buffer. NULL is allowed. */
void lookback_consumer_close(struct lookback_consumer *consumer);

#ifdef __cplusplus
}
#endif

#endif
