//! Waits for locks name who held them.

use crate::common::*;

/// Records the program with these events. What `report` makes of it with other options.
fn recorded(scratch: &Scratch, events: &[&str], arguments: &[&str]) {
    let program = compile(scratch, "locks", include_str!("programs/lock_waits.c"), &["-pthread"]);
    let events: Vec<&str> = events.iter().flat_map(|event| ["-e", *event]).collect();
    let command = [&[program.to_str().unwrap()], arguments].concat();
    run(&mut scratch.record(&[&["-q"], &events[..]].concat(), &command)).success();
}

fn report(scratch: &Scratch, options: &[&str]) -> String {
    run(&mut scratch.report(options)).success().stdout
}

#[test]
fn the_holder_of_a_lock_is_named() {
    if is_missing(&["cc"]) {
        return;
    }
    let scratch = Scratch::new();
    recorded(&scratch, &["@default", "@lock"], &[]);
    let calls = report(&scratch, &["--calls", "-e", "libc:pthread_*lock", "-t", "waiter"]);
    let waits: Vec<(&str, bool)> = calls
        .lines()
        .skip(1)
        .map(|line| (line.split(": ").nth(1).unwrap(), line.contains("> held by holder-")))
        .map(|(call, is_held)| (call.split('(').next().unwrap(), is_held))
        .filter(|(name, _)| !name.ends_with("unlock"))
        .collect();
    let expected = [
        ("pthread_mutex_lock", true),
        ("pthread_rwlock_wrlock", true),
        ("pthread_mutex_lock", true),
        ("pthread_mutex_trylock", true),
        ("pthread_mutex_lock", false),
    ];
    assert_eq!(waits, expected, "{calls}");
    let table = report(&scratch, &["--pair", "libc:pthread_*wrlock"]);
    let longest: Vec<&str> = table.lines().skip_while(|line| !line.starts_with("LONGEST")).collect();
    assert!(longest[0].contains("THREAD") && longest[0].ends_with("  PAIR"), "{table}");
    let column = longest[0].find("HELD BY").unwrap();
    assert!(longest[1][column..].starts_with("holder-"), "{table}");
    assert!(longest[1][..column].contains("waiter-"), "{table}");
    assert!(!report(&scratch, &["--pair", "nanosleep"]).contains("HELD BY"));
}

#[test]
fn who_is_waited_for_in_the_end_is_named() {
    if is_missing(&["cc"]) {
        return;
    }
    let scratch = Scratch::new();
    recorded(&scratch, &["@default", "@lock"], &["stuck"]);
    let calls = report(&scratch, &["--calls", "-t", "waiter"]);
    let last = calls.lines().rfind(|line| line.contains("pthread_mutex_lock(")).unwrap();
    assert!(last.contains(" held by locks-"), "{calls}");
}

#[test]
fn nobody_is_named_where_releases_are_missing() {
    if is_missing(&["cc"]) {
        return;
    }
    let scratch = Scratch::new();
    recorded(&scratch, &["pthread_mutex_lock", "pthread_mutex_lock_exit"], &[]);
    let table = report(&scratch, &["--pair", "libc:pthread_mutex_lock"]);
    assert!(!table.contains("HELD BY") && table.contains("`-e @lock` records them"), "{table}");
    assert!(!report(&scratch, &["--calls"]).contains("held by"));
}

#[test]
fn pair_tables_fit_the_terminal() {
    if is_missing(&["cc"]) {
        return;
    }
    let scratch = Scratch::new();
    recorded(&scratch, &["@default", "@lock"], &[]);
    for rule in ["*:*", "sched_process_exec..sched_process_exit", "@lock"] {
        let whole = report(&scratch, &["--pair", rule]);
        assert!(!whole.contains("..."), "{whole}");
        for columns in [80, 100] {
            let mut command = scratch.report(&["--pair", rule]);
            let table = run(command.env("COLUMNS", columns.to_string())).success().stdout;
            assert!(table.lines().all(|line| line.chars().count() <= columns), "{table}");
            assert_eq!(table.lines().count(), whole.lines().count());
        }
    }
}
