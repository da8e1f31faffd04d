/* Works on files, and prints how its calls on descriptors are to be shown, in their order. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* What is read from `fd` is shown with this name. */
static void say(int fd, const char *name)
{
	char byte[8];

	dprintf(1, "read(fd=%d%s, \n", fd, name);
	read(fd, byte, sizeof(byte));
}

int main(void)
{
	char *const words[] = { "cat", NULL }, *const none[] = { NULL };
	int directory = open("/etc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int file = openat(directory, "passwd", O_RDONLY);
	int copy = dup(file), nothing, number;
	posix_spawn_file_actions_t actions;
	pid_t child;

	say(file, "</etc/passwd>");
	dprintf(1, "close(fd=%d</etc/passwd>)\n", file);
	close(file);
	say(copy, "</etc/passwd>");

	/* Streams close what they are made of without a word; others get the number then. */
	number = directory;
	closedir(fdopendir(directory));
	fclose(fdopen(copy, "r"));
	directory = eventfd(1, EFD_NONBLOCK);
	say(directory, "");
	copy = eventfd(1, EFD_NONBLOCK);
	say(copy, "");

	/* A spawned program's descriptors are as the parent has asked for, which isn't recorded. */
	file = open("/etc/passwd", O_RDONLY);
	dup2(file, 0);
	nothing = open("/dev/null", O_RDONLY);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, nothing, 0);
	posix_spawnp(&child, "cat", &actions, NULL, words, none);
	waitpid(child, NULL, 0);
	say(0, "</etc/passwd>");
	if (fork() == 0) {
		say(file, "</etc/passwd>");
		_exit(0);
	}
	wait(NULL);
	return number < 0;
}
