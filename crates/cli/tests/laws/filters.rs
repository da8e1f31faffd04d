//! Filters are evaluated in the program's threads, handlers and children: as little of that is seen.

use crate::support::Program;

/// True of every event, by looking at everything that can be looked at: numbers, names, CPUs, texts.
const ALL: &str =
    "@default if !(common_pid < 0 || COMM == \"?\" && CPU > 8191) && (COMM ~ \"*[!/]*\" || CPU == 8192)";

/// True of none.
const NONE: &str = "@default if common_pid < 0 || COMM ~ \"*[?]*[?]*\"";

/// Programs, each with the way that it goes.
const PROGRAMS: [(&str, &str); 8] = [
    ("registers", ""),
    ("errno", ""),
    ("making", "fork"),
    ("making", "vfork"),
    ("making", "handler"),
    ("threads", "many"),
    ("executing", "spawn"),
    ("handlers", "flags"),
];

#[test]
fn what_a_filter_looks_at_changes_nothing() {
    for (name, way) in PROGRAMS {
        let program = Some(way).filter(|way| !way.is_empty()).into_iter();
        let program = program.fold(Program::c(name, &[]), Program::arg);
        let untraced = program.untraced();
        assert!(untraced.is_ok(), "{name} {way} without lookback: {untraced}");
        let (traced, all) = program.traced_with(&["-q", "-e", ALL]);
        assert_eq!(untraced, traced, "{name} {way}");
        assert!(all.count("sched_process_exec") > 0, "{name} {way}");
        all.assert_consistent();
        let (traced, none) = program.traced_with(&["-q", "-e", NONE]);
        assert_eq!(untraced, traced, "{name} {way}");
        assert_eq!(none.events, [], "{name} {way}");
    }
}
