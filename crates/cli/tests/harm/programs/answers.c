/* Prints what the system says of the process. Lines that may differ are left out here, by name. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void limits(void)
{
	for (int resource = 0; resource < RLIM_NLIMITS; resource++) {
		struct rlimit limit;
		int result = getrlimit(resource, &limit);
		printf("limit %d: %d %ju %ju\n", resource, result, (uintmax_t)limit.rlim_cur,
		       (uintmax_t)limit.rlim_max);
	}
}

static int starts(const char *line, const char *name)
{
	return strncmp(line, name, strlen(name)) == 0;
}

/* What is left out: numbers of processes, and sizes that are in use (with lookback there are the object
   and the session); counts of switches. */
static void status(void)
{
	static const char *varying[] = {
		"SigQ:",  "Pid:",    "Tgid:",   "Ngid:",  "PPid:",  "TracerPid:", "NStgid:",  "NSpid:",
		"NSpgid:", "NSsid:", "VmPeak:", "VmSize:", "VmHWM:", "VmRSS:",     "RssAnon:", "RssFile:",
		"RssShmem:", "VmData:", "VmLib:", "VmPTE:", "voluntary_ctxt", "nonvoluntary_ctxt",
		/* Has the signals of errors, which take snapshots. */
		"SigCgt:",
	};
	char line[4096];
	FILE *file = fopen("/proc/self/status", "r");
	while (fgets(line, sizeof line, file)) {
		int varies = 0;
		for (size_t i = 0; i < sizeof varying / sizeof *varying; i++)
			varies |= starts(line, varying[i]);
		if (!varies)
			fputs(line, stdout);
	}
	fclose(file);
}

/* Mappings but for the object, the session and the zeroed part of the object's data after it. */
static void maps(void)
{
	char line[4096], kinds[65536] = "";
	unsigned long long from, to, end_of_object = 0;
	FILE *file = fopen("/proc/self/maps", "r");
	while (fgets(line, sizeof line, file)) {
		char rights[8], name[1024] = "";
		sscanf(line, "%llx-%llx %7s %*s %*s %*s %1023[^\n]", &from, &to, rights, name);
		if (strstr(name, "liblookback") || strstr(name, "/session") || strstr(name, "lookback-")) {
			end_of_object = to;
			continue;
		}
		if (!*name && from == end_of_object)
			continue;
		if (strstr(name, "[heap]") || strstr(name, "[stack]") || *name == '/') {
			strcat(kinds, rights);
			strcat(kinds, strrchr(name, '/') ? strrchr(name, '/') : name);
			strcat(kinds, "\n");
		}
	}
	fclose(file);
	fputs(kinds, stdout);
}

static void descriptors(void)
{
	DIR *directory = opendir("/proc/self/fd");
	int count = 0;
	while (readdir(directory))
		count++;
	closedir(directory);
	int next = open("/dev/null", O_RDONLY);
	printf("%d descriptors, the next is %d\n", count, next);
	close(next);
}

static void signals(void)
{
	for (int number = 1; number < NSIG; number++) {
		struct sigaction action;
		if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_DFL)
			printf("signal %d: %s %x\n", number, action.sa_handler == SIG_IGN ? "ignored" : "handled",
			       action.sa_flags);
	}
	sigset_t set;
	sigprocmask(SIG_BLOCK, NULL, &set);
	for (int number = 1; number < NSIG; number++)
		if (sigismember(&set, number) == 1)
			printf("signal %d: blocked\n", number);
	stack_t stack;
	sigaltstack(NULL, &stack);
	printf("alternative stack: %d\n", stack.ss_flags);
}

static void failed(const char *name, int result)
{
	printf("%s: %d, errno %d\n", name, result, errno);
}

static void errors(void)
{
	errno = 4711;
	free(malloc(10));
	failed("free", 0);
	failed("open", open("missing", O_RDONLY));
	failed("close", close(-1));
	failed("mmap", mmap(NULL, 0, PROT_READ, MAP_PRIVATE, -1, 0) == MAP_FAILED);
	failed("execve", execl("/missing", "missing", NULL));
	failed("kill", kill(0x3fffffff, 0));
	failed("waitpid", waitpid(-1, NULL, 0));
}

static void *thread(void *argument)
{
	char name[32] = "", *kept = argument;
	pthread_attr_t attributes;
	size_t size = 0, guard = 0;
	pthread_getname_np(pthread_self(), name, sizeof name);
	pthread_getattr_np(pthread_self(), &attributes);
	pthread_attr_getstacksize(&attributes, &size);
	pthread_attr_getguardsize(&attributes, &guard);
	pthread_attr_destroy(&attributes);
	printf("thread %s: %s, stack %zu, guard %zu\n", kept, name, size, guard);
	return kept;
}

static void others(void)
{
	char name[32] = "", directory[4096];
	cpu_set_t cpus;
	prctl(PR_GET_NAME, name);
	sched_getaffinity(0, sizeof cpus, &cpus);
	printf("%s: umask %o, nice %d, %d CPUs, policy %d, dumpable %d, session %d\n", name, umask(022),
	       getpriority(PRIO_PROCESS, 0), CPU_COUNT(&cpus), sched_getscheduler(0), prctl(PR_GET_DUMPABLE),
	       getsid(0) == getpid());
	(void)!getcwd(directory, sizeof directory);
	pthread_t other;
	void *result;
	pthread_create(&other, NULL, thread, "one");
	pthread_join(other, &result);
	printf("joined: %s\n", (char *)result);
	struct timespec resolution;
	clock_getres(CLOCK_MONOTONIC, &resolution);
	printf("resolution: %ld\n", resolution.tv_nsec);
}

int main(void)
{
	limits();
	status();
	maps();
	descriptors();
	signals();
	errors();
	others();
	return 0;
}
