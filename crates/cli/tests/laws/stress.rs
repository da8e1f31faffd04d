//! Everything at once: processes, threads, signals, and kills at random instants.

use crate::support::Program;
use std::collections::BTreeMap;

#[test]
fn killed_at_random_nothing_is_torn_or_disordered() {
    let (run, trace) = Program::c("stress", &[]).arg("5").traced_with(&["-q", "-b", "65536"]);
    assert!(run.is_ok(), "{run}");
    // Every line of the report was an event; each of the program's calls is one that it makes.
    let known = [
        "pipe",
        "write",
        "read",
        "close",
        "open",
        "access",
        "usleep",
        "vfork",
        "waitpid",
        "_exit",
        "fork",
        "kill",
        "sigaction",
        "setitimer",
        "pthread_create",
        "pthread_join",
    ];
    let mut last = BTreeMap::new();
    let is_libc = |name: &str| !name.starts_with("sched_process") && !name.starts_with("signal_");
    for event in trace.events.iter().filter(|event| is_libc(&event.name)) {
        let call = event.name.strip_suffix("_exit").filter(|call| !call.is_empty()).unwrap_or(&event.name);
        assert!(known.contains(&call) || call == "puts" || call == "exit", "{event:?}");
        let before = last.insert(event.tid, event.time);
        assert!(before.is_none_or(|before| before <= event.time), "{event:?}");
        if event.name == "open_exit" {
            let text = "ret=-1 error=ENOENT pathname=\"/no/such/file/of/the/stress\" duration=";
            assert!(event.text.starts_with(text), "{}", event.text);
        }
    }
    assert!(last.len() > 50, "{} threads", last.len());
    trace.assert_consistent();
}
