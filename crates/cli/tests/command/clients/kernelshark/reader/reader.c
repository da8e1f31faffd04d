/* Prints what KernelShark's library finds in a recording, as trace-cmd does. */
#include <libkshark-tepdata.h>
#include <libkshark.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	struct kshark_context *context = NULL;
	struct kshark_entry **entries = NULL;
	ssize_t count;

	if (argc != 2 || !kshark_instance(&context) || kshark_open(context, argv[1]) < 0) {
		fprintf(stderr, "expected a recording\n");
		return 1;
	}
	kshark_tep_init_all_buffers(context, 0);
	count = kshark_load_all_entries(context, &entries);
	for (ssize_t number = 0; number < count; number++) {
		struct kshark_entry *entry = entries[number];
		char *event = kshark_get_event_name(entry), *task = kshark_get_task(entry);
		char *info = kshark_get_info(entry);

		/* The name of an event is after that of its system. */
		printf("%s-%d [%03d] %lld.%09lld: %s: %s\n", task, kshark_get_pid(entry), entry->cpu,
		       (long long)entry->ts / 1000000000, (long long)entry->ts % 1000000000,
		       strchr(event, '/') + 1, info);
		free(event);
		free(task);
		free(info);
	}
	kshark_close_all(context);
	kshark_free(context);
	return count < 0;
}
