/* Executing programs in every way: what they get is what they were given, but for the two variables by which
 * they are traced. */
#include "law.h"
#include <spawn.h>
#include <sys/stat.h>

static char *self;

/* What is executed: says what it was given. */
static int child(int argc, char **argv)
{
	printf("%d:", argc);
	for (int i = 0; i < argc; i++)
		printf(" %s", i ? argv[i] : "self");
	for (char **entry = environ; *entry; entry++)
		if (strncmp(*entry, "LD_PRELOAD=", 11) && strncmp(*entry, "LOOKBACK_SESSION=", 17))
			printf(" [%s]", *entry);
	printf("\n");
	fflush(stdout);
	access("/executed", F_OK);
	return 23;
}

static void run(int way)
{
	char *words[] = { self, "child", "2", "3", "4", "5", "6", "7", NULL };
	char *own[] = { "A=1", "B=2", "PATH=/nowhere", NULL }, *empty[] = { NULL };
	char *quoting[] = { "LD_PRELOAD=", "LOOKBACK_SESSION=/nowhere", "A=2", NULL };
	static char *large[2001], text[2000][8];
	for (int i = 0; i < 2000; i++) {
		snprintf(text[i], 8, "V%d=", i);
		large[i] = text[i];
	}
	int fd;
	switch (way) {
	case 0: execl(self, self, "child", NULL);
	case 1: execl(self, self, "child", "2", "3", "4", "5", "6", "7", "8", NULL);
	case 2: execlp(self, self, "child", "2", "3", "4", "5", "6", NULL);
	case 3: execle(self, self, "child", NULL, own);
	case 4: execle(self, self, "child", "2", "3", "4", "5", "6", "7", NULL, own);
	case 5: execv(self, words);
	case 6: execvp(self, words);
	case 7: execvpe(self, words, own);
	case 8: execve(self, words, own);
	case 9: execve(self, words, empty);
	case 10: execve(self, words, NULL);
	case 11: execve(self, words, quoting);
	case 12:
		fd = open(self, O_RDONLY | O_CLOEXEC);
		fexecve(fd, words, own);
	case 13:
		clearenv();
		setenv("ONLY", "this", 1);
		execv(self, words);
	case 14: execve(self, words, large + 1990);
	case 15: execve(self, words, large + 1000);
	}
	_exit(1);
}

enum { WAYS = 16 };

static void all_ways(void)
{
	for (int way = 0; way < WAYS; way++) {
		pid_t child = way % 2 ? fork() : vfork();
		if (child == 0)
			run(way);
		CHECK(reap(child) == 23);
	}
}

/* Too large to be completed: executed as it is, but not followed. */
static void too_large(void)
{
	static char *large[2001], text[2000][8], *words[] = { "true", NULL };
	for (int i = 0; i < 2000; i++) {
		snprintf(text[i], 8, "V%d=", i);
		large[i] = text[i];
	}
	pid_t child = fork();
	if (child == 0) {
		execve("/bin/true", words, large);
		_exit(1);
	}
	CHECK(reap(child) == 0);
}

static void spawns(void)
{
	char *words[] = { self, "child", "spawned", NULL }, *own[] = { "A=1", NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t mask;
	pid_t child;
	int ends[2];
	char line[100] = "";
	NEED(pipe2(ends, O_CLOEXEC) == 0);
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR2);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
	posix_spawn_file_actions_addopen(&actions, 99, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addclose(&actions, 99);
	posix_spawn_file_actions_addchdir_np(&actions, "/");
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_RESETIDS);
	posix_spawnattr_setsigmask(&attributes, &mask);
	CHECK(posix_spawn(&child, self, &actions, &attributes, words, own) == 0);
	CHECK(read(ends[0], line, sizeof(line) - 1) > 0 && !strcmp(line, "3: self child spawned [A=1]\n"));
	CHECK(reap(child) == 23);
	CHECK(posix_spawn(NULL, self, NULL, NULL, words, NULL) == 0);
	CHECK(wait(NULL) > 0);
	CHECK(posix_spawnp(&child, "true", NULL, NULL, words, environ) == 0);
	CHECK(reap(child) == 0);
	CHECK(posix_spawn(&child, "/nowhere", NULL, NULL, words, own) == ENOENT);
	CHECK(posix_spawn(&child, (void *)8, NULL, NULL, words, own) == EFAULT);
}

/* What programs get that were linked with an older libc: scripts need not name an interpreter. */
extern int old_posix_spawn(pid_t *, const char *, const posix_spawn_file_actions_t *,
			   const posix_spawnattr_t *, char *const *, char *const *);
__asm__(".symver old_posix_spawn, posix_spawn@GLIBC_2.2.5");

static void old_spawn(void)
{
	char name[64], *words[] = { name, NULL };
	pid_t child;
	snprintf(name, sizeof(name), "/tmp/law-executing-%d", getpid());
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
	CHECK(write(fd, "exit 9\n", 7) == 7 && close(fd) == 0);
	CHECK(posix_spawn(&child, name, NULL, NULL, words, environ) == ENOEXEC);
	CHECK(old_posix_spawn(&child, name, NULL, NULL, words, environ) == 0);
	CHECK(reap(child) == 9);
	unlink(name);
}

int main(int argc, char **argv)
{
	self = argv[0];
	if (argc > 1 && !strcmp(argv[1], "child"))
		return child(argc, argv);
	/* What the tests themselves are run with is of no interest. */
	clearenv();
	setenv("OURS", "1", 1);
	setenv("PATH", "/bin:/usr/bin", 1);
	if (argc > 1 && !strcmp(argv[1], "spawn"))
		spawns();
	else if (argc > 1 && !strcmp(argv[1], "old"))
		old_spawn();
	else if (argc > 1 && !strcmp(argv[1], "large"))
		too_large();
	else
		all_ways();
	return done();
}
