//! Triggers: lists that change while others act on them, and counts over all processes.

mod common;

use abi::control::{COUNTERS, CounterRef, MOST_TRIGGERS};
use common::Temporary;
use control::{ControlArea, Here};
use event_filter::{Filter, FilterField};
use event_trigger::{Action, DueAction, Trigger};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// A trigger: what it does, its counter, and when it acts.
type New<'a> = (Acts, CounterRef, &'a str);
/// The name of an action and its target.
type Acts = (&'static str, u16);

fn named(name: &str) -> &'static Action {
    Action::named(name).unwrap()
}

fn words(triggers: &[New<'_>]) -> Vec<u64> {
    let fields = [FilterField { name: "n", type_name: "int", offset: 8, size: 4, signed: true, names: &[] }];
    let mut words = Vec::new();
    for (action, counter, text) in triggers {
        let filter = (!text.is_empty()).then(|| Filter::compile(text, &fields).unwrap());
        let program = filter.as_ref().map_or(&[][..], |filter| filter.words());
        words.extend(Trigger::head(named(action.0), action.1, *counter, program.len(), text.len()));
        words.extend(program);
        words.extend(text.as_bytes().chunks(8).map(|bytes| {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(word)
        }));
    }
    words
}

fn set(temporary: &Temporary, id: u16, instance: usize, triggers: &[New<'_>]) {
    let file = &temporary.file;
    file.reserve_triggers(&temporary.path, id, instance).unwrap();
    let list = (!triggers.is_empty()).then(|| file.filter_space().store(&words(triggers), "").unwrap());
    file.set_triggers(id, instance, list);
}

fn record(id: u16, n: i32) -> [u8; 12] {
    let mut record = [0; 12];
    record[..8].copy_from_slice(&abi::common::word(id, 0, 0, 77).to_le_bytes());
    record[8..].copy_from_slice(&n.to_le_bytes());
    record
}

/// What acts for a record, before it is written and after that.
fn due(file: &ControlArea, id: u16, instance: usize, n: i32) -> (bool, Vec<Acts>, Vec<Acts>) {
    let due = file.due(instance, &record(id, n), &Here { cpu: 0, comm: b"cat" });
    let acts = |due: DueAction| (due.action.name, due.target);
    (due.is_conditional, due.before().map(acts).collect(), due.after().map(acts).collect())
}

fn event(temporary: &Temporary) -> u16 {
    temporary.file.add_event("app", "request", "\tfield:int n;\toffset:8;\tsize:4;\tsigned:1;\n").unwrap()
}

#[test]
fn those_act_whose_filter_lets_the_record_pass() {
    let temporary = Temporary::new();
    let (file, id) = (&temporary.file, event(&temporary));
    const FREE: CounterRef = CounterRef::UNLIMITED;
    assert_eq!(due(file, id, 0, 1), (false, vec![], vec![]));
    set(&temporary, id, 65, &[(("enable_event", 40), FREE, ""), (("traceon", 0), FREE, "")]);
    assert_eq!(due(file, id, 65, 1), (false, vec![("enable_event", 40), ("traceon", 0)], vec![]));
    set(&temporary, id, 65, &[(("enable_event", 40), FREE, "n > 5"), (("traceon", 0), FREE, "")]);
    assert_eq!(due(file, id, 65, 1), (true, vec![], vec![("traceon", 0)]), "one has to know the record");
    assert_eq!(due(file, id, 65, 6), (true, vec![("enable_event", 40)], vec![("traceon", 0)]));
    set(&temporary, id, 65, &[(("traceoff", 0), FREE, ""), (("snapshot", 0), FREE, "n == 3")]);
    assert_eq!(due(file, id, 65, 1), (true, vec![], vec![("traceoff", 0)]));
    assert_eq!(due(file, id, 65, 3), (true, vec![], vec![("traceoff", 0), ("snapshot", 0)]));
    assert_eq!(due(file, id, 0, 3), (false, vec![], vec![]), "another instance");
    assert!(file.has_triggers(id, 65) && !file.has_triggers(id, 0));
    let mut buffer = [0; 100];
    let found = file.trigger_words(id, 65, &mut buffer).unwrap();
    let last = Trigger::all(found).last().unwrap();
    assert_eq!((last.action.name, last.text_len), ("snapshot", 6));
    assert_eq!(found[last.text()][0].to_le_bytes(), *b"n == 3\0\0");
    set(&temporary, id, 65, &[]);
    assert!(!file.has_triggers(id, 65) && due(file, id, 65, 3).2.is_empty());
}

#[test]
fn an_event_that_is_off_is_looked_at() {
    let temporary = Temporary::new();
    let (file, id) = (&temporary.file, event(&temporary));
    let word = || file.enabled_words()[abi::control::event_index(id)].load(Relaxed);
    assert_eq!(word(), 0);
    set(&temporary, id, 0, &[(("traceoff", 0), CounterRef::UNLIMITED, "")]);
    assert!(word() != 0 && !file.is_enabled(id, 0));
    assert!(file.turn(id, 0, true) && !file.turn(id, 0, true), "the first hears that it was off");
    assert!(file.turn(id, 0, false) && !file.turn(id, 0, false));
    set(&temporary, id, 0, &[]);
    assert_eq!(word(), 0);
}

#[test]
fn a_count_is_exact_over_all_who_take_from_it() {
    let temporary = Temporary::new();
    let counter = temporary.file.new_counter(25_000).unwrap();
    let taken = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for number in 0..4 {
            let (file, taken) = (temporary.again(), &taken);
            scope.spawn(move || {
                for turn in 0..10_000 {
                    if file.take_count(counter) {
                        taken.fetch_add(1, Relaxed);
                        if (turn + number) % 7 == 0 {
                            file.give_count_back(counter);
                            taken.fetch_sub(1, Relaxed);
                        }
                    }
                }
            });
        }
    });
    assert_eq!(temporary.file.count_left(counter).unwrap() + taken.load(Relaxed), 25_000);
    while temporary.file.take_count(counter) {}
    assert_eq!(temporary.file.count_left(counter), Some(0));
}

#[test]
fn who_still_has_an_old_counter_takes_nothing_from_the_new() {
    let temporary = Temporary::new();
    let file = &temporary.file;
    let old = file.new_counter(5).unwrap();
    // No trigger has got it.
    let new = file.new_counter(3).unwrap();
    assert_eq!((old.index(), old == new), (new.index(), false));
    assert!(!file.take_count(old));
    file.give_count_back(old);
    assert_eq!(file.count_left(new), Some(3));
    assert!(file.take_count(CounterRef::UNLIMITED) && file.count_left(CounterRef::UNLIMITED).is_none());
}

#[test]
fn as_many_counters_as_there_are_and_no_more() {
    let temporary = Temporary::new();
    let file = &temporary.file;
    let ids: Vec<u16> = (0..COUNTERS / MOST_TRIGGERS)
        .map(|number| file.add_event("app", &format!("e{number}"), "").unwrap())
        .collect();
    for id in &ids {
        let mut list = Vec::new();
        for target in 0..MOST_TRIGGERS as u16 {
            list.push((("enable_event", target), file.new_counter(1).unwrap(), ""));
            set(&temporary, *id, 7, &list);
        }
    }
    assert_eq!(file.new_counter(1), None);
    set(&temporary, ids[3], 7, &[]);
    assert!(file.new_counter(1).is_some());
}

#[test]
fn what_acts_is_one_list_or_the_other() {
    let temporary = Temporary::new();
    let (id, end) = (event(&temporary), AtomicBool::new(false));
    let other = temporary.file.add_event("app", "other", "").unwrap();
    const FREE: CounterRef = CounterRef::UNLIMITED;
    let lists: [&[New<'_>]; 3] = [
        &[(("enable_event", 100), FREE, "n == 1"), (("enable_event", 101), FREE, "n >= 1")],
        &[
            (("disable_event", 200), FREE, ""),
            (("disable_event", 201), FREE, "n == 1 || n == 7"),
            (("disable_event", 202), FREE, ""),
        ],
        &[],
    ];
    let expected = lists.map(|list| list.iter().map(|(action, ..)| *action).collect::<Vec<_>>());
    let seen = [const { AtomicU32::new(0) }; 3];
    std::thread::scope(|scope| {
        for _ in 0..2 {
            let (file, end, expected, seen) = (temporary.again(), &end, &expected, &seen);
            scope.spawn(move || {
                while !end.load(Relaxed) {
                    let (_, before, after) = due(&file, id, 0, 1);
                    let which = expected.iter().position(|list| *list == before);
                    seen[which.unwrap_or_else(|| panic!("{before:?}"))].fetch_add(1, Relaxed);
                    assert!(after.is_empty());
                }
            });
        }
        let start = Instant::now();
        let goes_on = || {
            let all = seen.iter().all(|seen| seen.load(Relaxed) > 0);
            start.elapsed() < Duration::from_secs(if all { 1 } else { 30 })
        };
        for turn in (0..).take_while(|_| goes_on()) {
            set(&temporary, id, 0, lists[turn % 3]);
            // Another's takes the place that has become free.
            set(&temporary, other, 0, lists[(turn + 1) % 3]);
        }
        end.store(true, Relaxed);
    });
    assert!(seen.iter().all(|seen| seen.load(Relaxed) > 0), "{seen:?}");
}

#[test]
fn a_removed_instance_leaves_none() {
    let temporary = Temporary::new();
    let (file, id) = (&temporary.file, event(&temporary));
    file.name_instance(5, "five");
    set(&temporary, id, 5, &[(("traceoff", 0), file.new_counter(9).unwrap(), "")]);
    file.forget_instance(5);
    assert!(!file.has_triggers(id, 5));
    assert_eq!(file.enabled_words()[abi::control::event_index(id)].load(Relaxed), 0);
    // Its place is free: a list that takes all of the space fits.
    assert!(file.filter_space().store(&[1; 4096], "").is_some());
}
