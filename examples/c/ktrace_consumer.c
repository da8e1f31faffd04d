/*
 * Consumes the records of a session's tracepoints with formats where they lie, and counts them.
 *
 *     cc -o ktrace_consumer examples/c/ktrace_consumer.c $(pkg-config --cflags --libs lookback)
 *     lookback start -e 'ktrace:*'; lookback run -- ./orders 60 &
 *     ./ktrace_consumer
 *
 * It goes on until a signal ends it: then it takes what is left, and says what it has seen.
 */
#include <lookback_consumer.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_BUFFERS = 1024, BATCH = 4096 };

struct buffer {
	struct lookback_consumer *consumer;
	/* What was looked at and not said to be consumed yet. */
	uint64_t numbers[BATCH];
	uint16_t ids[BATCH];
	int looked;
};

static struct buffer *buffers[MOST_BUFFERS];
static int opened;
static uint64_t counts[65536], consumed;
static volatile sig_atomic_t is_over;

static void end(int number)
{
	(void)number;
	is_over = 1;
}

static int open_buffer(const char *session, int cpu)
{
	struct buffer *buffer = calloc(1, sizeof *buffer);

	if (!buffer || opened == MOST_BUFFERS)
		return 0;
	buffer->consumer = lookback_consumer_open(session, cpu);
	if (!buffer->consumer) {
		free(buffer);
		if (errno == ENXIO)
			return 0;
		perror("lookback_consumer_open");
		exit(1);
	}
	buffers[opened++] = buffer;
	return 1;
}

/* Looks at records, and says that they are consumed: whether there were any. */
static int consume(struct buffer *buffer)
{
	struct lookback_consumer_record record;
	uint64_t whole;

	for (buffer->looked = 0; buffer->looked < BATCH; buffer->looked++) {
		if (!lookback_consumer_next(buffer->consumer, &record))
			break;
		buffer->numbers[buffer->looked] = record.number;
		buffer->ids[buffer->looked] = record.id;
	}
	if (lookback_consumer_put_consumed(buffer->consumer, lookback_consumer_position(buffer->consumer), &whole)) {
		perror("lookback_consumer_put_consumed");
		exit(1);
	}
	for (int index = 0; index < buffer->looked; index++) {
		if (buffer->numbers[index] >= whole) {
			counts[buffer->ids[index]]++;
			consumed++;
		}
	}
	return buffer->looked > 0;
}

int main(int count, char **arguments)
{
	const char *session = count > 1 ? arguments[1] : NULL;
	struct sigaction action = {.sa_handler = end};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	for (int cpu = 0; open_buffer(session, cpu); cpu++)
		;
	for (int lane = 0; open_buffer(session, LOOKBACK_LANE(lane)); lane++)
		;
	puts("consuming");
	fflush(stdout);
	for (;;) {
		int was_over = is_over, has_found = 0;

		for (int index = 0; index < opened; index++)
			has_found |= consume(buffers[index]);
		if (!has_found && was_over)
			break;
		if (!has_found)
			lookback_consumer_poll(buffers[0]->consumer, 1);
	}
	for (int id = 0; id < 65536; id++)
		if (counts[id])
			printf("%llu of '%s'\n", (unsigned long long)counts[id],
				lookback_consumer_format(buffers[0]->consumer, id));
	printf("consumed %llu\n", (unsigned long long)consumed);
	for (int index = 0; index < opened; index++) {
		lookback_consumer_close(buffers[index]->consumer);
		free(buffers[index]);
	}
	return 0;
}
