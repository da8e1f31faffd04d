/* The pages of one CPU, in all ways that the library reads them. */
#include "check.h"
#include <kbuffer.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static struct kbuffer *pages;

/* How many markers are in a page. */
static int markers_in(void *page)
{
	int found = 0;

	CHECK(!kbuffer_load_subbuffer(pages, page));
	for (char *event; (event = kbuffer_read_event(pages, NULL)); kbuffer_next_event(pages, NULL))
		found += !!memmem(event, kbuffer_event_size(pages), "marker", 6);
	return found;
}

/* The same in a file of pages. */
static int markers_in_file(int file)
{
	char page[4096];
	int found = 0;

	CHECK(!lseek(file, 0, SEEK_SET));
	while (read(file, page, sizeof(page)) == sizeof(page))
		found += markers_in(page);
	return found;
}

static void mark(int count)
{
	while (count--)
		CHECK(tracefs_printf(NULL, "marker") >= 0);
}

static struct tracefs_cpu *open_cpu(bool nonblock)
{
	struct tracefs_cpu *cpu = tracefs_cpu_open(NULL, 0, nonblock);

	CHECK(cpu && tracefs_cpu_read_size(cpu) == 4096);
	return cpu;
}

/* Whole pages, or what is there of one. */
static void check_reads(int (*take)(struct tracefs_cpu *, void *, bool))
{
	struct tracefs_cpu *cpu = open_cpu(true);
	char page[4096];
	int found = 0;

	CHECK(take(cpu, page, true) <= 0);
	mark(1000);
	while (take(cpu, page, true) == sizeof(page))
		found += markers_in(page);
	while (tracefs_cpu_flush(cpu, page) > 0)
		found += markers_in(page);
	CHECK(found == 1000);
	tracefs_cpu_close(cpu);
}

/* To a file, by splice(2) or by a pipe of the caller. */
static void check_writes(void)
{
	struct tracefs_cpu *cpu = open_cpu(true);
	FILE *file = tmpfile();

	mark(1000);
	while (tracefs_cpu_write(cpu, fileno(file), true) > 0)
		;
	while (tracefs_cpu_flush_write(cpu, fileno(file)) > 0)
		;
	CHECK(markers_in_file(fileno(file)) == 1000);
	fclose(file);
	tracefs_cpu_close(cpu);
}

static void check_pipe(void)
{
	struct tracefs_cpu *cpu = open_cpu(false);
	int ends[2], len;
	char page[4096];

	CHECK(!pipe(ends));
	CHECK(tracefs_instance_file_write(NULL, "buffer_percent", "0") > 0);
	/* The library learns only here how much its pipes hold. */
	CHECK(tracefs_cpu_buffered_read(cpu, page, true) <= 0);
	mark(200);
	len = tracefs_cpu_pipe(cpu, ends[1], false);
	CHECK(len > 0 && len % 4096 == 0);
	CHECK(read(ends[0], page, sizeof(page)) == sizeof(page) && markers_in(page) > 0);
	close(ends[0]);
	close(ends[1]);
	tracefs_cpu_close(cpu);
	CHECK(!tracefs_instance_file_clear(NULL, "trace"));
}

static void *read_one(void *cpu)
{
	char page[4096];

	return (void *)(long)tracefs_cpu_read(cpu, page, false);
}

/* A reader that waits gets what comes, and is woken when it is to stop. */
static void check_waiting(void)
{
	struct tracefs_cpu *cpu = open_cpu(false);
	pthread_t reader;
	void *len;

	CHECK(!pthread_create(&reader, NULL, read_one, cpu));
	usleep(50000);
	mark(1);
	CHECK(!pthread_join(reader, &len) && (long)len == 4096);
	CHECK(!pthread_create(&reader, NULL, read_one, cpu));
	usleep(50000);
	CHECK(tracefs_cpu_stop(cpu) >= 0);
	CHECK(!pthread_join(reader, &len) && (long)len <= 0);
	tracefs_cpu_close(cpu);
}

void check_pages(void)
{
	pages = kbuffer_alloc(KBUFFER_LSIZE_8, KBUFFER_ENDIAN_LITTLE);
	stay_on(0);
	check_reads(tracefs_cpu_read);
	check_reads(tracefs_cpu_buffered_read);
	check_writes();
	check_pipe();
	check_waiting();
	tracefs_print_close(NULL);
	kbuffer_free(pages);
}
