/* A thousand processes that come and go, and ten thousand threads. */
#include "law.h"

static int in_child(int number)
{
	char path[32];
	snprintf(path, sizeof(path), "/child-%d", number);
	for (int i = 0; i < 5; i++)
		if (access(path, F_OK) == 0)
			return 1;
	free(malloc(number + 1));
	return 0;
}

static void processes(void)
{
	enum { AT_ONCE = 20 };
	pid_t children[AT_ONCE];
	for (int i = 0; i < 1000; i += AT_ONCE) {
		for (int j = 0; j < AT_ONCE; j++) {
			children[j] = fork();
			if (children[j] == 0)
				_exit(in_child(i + j));
		}
		for (int j = 0; j < AT_ONCE; j++)
			CHECK(reap(children[j]) == 0);
	}
}

static void *in_thread(void *argument)
{
	access("/thread", F_OK);
	return argument;
}

static void threads(void)
{
	enum { AT_ONCE = 20 };
	pthread_t started[AT_ONCE];
	for (int i = 0; i < 10000; i += AT_ONCE) {
		for (int j = 0; j < AT_ONCE; j++)
			NEED(pthread_create(&started[j], NULL, in_thread, NULL) == 0);
		for (int j = 0; j < AT_ONCE; j++)
			CHECK(pthread_join(started[j], NULL) == 0);
	}
}

int main(int argc, char **argv)
{
	if (argc > 1)
		threads();
	else
		processes();
	return done();
}
