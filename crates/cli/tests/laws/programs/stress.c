/* Processes with threads and signals that record, some of which are killed at random. */
#include "law.h"

static volatile sig_atomic_t handled;

static void handler(int signal)
{
	int error = errno;
	access("/handler", F_OK);
	handled++;
	errno = error;
}

static void *calls(void *argument)
{
	int ends[2];
	char bytes[64] = "";
	for (unsigned i = 0;; i++) {
		if (pipe(ends))
			_exit(1);
		if (write(ends[1], bytes, 1 + i % 64) != 1 + i % 64)
			_exit(2);
		if (read(ends[0], bytes, 64) != 1 + i % 64)
			_exit(3);
		close(ends[0]);
		close(ends[1]);
		if (i % 16 == 0)
			open("/no/such/file/of/the/stress", O_RDONLY);
		/* All that is recorded has to be read again. */
		if (i % 64 == 0)
			usleep(30000);
	}
	return argument;
}

static void *short_lived(void *argument)
{
	access("/short", F_OK);
	return argument;
}

static void work(void)
{
	pthread_t thread;
	handle(SIGALRM, handler, SA_RESTART);
	every(ITIMER_REAL, 700);
	for (int i = 0; i < 2; i++)
		pthread_create(&thread, NULL, calls, NULL);
	for (;;) {
		if (pthread_create(&thread, NULL, short_lived, NULL) == 0)
			pthread_join(thread, NULL);
		pid_t child = vfork();
		if (child == 0)
			_exit(0);
		waitpid(child, NULL, 0);
		usleep(500);
	}
}

int main(int argc, char **argv)
{
	enum { PROCESSES = 4 };
	pid_t children[PROCESSES] = { 0 };
	int killed = 0;
	double length = argc > 1 ? atof(argv[1]) : 1;
	srand(getpid());
	for (double end = seconds() + length; seconds() < end; usleep(rand() % 20000)) {
		int which = rand() % PROCESSES;
		if (children[which] == 0) {
			children[which] = fork();
			if (children[which] == 0)
				work();
		} else if (rand() % 2) {
			kill(children[which], SIGKILL);
			CHECK(reap(children[which]) == -1);
			children[which] = 0;
			killed++;
		}
	}
	for (int i = 0; i < PROCESSES; i++)
		if (children[i]) {
			kill(children[i], SIGKILL);
			CHECK(reap(children[i]) == -1);
		}
	CHECK(killed > 3);
	return done();
}
