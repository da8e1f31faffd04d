/* Snapshots. This version of the library knows them as files only. */
#include "check.h"
#include <kbuffer.h>
#include <unistd.h>

/* How many events are in the pages of a file. */
static int events_in(const char *file, const char *text)
{
	struct tracefs_cpu *cpu;
	struct kbuffer *pages = kbuffer_alloc(KBUFFER_LSIZE_8, KBUFFER_ENDIAN_LITTLE);
	unsigned long long time;
	char page[4096];
	int found = 0, descriptor = tracefs_instance_file_open(NULL, file, O_RDONLY | O_NONBLOCK);

	CHECK(descriptor >= 0);
	cpu = tracefs_cpu_alloc_fd(descriptor, sizeof(page), true);
	CHECK(cpu);
	while (tracefs_cpu_read(cpu, page, true) > 0) {
		CHECK(!kbuffer_load_subbuffer(pages, page));
		for (char *event; (event = kbuffer_read_event(pages, &time)); kbuffer_next_event(pages, NULL))
			found += !!memmem(event, kbuffer_event_size(pages), text, strlen(text));
	}
	kbuffer_free(pages);
	tracefs_cpu_close(cpu);
	return found;
}

void check_snapshots(void)
{
	CHECK(strstr(content(NULL, "snapshot"), "# * Snapshot is freed *\n"));
	stay_on(0);
	CHECK(tracefs_printf(NULL, "before it") >= 0);
	CHECK(tracefs_instance_file_write(NULL, "snapshot", "1") == 1);
	CHECK(tracefs_printf(NULL, "after it") >= 0);
	CHECK(strstr(content(NULL, "snapshot"), ": before it\n") && !strstr(content(NULL, "snapshot"), "after it"));
	CHECK(strstr(content(NULL, "trace"), ": after it\n") && !strstr(content(NULL, "trace"), "before it"));
	CHECK(strstr(content(NULL, "per_cpu/cpu0/snapshot"), ": before it\n"));
	CHECK(events_in("per_cpu/cpu0/snapshot_raw", "before it") == 1);
	CHECK(tracefs_instance_file_write(NULL, "snapshot", "2") == 1);
	CHECK(strstr(content(NULL, "snapshot"), "* Snapshot is allocated *"));
	/* By a trigger, when an event comes. */
	CHECK(tracefs_event_file_write(NULL, "libc", "open", "trigger", "snapshot:1") > 0);
	cat(0, "/etc/passwd");
	CHECK(strstr(content(NULL, "snapshot"), ": after it\n"));
	CHECK(tracefs_event_file_write(NULL, "libc", "open", "trigger", "!snapshot") > 0);
	CHECK(tracefs_instance_file_write(NULL, "snapshot", "0") == 1);
	CHECK(strstr(content(NULL, "snapshot"), "* Snapshot is freed *"));
	tracefs_print_close(NULL);
}
