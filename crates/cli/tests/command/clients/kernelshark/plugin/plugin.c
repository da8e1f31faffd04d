/*
 * A plugin of KernelShark that reports which events it has loaded: a line for each as it comes, with CPU,
 * time in ns, PID and name.
 */
#include <libkshark-plugin.h>
#include <libkshark-tepdata.h>
#include <libkshark.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void tell(struct kshark_data_stream *stream, void *record, struct kshark_entry *entry)
{
	char *name = kshark_event_from_id(stream->stream_id, entry->event_id);

	(void)record;
	/* After the name of its system. */
	printf("event %d %lld %d %s\n", entry->cpu, (long long)entry->ts, entry->pid, strchr(name, '/') + 1);
	fflush(stdout);
	free(name);
}

int KSHARK_PLOT_PLUGIN_INITIALIZER(struct kshark_data_stream *stream)
{
	int *ids = kshark_get_all_event_ids(stream);

	for (int number = 0; number < stream->n_events; number++)
		kshark_register_event_handler(stream, ids[number], tell);
	free(ids);
	return 1;
}

int KSHARK_PLOT_PLUGIN_DEINITIALIZER(struct kshark_data_stream *stream)
{
	(void)stream;
	return 1;
}
