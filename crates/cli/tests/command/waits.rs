//! `report --waits`: what each thread waited for, on whom, and how long.

use crate::common::*;

/// What the program has measured of a wait itself: it took at least and at most so many nanoseconds.
#[derive(Debug, Clone, Copy)]
pub struct Measured {
    pub at_least: u64,
    pub at_most: u64,
}

/// Records the program. What it has printed.
fn recorded(scratch: &Scratch, events: &[&str]) -> String {
    let program = compile(scratch, "waits", include_str!("programs/waits.c"), &["-pthread"]);
    let events: Vec<&str> = events.iter().flat_map(|event| ["-e", *event]).collect();
    let command = [program.to_str().unwrap()];
    run(&mut scratch.record(&[&["-q"], &events[..]].concat(), &command)).success().stdout
}

pub fn measured(printed: &str, wait: &str) -> Measured {
    let line = printed.lines().find_map(|line| line.strip_prefix(wait)?.strip_prefix(' ')).unwrap();
    let (at_least, at_most) = line.split_once(' ').unwrap();
    let number = |text: &str| text.parse::<i64>().unwrap() as u64;
    Measured { at_least: number(at_least), at_most: number(at_most) }
}

/// The objects in JSON, one for each thread and thing.
fn waits(scratch: &Scratch, options: &[&str]) -> Vec<String> {
    let json = run(&mut scratch.report(&[&["--waits", "--json"], options].concat())).success().stdout;
    json.lines().map(str::to_owned).collect()
}

/// The one of a thread's name and a kind.
#[track_caller]
pub fn of<'a>(waits: &'a [String], thread: &str, kind: &str) -> &'a str {
    let is_of = |line: &&String| line.contains(&format!("\"comm\":\"{thread}\",\"kind\":\"{kind}\""));
    let found: Vec<&String> = waits.iter().filter(is_of).collect();
    found.first().unwrap_or_else(|| panic!("no {kind} of {thread} in {waits:#?}"))
}

/// The first number of this name.
pub fn number(object: &str, name: &str) -> u64 {
    let (_, rest) = object.split_once(&format!("\"{name}\":")).unwrap();
    rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap()
}

#[track_caller]
pub fn is_as_measured(object: &str, measured: Measured) {
    // Of what the two clocks differ in the conversion of ticks.
    let inexact = |length: u64| length / 1000 + 1000;
    let longest = number(object, "max");
    assert!(longest + inexact(longest) >= measured.at_least, "{measured:?} {object}");
    assert!(longest <= measured.at_most.saturating_add(inexact(longest)), "{measured:?} {object}");
}

#[track_caller]
pub fn is_on(object: &str, thread: &str, cause: &str) {
    let (_, peers) = object.split_once("\"on\":[").unwrap();
    let first = format!("\"comm\":\"{thread}\",\"cause\":\"{cause}\"");
    assert!(peers.split('}').next().unwrap().contains(&first), "not on {thread} by {cause}: {object}");
}

#[test]
fn each_wait_is_as_the_program_has_measured_it() {
    if is_missing(&["cc"]) {
        return;
    }
    let scratch = Scratch::new();
    let printed = recorded(&scratch, &["@default", "@lock"]);
    let waits = waits(&scratch, &[]);
    for (wait, kind, peer) in [
        ("mutex", "mutex", Some(("helper", "holder"))),
        ("pipe", "descriptor", Some(("helper", "write"))),
        ("condition", "condition", Some(("helper", "pthread_cond_signal"))),
        ("sleep", "sleep", None),
    ] {
        let object = of(&waits, "waiter", kind);
        is_as_measured(object, measured(&printed, wait));
        match peer {
            Some((thread, cause)) => is_on(object, thread, cause),
            None => assert!(object.ends_with("\"on\":[]}"), "{object}"),
        }
    }
    assert!(of(&waits, "waiter", "descriptor").contains("\"call\":\"read\""), "{waits:#?}");
    assert!(of(&waits, "waiter", "descriptor").contains("\"name\":\"pipe\""), "{waits:#?}");
    // It waits for both semaphores: for this one until the other thread posts it.
    let posted = waits.iter().filter(|object| object.contains("\"comm\":\"waiter\",\"kind\":\"semaphore\""));
    let longest = posted.max_by_key(|object| number(object, "max")).unwrap();
    let sem = measured(&printed, "semaphore");
    assert!(number(longest, "max") + 1000 + sem.at_least / 1000 >= sem.at_least, "{longest}");
    is_on(longest, "helper", "sem_post");
    let child = of(&waits, "waits", "child");
    is_as_measured(child, measured(&printed, "child"));
    is_on(child, "waits", "end");
    let joined = of(&waits, "waits", "thread");
    assert_eq!(number(joined, "count"), 2);
    is_on(joined, "waiter", "end");
}

#[test]
fn what_is_not_over_is_a_wait_too() {
    if is_missing(&["cc"]) {
        return;
    }
    let scratch = Scratch::new();
    let printed = recorded(&scratch, &["@default", "@lock"]);
    let waits = waits(&scratch, &["-t", "stuck"]);
    let object = of(&waits, "stuck", "mutex");
    assert_eq!((number(object, "count"), number(object, "unfinished")), (1, 1));
    is_as_measured(object, measured(&printed, "stuck"));
    is_on(object, "waits", "holder");
    assert_eq!(waits.len(), 1, "{waits:#?}");
    let table = run(&mut scratch.report(&["--waits", "-t", "stuck"])).success().stdout;
    let line = table.lines().nth(2).unwrap();
    assert!(line.starts_with("  mutex 0x") && line.ends_with(" (held it), not over"), "{table}");
}

#[test]
fn waits_for_locks_are_known_by_events_or_by_calls() {
    if is_missing(&["cc"]) {
        return;
    }
    let scratch = Scratch::new();
    let printed = recorded(&scratch, &["lock:*", "lookback:contention_holder"]);
    let contended = waits(&scratch, &[]);
    let object = of(&contended, "waiter", "mutex");
    is_as_measured(object, measured(&printed, "mutex"));
    is_on(object, "helper", "holder");
    assert!(contended.iter().all(|object| object.contains("\"kind\":\"mutex\"")), "{contended:#?}");
    assert_eq!(number(of(&contended, "stuck", "mutex"), "unfinished"), 1);

    // By their calls alone.
    let scratch = Scratch::new();
    let printed = recorded(&scratch, &["pthread_mutex_*"]);
    let called = waits(&scratch, &[]);
    let object = of(&called, "waiter", "mutex");
    is_as_measured(object, measured(&printed, "mutex"));
    is_on(object, "helper", "holder");
    assert_eq!(number(object, "count"), 1);

    // With both: what didn't have to wait is none, and nothing counts twice.
    let scratch = Scratch::new();
    recorded(&scratch, &["@default", "@lock", "lock:*", "lookback:contention_holder"]);
    let both = waits(&scratch, &[]);
    let of_waiter = of(&both, "waiter", "mutex");
    assert_eq!(number(of_waiter, "count"), 1, "{of_waiter}");
    is_on(of_waiter, "helper", "holder");
    assert!(
        both.iter().all(|object| !object.contains("\"comm\":\"helper\",\"kind\":\"mutex\"")),
        "{both:#?}"
    );
}

#[test]
fn the_table_says_what_it_does_not_know() {
    if is_missing(&["cc"]) {
        return;
    }
    let scratch = Scratch::new();
    recorded(&scratch, &["@default"]);
    let table = run(&mut scratch.report(&["--waits"])).success().stdout;
    assert!(table.starts_with("THREAD, WAITED FOR"), "{table}");
    assert!(table.contains("the trace doesn't have when threads ran"), "{table}");
    assert!(table.contains("the trace has no waits for locks"), "{table}");
    let mut narrow = scratch.report(&["--waits"]);
    let narrow = run(narrow.env("COLUMNS", "80")).success().stdout;
    let rows = narrow.split("\n\n").next().unwrap();
    assert!(rows.lines().all(|line| line.chars().count() <= 80), "{narrow}");
    run(&mut scratch.report(&["--waits", "-t", "nobody"])).failure(125, &["no waits", "-t 'nobody'"]);
    run(&mut scratch.report(&["--waits", "--stat"])).failure(125, &["--stat"]);
}
