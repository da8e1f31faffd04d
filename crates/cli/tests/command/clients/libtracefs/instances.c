/* Instances: made, found, listed, used by their files, removed. */
#include "check.h"
#include <sched.h>
#include <unistd.h>

static void check_life(void)
{
	struct tracefs_instance *made = tracefs_instance_create("made"), *again;
	char *directory;

	CHECK(made && tracefs_instance_is_new(made));
	CHECK(is_elsewhere || (tracefs_instance_exists("made") && !tracefs_instance_exists("other")));
	CHECK_TEXT(tracefs_instance_get_name(made), "made");
	CHECK_TEXT(tracefs_instance_get_trace_dir(made), tracefs_tracing_dir());
	directory = tracefs_instance_get_dir(made);
	CHECK(strstr(directory, "/instances/made") && !access(directory, F_OK));
	again = tracefs_instance_create("made");
	CHECK(again && !tracefs_instance_is_new(again));
	tracefs_instance_free(again);
	CHECK(!tracefs_instance_alloc(NULL, "other"));
	again = tracefs_instance_alloc(NULL, "made");
	CHECK(again && tracefs_dir_exists(again, "per_cpu/cpu0") && is_there(again, "tracing_on"));
	tracefs_instance_free(again);
	CHECK(!tracefs_instance_destroy(made));
	CHECK(!tracefs_instance_exists("made"));
	CHECK(access(directory, F_OK) && errno == ENOENT);
	CHECK(tracefs_instance_destroy(made));
	tracefs_put_tracing_file(directory);
	tracefs_instance_free(made);
}

static int count(const char *name, void *data)
{
	char *names = data;

	strcat(strcat(names, name), " ");
	return !strcmp(name, "b");
}

static void check_walk(void)
{
	struct tracefs_instance *a = tracefs_instance_create("a"), *b = tracefs_instance_create("b");
	char names[100] = "", **list = tracefs_instances("^[ab]$");

	CHECK(a && b && has(list, "a") && has(list, "b") && tracefs_list_size(list) == 2);
	tracefs_list_free(list);
	list = tracefs_instances(NULL);
	CHECK(has(list, "flight"));
	tracefs_list_free(list);
	/* It ends with what the callback gives. */
	CHECK(tracefs_instances_walk(count, names) == 1 && strstr(names, "b "));
	CHECK(!tracefs_instance_destroy(a) && !tracefs_instance_destroy(b));
	names[0] = 0;
	CHECK(tracefs_instances_walk(count, names) == 0 && strstr(names, "flight ") && !strstr(names, "b "));
	tracefs_instance_free(a);
	tracefs_instance_free(b);
}

static void check_files(struct tracefs_instance *instance)
{
	char *file = tracefs_instance_get_file(instance, "trace_clock"), text[8];
	long long number = -1;
	int size, on;

	CHECK(strstr(file, "/instances/used/trace_clock"));
	tracefs_put_tracing_file(file);
	CHECK(tracefs_instance_file_write(instance, "set_event", "libc:open") == 9);
	CHECK(tracefs_instance_file_append(instance, "set_event", "libc:close") == 10);
	file = tracefs_instance_file_read(instance, "set_event", &size);
	CHECK(strstr(file, "libc:open\n") && strstr(file, "libc:close\n") && size == 21);
	free(file);
	CHECK_TEXT(content(NULL, "set_event"), "");
	CHECK(!tracefs_instance_file_clear(instance, "set_event"));
	CHECK_TEXT(content(instance, "set_event"), "");
	CHECK(!tracefs_instance_file_read_number(instance, "tracing_on", &number) && number == 1);
	CHECK(tracefs_instance_file_read_number(instance, "trace_clock", &number));
	CHECK(tracefs_instance_file_write(instance, "trace_clock", "nothing") < 0 && errno == EINVAL);
	CHECK(!tracefs_instance_file_read(instance, "nothing", NULL));
	on = tracefs_instance_file_open(instance, "tracing_on", -1);
	CHECK(on >= 0 && read(on, text, sizeof(text)) == 2 && !strncmp(text, "1\n", 2));
	close(on);
}

static void check_cpus(struct tracefs_instance *instance)
{
	char *mask;
	cpu_set_t set;

	CHECK(tracefs_instance_set_affinity(instance, "0") >= 0);
	mask = tracefs_instance_get_affinity(instance);
	CHECK_TEXT(mask, "0");
	free(mask);
	CHECK(tracefs_instance_get_affinity_set(instance, &set, sizeof(set)) == 1 && CPU_ISSET(0, &set));
	CHECK(tracefs_instance_set_affinity(instance, NULL) >= 0);
	mask = tracefs_instance_get_affinity_raw(instance);
	CHECK_TEXT(mask, content(NULL, "tracing_cpumask"));
	free(mask);
	CPU_ZERO(&set);
	CPU_SET(0, &set);
	CHECK(tracefs_instance_set_affinity_set(instance, &set, sizeof(set)) >= 0);
	CHECK(atoi(content(instance, "tracing_cpumask")) == 1);
	CHECK(tracefs_instance_set_affinity_raw(instance, "1") >= 0);
}

static void check_size(struct tracefs_instance *instance)
{
	ssize_t all, one, first = tracefs_instance_get_buffer_size(instance, 0);

	CHECK(!tracefs_instance_set_buffer_size(instance, 128, -1));
	one = tracefs_instance_get_buffer_size(instance, 0);
	CHECK(one >= 128 && one < first);
	all = tracefs_instance_get_buffer_size(instance, -1);
	CHECK(all == sysconf(_SC_NPROCESSORS_CONF) * one);
	CHECK(!tracefs_instance_set_buffer_size(instance, 64, 0));
	CHECK(tracefs_instance_get_buffer_size(instance, 0) < 128);
}

/* Nobody takes away what is in use. */
static void check_busy(struct tracefs_instance *instance)
{
	int file = tracefs_instance_file_open(instance, "trace_pipe", O_RDONLY);

	CHECK(file >= 0);
	CHECK(tracefs_instance_destroy(instance) && errno == EBUSY);
	close(file);
	CHECK(!tracefs_instance_destroy(instance));
	tracefs_instance_free(instance);
	instance = tracefs_instance_alloc(NULL, "flight");
	CHECK(instance && tracefs_instance_destroy(instance) && errno == EBUSY);
	tracefs_instance_free(instance);
}

void check_instances(void)
{
	struct tracefs_instance *used;

	check_life();
	check_walk();
	used = tracefs_instance_create("used");
	CHECK(used);
	check_files(used);
	check_cpus(used);
	check_size(used);
	check_busy(used);
}
