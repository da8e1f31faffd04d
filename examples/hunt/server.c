/* A server with four defects that show once in a while, under load:
 *
 *   - a request in a thousand waits for 200 ms: a retry that sleeps
 *   - a request in three hundred keeps a lock while it writes to a slow place: others wait for it
 *   - a request whose file is not there forgets to close the directory that it has opened
 *   - after so many requests, the first argument, one writes to address 0
 *
 *     cc -g -pthread -o server server.c && ./server 10000
 *
 * docs/hunting.md finds them.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t journal_lock = PTHREAD_MUTEX_INITIALIZER;
static long last_request;
static long requests;

static void pause_ms(long ms)
{
	struct timespec time = { .tv_nsec = ms * 1000000 };
	nanosleep(&time, NULL);
}

/* Asks again later, for the rare case that a backend is busy. */
static void retry_backend(void)
{
	pause_ms(200);
}

static void write_journal(long number)
{
	char line[32];
	int length = snprintf(line, sizeof line, "request %ld\n", number);
	pthread_mutex_lock(&journal_lock);
	int file = open("/dev/null", O_WRONLY);
	write(file, line, length);
	if (number % 300 == 299)
		pause_ms(30);
	close(file);
	pthread_mutex_unlock(&journal_lock);
}

static void read_page(long number)
{
	char path[32], page[512];
	snprintf(path, sizeof path, number % 250 == 249 ? "page-%ld" : "hostname", number);
	int directory = open("/etc", O_RDONLY | O_DIRECTORY);
	int file = openat(directory, path, O_RDONLY);
	if (file < 0)
		return;
	read(file, page, sizeof page);
	close(file);
	close(directory);
}

static void reply(long number, char *buffer)
{
	buffer[0] = (char)number;
}

static void *serve(void *unused)
{
	char buffer[64];
	for (;;) {
		long number = __atomic_fetch_add(&requests, 1, __ATOMIC_RELAXED);
		read_page(number);
		write_journal(number);
		if (number % 1000 == 500)
			retry_backend();
		reply(number, number == last_request ? NULL : buffer);
	}
	return unused;
}

int main(int count, char **arguments)
{
	pthread_t threads[8];
	last_request = count > 1 ? atol(arguments[1]) : -1;
	alarm(60);
	for (int index = 0; index < 8; index++)
		pthread_create(&threads[index], NULL, serve, NULL);
	for (int index = 0; index < 8; index++)
		pthread_join(threads[index], NULL);
}
