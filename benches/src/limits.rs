//! What the project promises of the values that are measured.

use core::fmt::{Display, Formatter, Result};

/// A limit of a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    /// It is not more.
    AtMost(f64),
    /// It is not less.
    AtLeast(f64),
}

/// The limits by the names of the rows.
const LIMITS: &[(&str, Limit)] = &[
    ("event_u64_vs_rdtsc", Limit::AtMost(2.0)),
    ("event_str_vs_rdtsc", Limit::AtMost(2.2)),
    ("event_disabled_ns", Limit::AtMost(0.3)),
    ("lttng_vs_event_u64", Limit::AtLeast(5.0)),
    ("lttng_vs_event_str", Limit::AtLeast(5.0)),
    ("threads8_vs_1", Limit::AtMost(1.15)),
    ("author_event_vs_rdtsc", Limit::AtMost(2.0)),
    ("do_trace_two_args_vs_rdtsc", Limit::AtMost(1.5)),
    ("do_trace_string_vs_rdtsc", Limit::AtMost(1.9)),
    ("do_trace_disabled_ns", Limit::AtMost(0.3)),
    ("lttng_tracef_vs_ours", Limit::AtLeast(5.0)),
    ("lttng_tracepoint_vs_ours", Limit::AtLeast(5.0)),
    ("consumer_mmap_GBps", Limit::AtLeast(2.0)),
    ("python_iterate_Mevents_per_s", Limit::AtLeast(1.0)),
    ("python_arrow_Mevents_per_s", Limit::AtLeast(10.0)),
    ("span_enter_exit_ns", Limit::AtMost(100.0)),
    ("tracing_off_ns", Limit::AtMost(1.0)),
    ("exec_added_us", Limit::AtMost(30.0)),
    ("write_u64_vs_rdtsc", Limit::AtMost(1.75)),
    ("write_64B_vs_rdtsc", Limit::AtMost(2.0)),
    ("page_change_ns", Limit::AtMost(150.0)),
    ("ring_threads8_vs_1", Limit::AtMost(1.1)),
    ("snapshot_us", Limit::AtMost(0.1)),
    ("iterate_Mevents_per_s", Limit::AtLeast(50.0)),
    ("spsc_vs_ours", Limit::AtLeast(0.8)),
    ("lttng_vs_ours", Limit::AtLeast(6.0)),
    ("filter_reject_vs_event", Limit::AtMost(0.7)),
    ("filter_pass_added", Limit::AtMost(0.5)),
    ("second_instance_added", Limit::AtMost(1.3)),
    ("trigger_snapshot_us", Limit::AtMost(0.5)),
    ("enable_2000_events_ms", Limit::AtMost(50.0)),
    ("trace_text_vs_kernel", Limit::AtLeast(0.5)),
    ("marker_write_us", Limit::AtMost(10.0)),
    ("open_read_close_vs_bindfs", Limit::AtMost(0.85)),
    ("walk_2000_events_s", Limit::AtMost(1.0)),
    ("perfetto_export_Mevents_per_s", Limit::AtLeast(2.0)),
    ("html_1M_events_s", Limit::AtMost(5.0)),
    ("perfetto_bytes_per_event", Limit::AtMost(28.0)),
    ("sql_real_s", Limit::AtMost(1.0)),
    ("intersect_1M_x_1M_s", Limit::AtMost(1.0)),
    ("p99_32M_slices_vs_duckdb", Limit::AtMost(2.4)),
    ("parquet_bytes_per_event", Limit::AtMost(4.0)),
    ("parquet_bytes_per_call", Limit::AtMost(6.5)),
    ("parquet_Mevents_per_s", Limit::AtLeast(1.0)),
    ("raw_GBps", Limit::AtLeast(0.5)),
    ("cat_trace_vs_kernel", Limit::AtLeast(0.5)),
    ("unpatched_ns", Limit::AtMost(0.1)),
    ("unpatched_sled_ns", Limit::AtMost(0.8)),
    ("switch_10k_sites_ms", Limit::AtMost(50.0)),
    ("entry_vs_rdtsc", Limit::AtMost(1.8)),
    ("graph_per_call_vs_rdtsc", Limit::AtMost(2.8)),
    ("unrebuilt_entry", Limit::AtMost(1.9)),
    ("unrebuilt_graph", Limit::AtMost(2.8)),
    ("probe_anywhere", Limit::AtMost(2.2)),
    ("usdt", Limit::AtMost(2.0)),
    ("syscall_pair", Limit::AtMost(4.0)),
    ("plan_python3_ms", Limit::AtMost(500.0)),
    ("uprobe_int3_vs_ours", Limit::AtLeast(24.0)),
    ("uprobe_nop5_vs_ours", Limit::AtLeast(12.0)),
    ("uftrace_vs_graph", Limit::AtLeast(2.5)),
    ("xray_fdr_vs_graph", Limit::AtLeast(5.0)),
    ("start_added_us", Limit::AtMost(100.0)),
    ("filter_20k_names_ms", Limit::AtMost(20.0)),
    ("libc_call_vs_two_events", Limit::AtMost(1.5)),
    ("dbench_added_percent", Limit::AtMost(6.0)),
    ("dbench_kernel_vs_ours", Limit::AtLeast(5.0)),
    ("tbench_added_percent", Limit::AtMost(3.0)),
    ("tbench_kernel_vs_ours", Limit::AtLeast(6.0)),
    ("governor_holds_budget", Limit::AtMost(1.2)),
];

impl Limit {
    /// The limit of the row `name`, if it has one.
    pub fn of(name: &str) -> Option<Limit> {
        LIMITS.iter().find(|(of, _)| *of == name).map(|(_, limit)| *limit)
    }

    /// Whether a value keeps to it.
    pub fn allows(self, value: f64) -> bool {
        match self {
            Limit::AtMost(most) => value <= most,
            Limit::AtLeast(least) => value >= least,
        }
    }
}

impl Display for Limit {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Limit::AtMost(most) => write!(f, "<={most}"),
            Limit::AtLeast(least) => write!(f, ">={least}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_allows_its_own_value() {
        assert!(Limit::AtMost(2.0).allows(2.0) && !Limit::AtMost(2.0).allows(2.01));
        assert!(Limit::AtLeast(5.0).allows(5.0) && !Limit::AtLeast(5.0).allows(4.99));
        assert!(!Limit::AtMost(2.0).allows(f64::NAN), "what can't be compared is no success");
    }
}
