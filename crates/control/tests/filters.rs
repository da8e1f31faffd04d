//! Filters in a session: they say of records what their programs do, are replaced under those who use them,
//! and take no more memory than there is. Whatever the file has become, who uses it stays within bounds.

mod common;

use abi::control::{
    BY_SWITCHES, FILTERING_OFFSET, FILTERS, FILTERS_OFFSET, FIRST_ALONE, FIRST_EVENT, event_index,
    filter_word, is_filter_word,
};
use common::Temporary;
use control::{ControlArea, Here};
use event_filter::{Filter, FilterField, MAX_TEXT, evaluate};
use proptest::collection::vec;
use proptest::prelude::*;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Relaxed};

const FIELDS: [FilterField<'static>; 2] = [
    FilterField { name: "n", type_name: "int", offset: 8, size: 4, signed: true, names: &[] },
    FilterField {
        name: "path",
        type_name: "__data_loc char[]",
        offset: 12,
        size: 4,
        signed: false,
        names: &[],
    },
];

const HERE: Here<'static> = Here { cpu: 1, comm: b"cat" };

fn compiled(text: &str) -> Filter {
    Filter::compile(text, &FIELDS).unwrap()
}

/// A record of the event `id`.
fn record(id: u16, n: i32, path: &str) -> Vec<u8> {
    let mut record = abi::common::word(id, 0, 0, 77).to_le_bytes().to_vec();
    record.extend(n.to_le_bytes());
    record.extend(((path.len() as u32 + 1) << 16 | 16).to_le_bytes());
    record.extend(path.as_bytes());
    record.push(0);
    record
}

fn set(file: &ControlArea, id: u16, text: &str) {
    let stored = file.filter_space().store(compiled(text).words(), text);
    file.set_filter(id, 0, Some(stored.expect("it fits")));
}

fn text(file: &ControlArea, id: u16) -> Option<String> {
    file.filter_text(id, 0, &mut [0; MAX_TEXT]).map(str::to_string)
}

#[test]
fn a_filter_stays_with_its_event() {
    let temporary = Temporary::new();
    let (file, other) = (&temporary.file, temporary.again());
    let id = file.add_event("app", "request", "").unwrap();
    let word = || other.enabled_words()[event_index(id)].load(Relaxed);
    let passes = |n| other.passes(0, &record(id, n, ""), &HERE);
    set(file, id, "n > 5");
    assert_eq!(word(), 0, "an event that is off has nothing but zeros, which assembly compares with");
    file.enable(id, 0, true);
    assert!(other.is_enabled(id, 0) && !passes(5) && passes(6));
    file.enable(id, 0, false);
    assert!(!other.is_enabled(id, 0) && word() == 0);
    assert_eq!(text(&other, id).as_deref(), Some("n > 5"));
    file.enable(id, 0, true);
    assert!(!passes(5));
    set(file, id, "n < 5");
    assert!(!passes(5) && passes(4), "another one");
    file.set_filter(id, 0, None);
    assert!(other.is_enabled(id, 0) && passes(5) && text(&other, id).is_none());
    set(file, id, "CPU == 0");
    assert!(!passes(5), "one for an event that is on");
}

/// Who writes events finds the filter of the first instance in the word that says that the event is on.
#[test]
fn one_comparison_is_made_by_its_word() {
    let temporary = Temporary::new();
    let (file, id) = (&temporary.file, FIRST_EVENT);
    let word = || file.enabled_words()[event_index(id)].load(Relaxed);
    let passes = |word, n| file.passes_single(word, id, &record(id, n, ""));
    file.enable(id, 0, true);
    set(file, id, "n > 5");
    let first = word();
    assert!(is_filter_word(first));
    assert_eq!([5, 6].map(|n| passes(first, n)), [Some(false), Some(true)]);
    set(file, id, "!(n > 5)");
    assert_eq!([5, 6].map(|n| passes(word(), n)), [Some(true), Some(false)]);
    assert_eq!(passes(first, 6), None, "another's by now");
    assert_eq!(file.passes_single(word(), id, &[0; 8]), Some(true), "n > 5 is false where there is no n");
    for text in ["n > 5 && n < 7", "path == \"a\""] {
        set(file, id, text);
        assert!(is_filter_word(word()));
        assert_eq!(passes(word(), 6), None, "{text}: more than a comparison of a number");
    }
    file.set_triggered(id, 0, true);
    assert_eq!(word(), BY_SWITCHES);
    file.set_triggered(id, 0, false);
    file.set_filter(id, 0, None);
    assert_eq!(word(), FIRST_ALONE);
}

#[test]
fn each_instance_has_filters_of_its_own() {
    let temporary = Temporary::new();
    let (file, id) = (&temporary.file, FIRST_EVENT);
    set(file, id, "n > 5");
    let stored = file.filter_space().store(compiled("n > 7").words(), "n > 7");
    file.set_filter(id, 2, stored);
    (0..3).for_each(|instance| file.enable(id, instance, true));
    let passes = |n| [0, 1, 2].map(|instance| file.passes(instance, &record(id, n, ""), &HERE));
    assert_eq!([passes(5), passes(6), passes(8)], [[false, true, false], [true, true, false], [true; 3]]);
    let word = || file.enabled_words()[event_index(id)].load(Relaxed);
    assert_eq!(word(), BY_SWITCHES);
    file.set_filter(id, 0, None);
    assert_eq!((word(), passes(5)), (BY_SWITCHES, [true, true, false]));
    (1..3).for_each(|instance| file.enable(id, instance, false));
    assert_eq!(word(), FIRST_ALONE);
}

#[test]
fn replaced_filters_leave_their_memory() {
    let temporary = Temporary::new();
    let file = &temporary.file;
    let long = vec!["path == \"some long text that takes a few words\""; 80].join(" || ");
    for round in 0..200 {
        set(file, FIRST_EVENT + round % 3, if round % 2 == 0 { &long } else { "n == 1" });
    }
    assert_eq!(text(file, FIRST_EVENT), Some(long.clone()), "round 198");
    assert_eq!(text(file, FIRST_EVENT + 1).as_deref(), Some("n == 1"), "round 199");
}

#[test]
fn a_full_file_refuses_and_keeps_what_it_has() {
    let temporary = Temporary::new();
    let file = &temporary.file;
    let long = vec!["n == 1"; 400].join(" || ");
    let program = compiled(&long);
    let mut space = file.filter_space();
    let stored: Vec<_> = std::iter::from_fn(|| space.store(program.words(), &long)).collect();
    assert!(stored.len() > 20 && stored.len() < FILTERS / 8 / program.words().len());
    // None of them is an event's: all of it is free again.
    set(file, FIRST_EVENT, &long);
    let mut space = file.filter_space();
    assert_eq!(std::iter::from_fn(|| space.store(program.words(), &long)).count(), stored.len() - 1);
    assert_eq!(text(file, FIRST_EVENT), Some(long));
    assert_eq!(file.filter_space().store(&[], &"x".repeat(MAX_TEXT + 1)), None);
}

/// A filter is replaced all the time, and its place is used for filters that would refuse, while others look.
#[test]
fn who_looks_while_a_filter_is_replaced_finds_the_old_or_the_new_one() {
    let temporary = Temporary::new();
    let (file, is_over) = (&temporary.file, &AtomicBool::new(false));
    let (id, other) = (FIRST_EVENT, FIRST_EVENT + 1);
    let long = "n == 1 || n == 2 || n == 3 || path ~ \"*.conf\" || n == 7";
    set(file, id, long);
    file.enable(id, 0, true);
    let record = &record(id, 7, "/etc/passwd");
    std::thread::scope(|scope| {
        let looks = || {
            let (file, mut looked) = (temporary.again(), 0_u64);
            while !is_over.load(Relaxed) {
                assert!(file.passes(0, record, &HERE));
                let word = file.enabled_words()[event_index(id)].load(Acquire);
                assert_ne!(file.passes_single(word, id, record), Some(false));
                let text = text(&file, id).unwrap();
                assert!(text == "n == 7" || text == long, "{text}");
                looked += 1;
            }
            looked
        };
        let looking = [scope.spawn(looks), scope.spawn(looks)];
        for round in 0..1_000 {
            set(file, id, if round % 2 == 0 { "n == 7" } else { long });
            set(file, other, if round % 3 == 0 { "n == 8 && path == \"/etc\"" } else { "n < 0" });
            if round % 5 == 0 {
                file.set_filter(other, 0, None);
            }
        }
        is_over.store(true, Relaxed);
        assert!(looking.into_iter().all(|thread| thread.join().unwrap() > 0));
    });
}

proptest! {
    #[test]
    fn it_says_what_the_program_says(
        n in -3..3i32,
        path in "[ab/]{0,6}",
        value in -3..3i32,
        pattern in "[ab*?]{0,4}",
    ) {
        let temporary = Temporary::new();
        let text = format!("n < {value} || path ~ \"{pattern}\" && !(COMM == \"cat\" && n == 0) || CPU == 0");
        set(&temporary.file, FIRST_EVENT, &text);
        temporary.file.enable(FIRST_EVENT, 0, true);
        let record = record(FIRST_EVENT, n, &path);
        prop_assert_eq!(
            temporary.file.passes(0, &record, &HERE),
            evaluate(compiled(&text).words(), &record, &HERE)
        );
    }

    #[test]
    fn whatever_the_file_has_become(
        words in vec(prop_oneof![any::<u64>(), 0..1u64 << 20, Just((3 << 32) | 5)], 1..40),
        entry in prop_oneof![any::<u64>(), (0..FILTERS as u32 / 4).prop_map(|offset| filter_word(1, offset))],
        at in prop_oneof![Just(0), 0..(FILTERS as u64 / 8 - 40)],
    ) {
        let temporary = Temporary::new();
        let file = &temporary.file;
        set(file, FIRST_EVENT, "n == 1");
        file.enable(FIRST_EVENT, 0, true);
        let segment = shm::open(&temporary.path).unwrap();
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        segment.write(FILTERS_OFFSET + at * 8, &bytes).unwrap();
        segment.write(FILTERING_OFFSET + event_index(FIRST_EVENT) as u64 * 8, &entry.to_le_bytes()).unwrap();
        // It ends, and nothing is touched that isn't there.
        file.passes(0, &record(FIRST_EVENT, 1, "/etc/passwd"), &HERE);
        file.passes(0, &[], &HERE);
        file.passes_single(entry, FIRST_EVENT, &record(FIRST_EVENT, 1, "/etc/passwd"));
        text(file, FIRST_EVENT);
        // It can be replaced still, if there seems to be space.
        if let Some(stored) = file.filter_space().store(compiled("n == 2").words(), "n == 2") {
            file.set_filter(FIRST_EVENT, 0, Some(stored));
            prop_assert_eq!(text(file, FIRST_EVENT), Some("n == 2".to_string()));
            prop_assert!(!file.passes(0, &record(FIRST_EVENT, 1, ""), &HERE));
        }
    }
}
