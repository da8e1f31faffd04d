//! Tracepoints with a format: one for each name, stopped together, and off once nobody has them.

mod common;

use abi::control::TRACEPOINT_USES;
use common::Temporary;
use control::{ControlArea, NewProcess, NotAdded};
use std::sync::atomic::Ordering::Relaxed;

fn declare(file: &ControlArea, name: &str, format: &str) -> Result<u16, NotAdded> {
    file.add_declared_event("ktrace", name, &format!("\nprint fmt: \"{format}\"\n"), format)
}

fn process(file: &ControlArea, pid: u32) -> u32 {
    file.add_process(&NewProcess { pid, time: u64::from(pid), ..NewProcess::default() }).unwrap()
}

#[test]
fn a_name_has_one_format() {
    let temporary = Temporary::new();
    let file = &temporary.file;
    let id = declare(file, "order", "order %d").unwrap();
    assert_eq!(declare(&temporary.again(), "order", "order %d"), Ok(id), "as another process has it");
    assert_eq!(declare(file, "order", "order %u"), Err(NotAdded::Declared(id)));
    assert_ne!(declare(file, "orders", "order %u"), Ok(id));
    let mut buffer = [0; 8192];
    assert_eq!(file.declaration(id, &mut buffer), Some("order %d"));
    let found = file.describe(id, &mut buffer).unwrap();
    assert_eq!((found.name, found.format), ("order", "\nprint fmt: \"order %d\"\n"));
    let other = file.add_event("shop", "order", "").unwrap();
    assert_eq!(file.declaration(other, &mut buffer), None);
}

#[test]
fn refusals_are_kept_once() {
    let temporary = Temporary::new();
    let told = || {
        let mut texts = Vec::new();
        temporary.file.refusals(|text| texts.push(text.to_string()));
        texts
    };
    for _ in 0..2 {
        temporary.file.tell_refused(&["a", "b"]);
        temporary.file.tell_refused(&["c"]);
    }
    assert_eq!(told(), ["ab", "c"]);
    (0..9).for_each(|number| temporary.file.tell_refused(&[&number.to_string()]));
    assert_eq!(told(), ["ab", "c", "0", "1"]);
}

#[test]
fn stopped_ones_keep_whether_they_are_enabled() {
    let temporary = Temporary::new();
    let file = &temporary.file;
    let (id, other) = (declare(file, "order", "").unwrap(), file.add_event("shop", "order", "").unwrap());
    let words =
        || [id, other].map(|id| file.enabled_words()[abi::control::event_index(id)].load(Relaxed) != 0);
    [id, other].into_iter().for_each(|id| file.enable(id, 0, true));
    assert_eq!(words(), [true, true]);
    file.stop_tracepoints(true);
    assert_eq!((words(), file.is_enabled(id, 0)), ([false, true], true));
    file.enable(id, 0, false);
    file.enable(id, 0, true);
    assert_eq!(words(), [false, true]);
    let late = declare(file, "late", "").unwrap();
    file.enable(late, 0, true);
    assert!(file.switched(late).on.is_empty());
    file.stop_tracepoints(false);
    assert!(words()[0] && file.switched(late).on.contains(0));
}

#[test]
fn who_comes_first_finds_them_off_but_for_the_rules() {
    let temporary = Temporary::new();
    let file = &temporary.file;
    let id = declare(file, "order", "").unwrap();
    let (first, second) = (process(file, 100), process(file, 200));
    assert!(!file.is_used(id));
    file.use_tracepoint(id, first);
    file.enable(id, 0, true);
    file.use_tracepoint(id, second);
    assert!(file.is_enabled(id, 0) && file.is_used(id), "whoever comes takes over what is");
    file.leave_tracepoint(id, first);
    assert!(file.is_used(id));
    // Killed: its entry ends, and may be another's later.
    file.end_process(second, 300);
    assert!(!file.is_used(id));
    let third = process(file, 301);
    file.use_tracepoint(id, third);
    assert!(file.is_used(id) && !file.is_enabled(id, 0));
    file.leave_tracepoint(id, third);
    assert!(file.set_rules("+ktrace:*\n"));
    file.use_tracepoint(id, third);
    assert!(file.is_enabled(id, 0));
}

#[test]
fn words_of_processes_that_have_ended_are_used_again() {
    let temporary = Temporary::new();
    let file = &temporary.file;
    let ids: Vec<u16> = (0..100).map(|number| declare(file, &format!("t{number}"), "").unwrap()).collect();
    for pid in 1..200 {
        let entry = process(file, pid);
        ids.iter().for_each(|id| file.use_tracepoint(*id, entry));
        assert!(ids.iter().all(|id| file.is_used(*id)));
        file.end_process(entry, u64::from(pid) + 1);
        assert!(!file.is_used(ids[0]), "of {pid}: {} words would be full", TRACEPOINT_USES);
    }
}
