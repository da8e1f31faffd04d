/* Descriptors: those that the program has are all that there are. */
#include "law.h"
#include <dirent.h>

/* What the test looks for in the trace: a call after whatever was done to the descriptors. */
static void mark(void)
{
	CHECK(access("/marked", F_OK) == -1 && errno == ENOENT);
}

static void list(void)
{
	DIR *directory = opendir("/proc/self/fd");
	struct dirent *entry;
	while ((entry = readdir(directory)))
		printf("%s\n", entry->d_name);
	closedir(directory);
}

/* Ends without a word: there is nowhere to say it. */
static int silently(void)
{
	mark();
	CHECK(open("/dev/null", O_RDWR) == 0);
	CHECK(dup(0) == 1);
	int ends[2];
	CHECK(pipe(ends) == 0 && ends[0] == 2 && ends[1] == 3);
	return failures ? 1 : 42;
}

static int in_loop(void)
{
	for (int fd = 3; fd < 1024; fd++)
		if (close(fd) == 0)
			printf("%d was open\n", fd);
	mark();
	list();
	return done();
}

static int by_range(void)
{
	CHECK(close_range(3, ~0U, 0) == 0);
	CHECK(close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) == 0);
	closefrom(3);
	mark();
	list();
	return done();
}

/* With this limit only `space` more can be opened. */
static int limited(int space)
{
	int opened = 0;
	while (open("/dev/null", O_RDONLY) >= 0)
		opened++;
	CHECK(errno == EMFILE);
	CHECK(opened == space);
	mark();
	return done();
}

int main(int argc, char **argv)
{
	NEED(argc > 1);
	if (!strcmp(argv[1], "list")) {
		list();
		return done();
	}
	if (!strcmp(argv[1], "everything")) {
		closefrom(0);
		return silently();
	}
	if (!strcmp(argv[1], "closed"))
		return silently();
	if (!strcmp(argv[1], "loop"))
		return in_loop();
	if (!strcmp(argv[1], "range"))
		return by_range();
	return limited(atoi(argv[1]));
}
