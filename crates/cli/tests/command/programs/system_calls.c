// Makes system calls by libc's functions, most of which call each other, between two marks. With what it is
// told to do: files, threads, interruptions, cancellation, processes.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

#define MUST(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "line %d: %s, errno %d\n", __LINE__, #condition, errno); \
			_exit(1); \
		} \
	} while (0)

static void mark(void)
{
	// Nobody has this number.
	MUST(getpgid(0x7ffffff0) == -1 && errno == ESRCH);
}

static void files(void)
{
	char name[] = "file-XXXXXX";
	int fd = mkstemp(name);
	MUST(fd >= 0);
	FILE *file = fdopen(fd, "w+");
	MUST(file && fprintf(file, "%0200000d", 1) == 200000 && !fflush(file));
	rewind(file);
	char *text = malloc(200001);
	MUST(fread(text, 1, 200000, file) == 200000 && !fclose(file));
	free(text);
	struct stat status;
	MUST(!stat(name, &status) && status.st_size == 200000);
	MUST(!rename(name, "other") && access(name, F_OK) == -1 && !truncate("other", 7) && !unlink("other"));
	struct addrinfo *found;
	MUST(!getaddrinfo("localhost", "80", NULL, &found));
	freeaddrinfo(found);
	MUST(syscall(SYS_getppid) == getppid());
	char *directory = getcwd(NULL, 0);
	MUST(directory && opendir(directory));
	free(directory);
}

// All are there before one ends, whose stack another one could get.
static pthread_barrier_t all_there;

static void *calls(void *count)
{
	pthread_barrier_wait(&all_there);
	for (long i = 0; i < (long)count; i++)
		MUST(getppid() > 0);
	return NULL;
}

static void threads(long count)
{
	pthread_t threads[8];
	MUST(!pthread_barrier_init(&all_there, NULL, 8));
	for (int i = 0; i < 8; i++)
		MUST(!pthread_create(&threads[i], NULL, calls, (void *)count));
	for (int i = 0; i < 8; i++)
		MUST(!pthread_join(threads[i], NULL));
}

static volatile int alarms;

static void alarmed(int signal)
{
	(void)signal;
	alarms++;
	MUST(getppid() > 0);
}

// A call that is restarted goes on, and one that isn't says so.
static void interruptions(void)
{
	int ends[2];
	char byte;
	MUST(!pipe(ends));
	for (int restarts = 0; restarts < 2; restarts++) {
		struct sigaction action = {.sa_handler = alarmed, .sa_flags = restarts ? SA_RESTART : 0};
		MUST(!sigaction(SIGALRM, &action, NULL));
		ualarm(20000, 0);
		if (restarts) {
			pid_t child = fork();
			if (!child) {
				usleep(100000);
				_exit(write(ends[1], "x", 1) != 1);
			}
			MUST(read(ends[0], &byte, 1) == 1 && byte == 'x' && waitpid(child, NULL, 0) == child);
		} else {
			MUST(read(ends[0], &byte, 1) == -1 && errno == EINTR);
		}
		MUST(alarms == restarts + 1);
	}
	struct timespec second = {0, 50000000};
	ualarm(10000, 0);
	MUST(nanosleep(&second, &second) == -1 && errno == EINTR && second.tv_nsec < 45000000);
}

static volatile int cleaned;

static void clean(void *what)
{
	cleaned += *(int *)what;
}

static int ends[2];

static void *waits(void *asynchronous)
{
	int one = 1;
	char byte;
	pthread_cleanup_push(clean, &one);
	if (asynchronous)
		MUST(!pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL));
	MUST(read(ends[0], &byte, 1) == -1);
	pthread_cleanup_pop(0);
	return NULL;
}

static void cancellation(void)
{
	MUST(!pipe(ends));
	for (long i = 0; i < 40; i++) {
		pthread_t thread;
		void *result;
		MUST(!pthread_create(&thread, NULL, waits, (void *)(i % 2)));
		usleep(i % 4 * 1000);
		MUST(!pthread_cancel(thread) && !pthread_join(thread, &result));
		MUST(result == PTHREAD_CANCELED);
	}
	printf("%d cleaned\n", cleaned > 0);
}

static void processes(void)
{
	char *words[] = {"/bin/true", NULL};
	pid_t child;
	int status;
	MUST(!posix_spawn(&child, words[0], NULL, NULL, words, environ));
	MUST(waitpid(child, &status, 0) == child && !status);
	MUST(!system("exit 0"));
	FILE *pipe = popen("echo hello", "r");
	char line[10];
	MUST(pipe && fgets(line, sizeof(line), pipe) && !strcmp(line, "hello\n") && !pclose(pipe));
	if (!(child = vfork()))
		_exit(3);
	MUST(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3);
	if (!(child = fork()))
		exit(getppid() > 0 ? 4 : 5);
	MUST(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 4);
}

int main(int count, char **words)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	mark();
	for (int i = 1; i < count; i++) {
		if (!strcmp(words[i], "files"))
			files();
		if (!strcmp(words[i], "threads"))
			threads(1000);
		if (!strcmp(words[i], "interruptions"))
			interruptions();
		if (!strcmp(words[i], "cancellation"))
			cancellation();
		if (!strcmp(words[i], "processes"))
			processes();
		while (!strcmp(words[i], "until stopped") && access("stop", F_OK))
			threads(1000);
	}
	mark();
	puts("done");
	return 0;
}
