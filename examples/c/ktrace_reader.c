/*
 * Shows the records of tracepoints with formats, and takes them out of the buffers, by the interface of
 * ktrace: files in a mounted tree, and nothing else.
 *
 *     cc -o ktrace_reader examples/c/ktrace_reader.c
 *     lookback start -e 'ktrace:*'; lookback mount /mnt; lookback run -- ./orders
 *     ./ktrace_reader /mnt/ktrace 1000
 *
 * It ends when nothing has come for so many milliseconds; without a number it doesn't end.
 */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/types.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define KTRACE_BUF_GET_SIZE     _IOR(0xF5, 0x00, __u32)
#define KTRACE_BUF_GET_PRODUCED _IOR(0xF5, 0x01, __u32)
#define KTRACE_BUF_GET_CONSUMED _IOR(0xF5, 0x02, __u32)
#define KTRACE_BUF_PUT_CONSUMED _IOW(0xF5, 0x04, __u32)

enum { MOST_BUFFERS = 1024, MOST_EVENTS = 65536 };

static char *formats[MOST_EVENTS];

/* Reads the names and formats of all tracepoints: a format may have line ends, so that "' id N" ends it. */
static void read_info(const char *tree)
{
	char path[4096], *text = 0;
	size_t size = 0;
	FILE *file;

	snprintf(path, sizeof path, "%s/info", tree);
	file = fopen(path, "r");
	if (!file || getdelim(&text, &size, 0, file) < 0)
		perror(path), exit(1);
	fclose(file);
	for (char *at = text; (at = strstr(at, "\nname '")); at++) {
		char *name = at + 7, *format = strstr(name, "' format '"), *end;
		unsigned id;

		if (!format || !(end = strstr(format, "' id ")) || sscanf(end, "' id %u", &id) != 1)
			break;
		free(formats[id % MOST_EVENTS]);
		formats[id % MOST_EVENTS] = strndup(format + 10, end - format - 10);
	}
	free(text);
}

/* Takes a number of so many bytes. */
static long long take(const unsigned char **at, int size, int is_signed)
{
	long long number = 0;

	memcpy(&number, *at, size);
	*at += size;
	if (is_signed && size < 8 && number >> (8 * size - 1))
		number -= 1LL << 8 * size;
	return number;
}

/* Shows the argument of a conversion that begins at FORMAT, after the sign, and gives its end. */
static const char *show(const char *format, const unsigned char **at)
{
	char flags[64] = "%";
	int size = 4, width = -1;
	size_t len = 1;

	for (; !isalpha((unsigned char)*format); format++) {
		if (*format == '*') {
			width = take(at, 4, 1);
			len += snprintf(flags + len, sizeof flags - len, "%d", width);
		} else if (len < 40) {
			flags[len++] = *format;
		}
	}
	for (; strchr("hlqLjzt", *format); format++)
		size = *format == 'h' ? size / 2 : 8;
	flags[len] = 0;
	if (width < 0)
		width = atoi(flags + 1);
	if (*format == 'p' && format[1] == 'h' && len > 1) {
		for (int byte = 0; byte < width; byte++)
			printf("%s%02x", byte && format[2] != 'N' ? " " : "", *(*at)++);
		return format + (format[2] == 'N' ? 3 : 2);
	}
	if (*format == 's') {
		strcat(flags, "s");
		printf(flags, (const char *)*at);
		*at += strlen((const char *)*at) + 1;
	} else if (*format == 'c') {
		strcat(flags, "c");
		printf(flags, (int)take(at, 1, 0));
	} else if (*format == 'p') {
		strcat(flags, "p");
		printf(flags, (void *)take(at, 8, 0));
	} else {
		strcat(flags, "ll");
		flags[len + 2] = *format;
		flags[len + 3] = 0;
		printf(flags, take(at, size, *format == 'd' || *format == 'i'));
	}
	return format + 1;
}

/* Shows records, and gives the end of the last one. A record that isn't known yet has made INFO change. */
static void show_records(const char *tree, const unsigned char *at, const unsigned char *end)
{
	while (at + 2 <= end) {
		unsigned id = take(&at, 2, 0);

		if (!formats[id])
			read_info(tree);
		if (!formats[id])
			fprintf(stderr, "a record of id %u, which is not in info\n", id), exit(1);
		for (const char *format = formats[id]; *format;) {
			if (*format != '%')
				putchar(*format++);
			else if (format[1] == '%')
				putchar('%'), format += 2;
			else
				format = show(format + 1, &at);
		}
		putchar('\n');
	}
}

/* Shows all that there is in a buffer, and takes it out. */
static void consume(const char *tree, int buffer)
{
	__u32 produced, consumed;
	size_t len, done = 0;
	unsigned char *records;

	if (ioctl(buffer, KTRACE_BUF_GET_PRODUCED, &produced) || ioctl(buffer, KTRACE_BUF_GET_CONSUMED, &consumed))
		perror("ioctl"), exit(1);
	len = produced - consumed;
	records = malloc(len + 1);
	while (done < len) {
		ssize_t got = read(buffer, records + done, len - done);

		if (got <= 0)
			perror("read"), exit(1);
		done += got;
	}
	show_records(tree, records, records + len);
	fflush(stdout);
	free(records);
	if (len && ioctl(buffer, KTRACE_BUF_PUT_CONSUMED, &produced))
		perror("KTRACE_BUF_PUT_CONSUMED"), exit(1);
}

int main(int count, char **arguments)
{
	static struct pollfd buffers[MOST_BUFFERS];
	int opened = 0, most = count > 2 ? atoi(arguments[2]) : -1;
	const char *tree = count > 1 ? arguments[1] : "ktrace";
	char path[4096];
	struct dirent *entry;
	DIR *directory;

	snprintf(path, sizeof path, "%s/buffers", tree);
	directory = opendir(path);
	if (!directory)
		return perror(path), 1;
	while ((entry = readdir(directory)) && opened < MOST_BUFFERS) {
		if (entry->d_name[0] == '.')
			continue;
		buffers[opened].fd = openat(dirfd(directory), entry->d_name, O_RDONLY);
		buffers[opened].events = POLLIN;
		if (buffers[opened++].fd < 0)
			return perror(entry->d_name), 1;
	}
	while (poll(buffers, opened, most) > 0)
		for (int buffer = 0; buffer < opened; buffer++)
			if (buffers[buffer].revents)
				consume(tree, buffers[buffer].fd);
	return 0;
}
