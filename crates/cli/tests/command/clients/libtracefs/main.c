/*
 * libtracefs on a session: one part of it, named by the argument.
 *
 *     cc -D_GNU_SOURCE -o libtracefs *.c $(pkg-config --cflags --libs libtracefs)
 *     lookback exec -- ./libtracefs events
 *     lookback mount /mnt/tracing && ./libtracefs events /mnt/tracing
 *
 * It switches events on and off and clears the buffer. $LOOKBACK is the command that runs programs in the
 * session.
 */
#include "check.h"
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
	const char *name;
	void (*check)(void);
} parts[] = {
	{"events", check_events},       {"raw-events", check_raw_events}, {"filters", check_filters},
	{"options", check_options},     {"instances", check_instances},   {"markers", check_markers},
	{"control", check_control},     {"snapshots", check_snapshots},   {"pages", check_pages},
	{"absent", check_absent},
};

bool is_elsewhere;

bool is_there(struct tracefs_instance *instance, const char *file)
{
	char *path = tracefs_instance_get_file(instance, file);
	bool is_there = !access(path, F_OK);

	tracefs_put_tracing_file(path);
	CHECK(is_elsewhere || tracefs_file_exists(instance, file) == is_there);
	return is_there;
}

const char *content(struct tracefs_instance *instance, const char *file)
{
	static char *kept;

	free(kept);
	kept = tracefs_instance_file_read(instance, file, NULL);
	/* The library gives nothing for what is empty, too. */
	CHECK(kept || is_there(instance, file));
	return kept ? kept : "";
}

bool has(char **list, const char *text)
{
	for (; list && *list; list++) {
		if (!strcmp(*list, text))
			return true;
	}
	return false;
}

void stay_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	CHECK(!sched_setaffinity(0, sizeof(set), &set));
}

void cat(int cpu, const char *file)
{
	const char *lookback = getenv("LOOKBACK");
	int status;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (!pid) {
		stay_on(cpu);
		CHECK(freopen("/dev/null", "w", stdout));
		execlp(lookback ? lookback : "lookback", "lookback", "run", "-q", "--", "cat", file, NULL);
		_exit(127);
	}
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

int main(int argc, char **argv)
{
	size_t part = 0, count = sizeof(parts) / sizeof(parts[0]);

	while (argc > 1 && part < count && strcmp(parts[part].name, argv[1]))
		part++;
	if (argc < 2 || argc > 3 || part == count) {
		fprintf(stderr, "expected PART [DIRECTORY]; the parts are:");
		for (part = 0; part < count; part++)
			fprintf(stderr, " %s", parts[part].name);
		fprintf(stderr, "\n");
		return 2;
	}
	is_elsewhere = argc == 3;
	if (is_elsewhere) {
		CHECK(!tracefs_set_tracing_dir(argv[2]));
		CHECK_TEXT(tracefs_tracing_dir(), argv[2]);
	}
	parts[part].check();
	printf("%s\n", tracefs_tracing_dir());
	return 0;
}
