/* What there isn't is refused as by a kernel that is built without it; nothing hangs or falls over. */
#include "check.h"

static void check_histograms(struct tep_handle *tep)
{
	struct tracefs_hist *hist;
	struct tracefs_synth *synth;

	hist = tracefs_hist_alloc(tep, "libc", "open", "common_pid", TRACEFS_HIST_KEY_NORMAL);
	CHECK(hist && tracefs_hist_start(NULL, hist) && errno == ENOENT);
	tracefs_hist_free(hist);
	synth = tracefs_synth_alloc(tep, "opened", "libc", "open", "libc", "open_exit", "common_pid",
				    "common_pid", "pid");
	CHECK(synth && tracefs_synth_create(synth));
	tracefs_synth_free(synth);
	CHECK(!is_there(NULL, "synthetic_events"));
}

static void check_probes(void)
{
	struct tracefs_dynevent *probe = tracefs_eprobe_alloc(NULL, "probe", "libc", "open", NULL);
	struct tracefs_dynevent **all;

	CHECK(probe && tracefs_dynevent_create(probe));
	tracefs_dynevent_free(probe);
	CHECK(tracefs_kprobe_raw(NULL, "probe", "do_sys_open", NULL));
	all = tracefs_dynevent_get_all(TRACEFS_DYNEVENT_ALL, NULL);
	CHECK(!all || !all[0]);
	tracefs_dynevent_list_free(all);
	CHECK(!tracefs_dynevent_get(TRACEFS_DYNEVENT_EPROBE, NULL, "probe"));
	CHECK(!tracefs_dynevent_destroy_all(TRACEFS_DYNEVENT_ALL, true));
}

static void check_functions(void)
{
	char **functions = NULL;

	CHECK(tracefs_function_filter(NULL, "open", NULL, TRACEFS_FL_RESET));
	CHECK(tracefs_function_notrace(NULL, "open", NULL, TRACEFS_FL_RESET));
	CHECK(tracefs_filter_functions("open", NULL, &functions) <= 0);
	CHECK(tracefs_list_size(functions) <= 0);
	CHECK(!is_there(NULL, "kprobe_events"));
}

void check_absent(void)
{
	struct tep_handle *tep = tracefs_local_events(NULL);

	check_histograms(tep);
	check_probes();
	check_functions();
	tep_free(tep);
}
