/* What a program finds of itself: threads, memory, what it allocates. */
#include "law.h"
#include <dirent.h>
#include <malloc.h>

static int threads(void)
{
	int count = 0;
	DIR *directory = opendir("/proc/self/task");
	while (readdir(directory))
		count++;
	closedir(directory);
	return count - 2;
}

/* Pages that belong to no file: what the process costs in memory of its own. */
static long private_kilobytes(void)
{
	char line[256];
	long sum = 0, value;
	FILE *stream = fopen("/proc/self/smaps_rollup", "r");
	while (fgets(line, sizeof(line), stream))
		if (sscanf(line, "Anonymous: %ld", &value) == 1)
			sum += value;
	fclose(stream);
	return sum;
}

/* Address space taken by what wasn't there without lookback. */
static long mapped_kilobytes(void)
{
	char line[PATH_MAX + 256];
	unsigned long from, to, sum = 0;
	FILE *stream = fopen("/proc/self/maps", "r");
	while (fgets(line, sizeof(line), stream))
		if (strstr(line, "lookback") && sscanf(line, "%lx-%lx", &from, &to) == 2)
			sum += to - from;
	fclose(stream);
	return sum / 1024;
}

static void *nothing(void *argument)
{
	access("/nowhere", F_OK);
	return argument;
}

int main(int argc, char **argv)
{
	struct mallinfo2 before = mallinfo2();
	/* Before anything else allocates: nobody did before main. */
	printf("%zu in use, %zu blocks\n", before.uordblks, before.ordblks);
	printf("%d threads\n", threads());
	before = mallinfo2();
	for (int i = 0; i < 1000; i++) {
		nothing(NULL);
		pid_t child = i % 100 ? -1 : fork();
		if (child == 0)
			_exit(0);
		if (child > 0)
			waitpid(child, NULL, 0);
	}
	struct mallinfo2 after = mallinfo2();
	printf("%zu more in use\n", after.uordblks - before.uordblks);
	for (int i = 0; i < 10; i++) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, nothing, NULL) == 0)
			pthread_join(thread, NULL);
	}
	printf("%d threads\n", threads());
	printf("break %d\n", sbrk(0) > (void *)&failures);
	if (argc > 1)
		fprintf(stderr, "%ld %ld\n", private_kilobytes(), mapped_kilobytes());
	return done();
}
