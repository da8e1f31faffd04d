//! Tasks of Tokio.

use crate::common::*;
use crate::converting::converted;
use crate::converting_perfetto::ask;

/// The tasks of `examples/tokio` as JSON, without what differs from run to run.
fn tasks(scratch: &Scratch) -> Vec<String> {
    let program = build_tokio_example();
    run(&mut scratch.record(&["-q", "-e", "tokio_task*:"], &[&program])).success();
    let printed = run(&mut scratch.report(&["--tasks", "--json"])).success().stdout;
    printed.lines().map(str::to_owned).collect()
}

/// What a line of JSON has under a key, up to the next one.
fn member<'a>(line: &'a str, key: &str) -> &'a str {
    let (_, after) = line.split_once(&format!("\"{key}\":")).unwrap();
    after.split_once(['}', ',']).unwrap().0
}

#[test]
fn polls_and_wakes_of_tasks_are_told() {
    let scratch = Scratch::new();
    let found = tasks(&scratch);
    let of_task = |line: &String| {
        let number = |key| member(line, key).parse::<u64>().unwrap();
        let polls = member(&line[line.find("\"polls\"").unwrap()..], "count").parse::<u64>();
        let name = member(line, "name").trim_matches('"').to_owned();
        (name, member(line, "state").to_owned(), polls.unwrap(), number("wakes"), number("own_wakes"))
    };
    let found: Vec<_> = found.iter().map(of_task).collect();
    let is = |name: &str, state: &str, polls, wakes, own| {
        let task = (name.to_owned(), format!("\"{state}\""), polls, wakes, own);
        assert!(found.contains(&task), "{task:?}: {found:?}");
    };
    // Dropping a future is no poll. Who asks is polled first, and woken by the answer.
    is("asks", "ended", 2, 1, 0);
    is("answers", "ended", 1, 0, 0);
    is("spins", "ended", 100, 99, 99);
    is("blocks", "ended", 1, 0, 0);
    is("files", "ended", 1, 0, 0);
    is("forgets", "forgotten", 1, 0, 0);
    assert_eq!(found.len(), 8, "{found:?}");
    let table = run(&mut scratch.report(&["--tasks"])).success().stdout;
    let line = |name: &str| table.lines().find(|line| line.contains(&format!(" {name} "))).unwrap();
    // Nobody polls others meanwhile, and it is the one that takes most.
    assert!(line("blocks").contains(" (main.rs:"), "{table}");
    assert!(line("asks").ends_with("  ended, woken by 3 answers"), "{table}");
    assert!(line("spins").ends_with("  ended, woken by itself"), "{table}");
    assert!(line("forgets").ends_with("  idle, and nothing can wake it"), "{table}");
}

#[test]
fn what_a_trace_without_wakes_has_is_told() {
    let scratch = Scratch::new();
    let program = build_tokio_example();
    run(&mut scratch.record(&["-q", "-e", "tokio_task:"], &[&program])).success();
    let table = run(&mut scratch.report(&["--tasks"])).success().stdout;
    assert!(table.contains("\nthe trace has no wakes; "), "{table}");
    // Whether anything can wake it isn't known, then.
    assert!(table.lines().any(|line| line.contains(" forgets ") && line.ends_with("  idle")), "{table}");
    run(&mut scratch.record(&["-q"], &["true"])).success();
    run(&mut scratch.report(&["--tasks"])).failure(125, &["the trace has no tasks: `-e 'tokio_task*:'`"]);
}

#[test]
fn perfetto_shows_tasks_by_their_names_and_who_wakes_them() {
    if is_missing(&["node"]) {
        return;
    }
    let scratch = Scratch::new();
    tasks(&scratch);
    converted(&scratch, "trace.pftrace", &[]);
    let polls = "SELECT name, COUNT(*) FROM slice WHERE name IN ('spins', 'blocks', 'asks') \
                 AND dur > 0 GROUP BY 1 ORDER BY 1";
    // One more each: that the future is dropped.
    assert_eq!(ask(&scratch, "trace.pftrace", polls), "asks\t3\nblocks\t2\nspins\t101\n");
    let flows = "SELECT COUNT(*) FROM flow f JOIN slice o ON f.slice_out = o.id JOIN slice i \
                 ON f.slice_in = i.id WHERE o.category = 'tokio_task_waker' AND i.name = 'asks'";
    assert_ne!(ask(&scratch, "trace.pftrace", flows), "0\n");
}
