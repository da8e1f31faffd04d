//! What differs, and what is noise.

use super::*;
use crate::profile::{FailureProfile, ProgramProfile};

/// A trace with these calls of one process, and their lengths.
fn profile(calls: &[(&str, &[u64])]) -> TraceProfile {
    let mut profile = TraceProfile { span: 20_000_000, ..TraceProfile::default() };
    profile.programs.insert("server".into(), ProgramProfile { processes: 1, is_whole: true });
    for (call, lengths) in calls {
        let mut lengths = lengths.to_vec();
        lengths.sort_unstable();
        let call_profile = CallProfile { count: lengths.len() as u64, lengths };
        profile.calls.insert(("server".into(), (*call).to_owned()), call_profile);
    }
    profile
}

/// Lengths around a mean that differ from seed to seed, as those of runs do.
fn noisy(mean: u64, count: u64, seed: u64) -> Vec<u64> {
    let spread = |number: u64| (number * 2_654_435_761 + seed * 40_503) % 1000;
    (0..count).map(|number| mean / 2 + mean * spread(number) / 1000).collect()
}

fn names(comparison: &TraceComparison) -> Vec<&str> {
    comparison.calls.iter().map(|call| call.call.as_str()).collect()
}

#[test]
fn nothing_differs_from_itself_or_by_noise() {
    let trace = |seed| profile(&[("read", &noisy(1000, 400, seed)), ("sleep", &noisy(20_000_000, 5, seed))]);
    assert!(TraceComparison::new(&[trace(1)], &trace(1)).is_empty());
    for seed in 2..40 {
        let comparison = TraceComparison::new(&[trace(1)], &trace(seed));
        assert!(comparison.is_empty(), "{seed}: {comparison:?}");
    }
}

#[test]
fn what_takes_twice_as_long_comes_first() {
    let calls = |read: u64, seed: u64| {
        let read = noisy(read, 400, seed);
        let more = noisy(500, 100 * (1 + seed / 7), seed);
        profile(&[("read", &read), ("write", &noisy(1000, 300, seed)), ("open", &more)])
    };
    let comparison = TraceComparison::new(&[calls(10_000, 1), calls(11_000, 2)], &calls(20_000, 7));
    assert_eq!(names(&comparison), ["read", "open"]);
    let read = &comparison.calls[0];
    assert!(read.differs_in_length && !read.differs_in_rate && read.is_certain, "{read:?}");
    let open = &comparison.calls[1];
    assert!(open.differs_in_rate && !open.differs_in_length, "{open:?}");
    assert_eq!((open.unit, open.rates), (RateUnit::Process, [100.0, 200.0]));
}

#[test]
fn a_slower_machine_is_said_once() {
    let calls = ["a", "b", "c", "d", "e", "f"];
    let trace = |factor: u64, last: u64| {
        let lengths: Vec<Vec<u64>> = (1..=6).map(|seed| noisy(1000 * factor, 50, seed)).collect();
        let mut all: Vec<(&str, &[u64])> = calls.into_iter().zip(lengths.iter().map(Vec::as_slice)).collect();
        let slow = noisy(1000 * last, 50, 6);
        all[5].1 = &slow;
        profile(&all)
    };
    let comparison = TraceComparison::new(&[trace(1, 1)], &trace(2, 8));
    assert!((comparison.scale - 2.0).abs() < 0.01);
    assert_eq!(names(&comparison), ["f"]);
}

#[test]
fn waits_are_as_long_on_a_slower_machine() {
    let calls = ["a", "b", "c", "d", "e", "f"];
    let trace = |factor: u64, sleep: u64| {
        let lengths: Vec<Vec<u64>> = (1..=6).map(|seed| noisy(1000 * factor, 50, seed)).collect();
        let sleeps: Vec<u64> = (0..10).map(|number| sleep + 1000 * number).collect();
        let mut all: Vec<(&str, &[u64])> = calls.into_iter().zip(lengths.iter().map(Vec::as_slice)).collect();
        all.push(("sleep", &sleeps));
        profile(&all)
    };
    let compare = |sleep| TraceComparison::new(&[trace(1, 10_000_000)], &trace(2, sleep));
    assert!(compare(10_000_000).is_empty());
    assert_eq!(names(&compare(20_000_000)), ["sleep"]);
    assert!(compare(20_000_000).calls[0].is_certain);
}

#[test]
fn a_tail_counts_where_the_middle_is_the_same() {
    let mut tail = noisy(1000, 400, 3);
    tail[..30].fill(1_000_000);
    let good = profile(&[("read", &noisy(1000, 400, 1))]);
    assert_eq!(names(&TraceComparison::new(&[good], &profile(&[("read", &tail)]))), ["read"]);
}

#[test]
fn what_is_seldom_is_uncertain() {
    let trace = |length| profile(&[("connect", &[length])]);
    let comparison = TraceComparison::new(&[trace(3_000_000)], &trace(3_000_000_000));
    assert!(!comparison.calls[0].is_certain && comparison.is_empty());
    assert!(TraceComparison::new(&[trace(3_000_000)], &trace(6_000_000)).calls.is_empty());
}

#[test]
fn new_errors_come_first_with_what_they_are_about() {
    let trace = |errors: &[(i64, &str, u64)]| {
        let mut profile = profile(&[]);
        for (error, about, count) in errors {
            let failures = profile.errors.entry(("server".into(), "open".into(), *error)).or_default();
            *failures = FailureProfile { count: *count, abouts: [((*about).to_owned(), *count)].into() };
            profile.paths.insert(("server".into(), (*about).to_owned()), *count);
        }
        profile
    };
    let good = [trace(&[(2, "/a", 5), (13, "/b", 5)]), trace(&[(2, "/a", 9), (13, "/b", 5)])];
    let comparison = TraceComparison::new(&good, &trace(&[(2, "/a", 7), (5, "/c", 1)]));
    let errors: Vec<i64> = comparison.errors.iter().map(|error| error.error).collect();
    assert_eq!(errors, [5, 13]);
    assert_eq!(comparison.errors[0].about, Some(("/c".to_owned(), 0)));
    let paths: Vec<&str> =
        comparison.paths.iter().map(|path| path.about.as_ref().unwrap().0.as_str()).collect();
    assert_eq!(paths, ["/c", "/b"]);
}
