/* What a program may have, and what it is told of it. */
#include "law.h"

static long locked_kb(void)
{
	char line[256];
	long kb = -1;
	FILE *status = fopen("/proc/self/status", "r");
	NEED(status);
	while (fgets(line, sizeof(line), status))
		if (sscanf(line, "VmLck: %ld", &kb) == 1)
			break;
	fclose(status);
	return kb;
}

static void say(const char *what, int result)
{
	printf("%s %d %s\n", what, result, result ? strerror(errno) : "");
}

/* What is locked, in pages: all of the program's, and nothing else. */
static void locked(const char *what)
{
	printf("%s: %ld KB locked\n", what, locked_kb());
}

static void *lock_in_thread(void *flags)
{
	say("mlockall", mlockall(*(int *)flags));
	return NULL;
}

static void lock_all(int flags, int limit_kb, int in_thread)
{
	struct rlimit limit = { limit_kb << 10, limit_kb << 10 };
	pthread_t thread;
	if (limit_kb >= 0)
		NEED(setrlimit(RLIMIT_MEMLOCK, &limit) == 0 && setuid(65534) == 0);
	locked("before");
	if (in_thread) {
		NEED(pthread_create(&thread, NULL, lock_in_thread, &flags) == 0);
		pthread_join(thread, NULL);
	} else {
		lock_in_thread(&flags);
	}
	locked("after");
	void *more = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	say("mmap", more == MAP_FAILED ? -1 : 0);
	locked("with more");
	say("mlockall", mlockall(MCL_CURRENT));
	locked("again");
	more = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	locked("with still more");
	say("munlockall", munlockall());
	locked("at the end");
}

/* How much can be mapped, in MB. */
static int space(void)
{
	int mapped = 0;
	while (mapped < 2000 && mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
		mapped++;
	return mapped;
}

static void show(const char *who)
{
	struct rlimit limit, same;
	NEED(getrlimit(RLIMIT_AS, &limit) == 0);
	CHECK(prlimit(0, RLIMIT_AS, NULL, &same) == 0 && memcmp(&limit, &same, sizeof(same)) == 0);
	CHECK(prlimit(getpid(), RLIMIT_AS, NULL, &same) == 0 && memcmp(&limit, &same, sizeof(same)) == 0);
	printf("%s: %ld KB, at most %ld\n", who, (long)limit.rlim_cur >> 10, (long)limit.rlim_max >> 10);
	fflush(stdout);
}

static void limit_addresses(long soft_kb, long hard_kb, int by_prlimit)
{
	struct rlimit limit = { soft_kb << 10, hard_kb << 10 }, before, bad = { 2, 1 };
	char *words[] = { "limits", "space", NULL };
	NEED(getrlimit(RLIMIT_AS, &before) == 0);
	if (by_prlimit) {
		struct rlimit old;
		CHECK(prlimit(0, RLIMIT_AS, &limit, &old) == 0 && memcmp(&old, &before, sizeof(old)) == 0);
	} else {
		CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
	}
	show("own");
	CHECK(setrlimit(RLIMIT_AS, &bad) == -1 && errno == EINVAL);
	CHECK(setrlimit(RLIMIT_AS, (struct rlimit *)1) == -1 && errno == EFAULT);
	CHECK(prlimit(0, RLIMIT_AS, &limit, (struct rlimit *)1) == -1 && errno == EFAULT);
	limit.rlim_cur -= 1 << 20;
	CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
	show("less");
	limit.rlim_cur += 1 << 20;
	CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
	pid_t child = fork();
	if (child == 0) {
		show("child");
		printf("child: space for %d MB\n", space());
		exit(failures);
	}
	CHECK(reap(child) == 0);
	child = vfork();
	if (child == 0) {
		execv("/proc/self/exe", words);
		_exit(1);
	}
	CHECK(reap(child) == 0);
	execv("/nowhere", words);
	printf("own: space for %d MB\n", space());
	fflush(stdout);
	execv("/proc/self/exe", words);
	exit(1);
}

int main(int argc, char **argv)
{
	if (strcmp(argv[1], "space") == 0) {
		show("executed");
		printf("executed: space for %d MB\n", space());
	} else if (strcmp(argv[1], "addresses") == 0) {
		limit_addresses(atol(argv[2]), atol(argv[3]), argc > 4);
	} else {
		lock_all(atoi(argv[2]), atoi(argv[3]), argc > 4);
	}
	return done();
}
