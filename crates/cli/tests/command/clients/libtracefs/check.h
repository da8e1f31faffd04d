/*
 * What the checks of libtracefs share. Each file checks one part of the library on a session's control tree
 * and ends with the first thing that isn't as on a kernel.
 */
#ifndef CHECK_H
#define CHECK_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <tracefs.h>

/* Ends the program unless it is so. */
#define CHECK(condition)                                                                      \
	do {                                                                                  \
		if (!(condition)) {                                                           \
			fprintf(stderr, "%s:%d: not so: %s (errno: %s)\n", __FILE__,          \
				__LINE__, #condition, strerror(errno));                       \
			exit(1);                                                              \
		}                                                                             \
	} while (0)

/* The same of texts, which are shown. */
#define CHECK_TEXT(found, expected)                                                           \
	do {                                                                                  \
		const char *shown = (found);                                                  \
		if (!shown || strcmp(shown, (expected))) {                                      \
			fprintf(stderr, "%s:%d: %s is \"%s\", not \"%s\"\n", __FILE__,        \
				__LINE__, #found, shown ? shown : "(null)", (expected));        \
			exit(1);                                                              \
		}                                                                             \
	} while (0)

/* All of a file. It is kept until the next call. */
const char *content(struct tracefs_instance *instance, const char *file);

/*
 * Whether a directory was named. In 1.6.4 tracefs_file_exists(), tracefs_instance_exists() and what uses them
 * look at the system's tracefs all the same.
 */
extern bool is_elsewhere;

/* Whether there is this file. */
bool is_there(struct tracefs_instance *instance, const char *file);

/* Whether a list ends with NULL and has the text. */
bool has(char **list, const char *text);

/* Runs `cat FILE` in the session, on this CPU alone, to its end. */
void cat(int cpu, const char *file);

/* Stays on this CPU. */
void stay_on(int cpu);

void check_events(void);
void check_raw_events(void);
void check_filters(void);
void check_options(void);
void check_instances(void);
void check_markers(void);
void check_control(void);
void check_snapshots(void);
void check_pages(void);
void check_absent(void);

#endif
