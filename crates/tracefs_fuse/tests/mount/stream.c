/* Streams the trace_pipe of a tracing directory's instance, or of itself, with libtracefs.
 *
 * stream DIRECTORY INSTANCE|"" wait|nonblocking MILLISECONDS */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <tracefs.h>

static struct tracefs_instance *instance;

static void stop(int signal)
{
	(void)signal;
	tracefs_trace_pipe_stop(instance);
}

int main(int count, char **arguments)
{
	struct sigaction action = { .sa_handler = stop };
	struct itimerval limit = { 0 };
	ssize_t len;
	int error;

	if (count != 5 || tracefs_set_tracing_dir(arguments[1]))
		return 2;
	if (*arguments[2])
		instance = tracefs_instance_alloc(NULL, arguments[2]);
	sigaction(SIGALRM, &action, NULL);
	limit.it_value.tv_usec = atoi(arguments[4]) * 1000;
	setitimer(ITIMER_REAL, &limit, NULL);
	errno = 0;
	len = tracefs_trace_pipe_print(instance, strcmp(arguments[3], "wait") ? O_NONBLOCK : 0);
	error = errno;
	fprintf(stderr, "%zd %s\n", len, strerrorname_np(error));
	return 0;
}
