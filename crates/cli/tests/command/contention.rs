//! Waits for locks, as the kernel's events say them.

use crate::common::*;

/// The numbers after a word at the start of a line.
fn numbers(text: &str, word: &str) -> Vec<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(word)).unwrap();
    line.split_whitespace().map(|number| number.parse().unwrap()).collect()
}

/// What the program prints, and what is recorded of it; with these events.
fn recorded(scratch: &Scratch, events: &[&str]) -> (String, Trace) {
    let program =
        compile(scratch, "contention", include_str!("programs/contention.c"), &["-pthread", "-Wno-nonnull"]);
    let events: Vec<&str> = events.iter().flat_map(|event| ["-e", *event]).collect();
    let options = [&["-q", "-C", "mono"], &events[..]].concat();
    let printed = run(&mut scratch.record(&options, &[program.to_str().unwrap()])).success().stdout;
    (printed, scratch.trace())
}

/// The text of an event without its lock.
fn what(event: &Event) -> &str {
    event.text.split_once(' ').unwrap().1
}

#[test]
fn waits_for_locks_are_recorded() {
    if is_missing(&["cc"]) {
        return;
    }
    let scratch = Scratch::new();
    let (printed, trace) = recorded(&scratch, &["lock:contention*", "lookback:contention_holder"]);
    let of = |tid: u64, name: &str| -> Vec<String> {
        let events = trace.named(name).filter(|event| event.pid as u64 == tid);
        events.map(|event| what(event).to_string()).collect()
    };
    let [main] = numbers(&printed, "main ")[..] else { panic!("{printed}") };
    // What it has asked for without waiting, and what fails for its arguments, is no wait.
    let kinds = ["MUTEX", "MUTEX", "MUTEX", "WRITE", "READ", "WRITE"].map(|kind| format!("(flags={kind})"));
    assert_eq!(of(main, "contention_begin"), kinds);
    assert_eq!(of(main, "contention_end"), [110, 110, 35, 110, 35, 35].map(|error| format!("(ret={error})")));
    let own = format!("(holder={main})");
    let none = "(holder=0)".to_string();
    let holders = [&own, &own, &own, &none, &own, &own];
    assert_eq!(of(main, "contention_holder").iter().collect::<Vec<_>>(), holders);
    let spins = trace.named("contention_begin").filter(|event| what(event) == "(flags=SPIN)");
    assert_eq!(spins.count(), 1);
    assert_eq!(trace.named("contention_begin").count(), trace.named("contention_end").count());
    assert_eq!(trace.named("contention_begin").count(), 8);
}

#[test]
fn a_wait_lasts_as_long_as_the_lock_is_held() {
    if is_missing(&["cc"]) {
        return;
    }
    let scratch = Scratch::new();
    let (printed, trace) = recorded(&scratch, &["lock:*", "lookback:contention_holder"]);
    let [holder, released] = numbers(&printed, "holder ")[..] else { panic!("{printed}") };
    let [waiter, before, after] = numbers(&printed, "waiter ")[..] else { panic!("{printed}") };
    let of_waiter = |name| trace.named(name).find(|event| event.pid as u64 == waiter).unwrap();
    assert_eq!(what(of_waiter("contention_begin")), "(flags=MUTEX)");
    assert_eq!(what(of_waiter("contention_holder")), format!("(holder={holder})"));
    assert_eq!(what(of_waiter("contention_end")), "(ret=0)");
    let (begin, end) = (of_waiter("contention_begin").time, of_waiter("contention_end").time);
    // Times are rounded; the program's are of before and after.
    assert!((before..=released).contains(&(begin + 1)) && begin + 7000 <= released, "{begin} {printed}");
    assert!((released..=after + 1).contains(&(end + 1)), "{end} {printed}");
}

#[test]
fn the_holder_is_named_without_the_calls() {
    if is_missing(&["cc"]) {
        return;
    }
    let scratch = Scratch::new();
    let (printed, _) = recorded(&scratch, &["lock:*", "lookback:contention_holder"]);
    let pair = ["--pair", "lock:contention_begin..lock:contention_end"];
    let table = run(&mut scratch.report(&pair)).success().stdout;
    let [holder, _] = numbers(&printed, "holder ")[..] else { panic!("{printed}") };
    let [waiter, ..] = numbers(&printed, "waiter ")[..] else { panic!("{printed}") };
    let of_waiter = table.lines().find(|line| line.contains(&format!("contention-{waiter} "))).unwrap();
    assert!(of_waiter.contains(&format!(" contention-{holder} ")), "{table}");
}
