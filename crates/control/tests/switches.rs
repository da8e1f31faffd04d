//! The word that is looked at where an event happens says what its switches say, whoever changes them at once
//! and whoever is killed over it.

mod common;

use abi::control::{BY_SWITCHES, CALLING, ENABLED_OFFSET, FIRST_ALONE, FIRST_EVENT, OFF, WAKEUPS, WATCHED};
use abi::instance::{INSTANCES, PIDS, STACKS};
use common::Temporary;
use control::{ControlArea, InstanceSet};
use std::sync::atomic::Ordering::Relaxed;

fn word(file: &ControlArea, id: u16) -> u64 {
    file.enabled_words()[abi::control::event_index(id)].load(Relaxed)
}

#[test]
fn calls_are_looked_at_while_a_tracer_measures_them() {
    let temporary = Temporary::new();
    let file = &temporary.file;
    let [id, other] = ["wait", "read"].map(|name| file.add_event("app", name, "").unwrap());
    file.measure_sections(Some((3, WAKEUPS)), [id].into_iter());
    assert_eq!((word(file, id), word(file, other)), (WATCHED, OFF));
    assert!(!file.is_looked_at("app", "wait"), "it is not on");
    file.enable(id, 0, true);
    assert_eq!(word(file, id), FIRST_ALONE);
    file.enable(id, 0, false);
    assert_eq!(word(file, id), WATCHED);
    file.measure_sections(None, core::iter::empty());
    assert_eq!(word(file, id), OFF);
}

#[test]
fn the_word_sums_the_switches_up() {
    let temporary = Temporary::new();
    let (file, id) = (&temporary.file, temporary.file.add_event("app", "request", "").unwrap());
    assert_eq!(word(file, id), OFF);
    file.enable(id, 0, true);
    assert_eq!(word(file, id), FIRST_ALONE);
    for instance in [1, 63, 64, INSTANCES - 1] {
        file.enable(id, instance, true);
        assert_eq!(word(file, id), BY_SWITCHES, "{instance}");
        assert!(file.switched(id).on.iter().eq([0, instance]));
        let mut visited = Vec::new();
        file.switched(id).on.for_each(|instance| visited.push(instance));
        assert_eq!(visited, [0, instance]);
        file.enable(id, instance, false);
        assert_eq!(word(file, id), FIRST_ALONE, "{instance}");
        file.set_triggered(id, instance, true);
        assert_eq!(word(file, id), BY_SWITCHES, "{instance}");
        file.set_triggered(id, instance, false);
        file.set_instance_flags(instance, PIDS, true);
        assert_eq!((word(file, id), file.instance_flags(instance)), (FIRST_ALONE, PIDS), "not wanted there");
        file.set_instance_flags(instance, STACKS, true);
        file.set_instance_flags(instance, PIDS, false);
        assert!(file.flagged().iter().eq([instance]));
        file.set_instance_flags(instance, STACKS, false);
        assert!(file.flagged().is_empty());
    }
    file.set_instance_flags(0, STACKS, true);
    assert_eq!(word(file, id), BY_SWITCHES);
    file.set_instance_flags(0, STACKS, false);
    assert_eq!(word(file, id), FIRST_ALONE);
    file.enable(id, 0, false);
    file.enable(id, 9, true);
    assert_eq!((word(file, id), file.is_enabled(id, 9), file.is_enabled(id, 0)), (BY_SWITCHES, true, false));
    file.enable(id, 9, false);
    file.set_triggered(id, 3, true);
    assert_eq!(word(file, id), BY_SWITCHES, "off, and something is to be done");
    assert!(!file.is_enabled(id, 3) && file.switched(id).triggered.contains(3));
    file.set_triggered(id, 3, false);
    file.enable(id, INSTANCES, true);
    file.enable(u16::MAX, 0, true);
    assert_eq!(word(file, id), OFF, "there is no such instance, and no such event");
}

#[test]
fn a_word_calls_where_there_is_nothing_else_to_do() {
    let temporary = Temporary::new();
    let (file, id) = (&temporary.file, temporary.file.add_event("app", "request", "").unwrap());
    file.call_processes(true);
    assert_eq!(word(file, id), CALLING);
    assert!(!file.is_looked_at("app", "request"));
    file.enable(id, 0, true);
    assert_eq!(word(file, id), FIRST_ALONE);
    file.enable(id, 3, true);
    assert_eq!(word(file, id), BY_SWITCHES);
    file.enable(id, 0, false);
    file.enable(id, 3, false);
    assert_eq!(word(file, id), CALLING);
    file.call_processes(false);
    assert_eq!(word(file, id), OFF);
}

#[test]
fn a_removed_instance_leaves_nothing() {
    let temporary = Temporary::new();
    let (file, id) = (&temporary.file, temporary.file.add_event("app", "request", "").unwrap());
    file.enable(id, 0, true);
    assert!(file.name_instance(5, "five"));
    let state = file.instance_state(5);
    file.enable(id, 5, true);
    file.set_triggered(id, 5, true);
    file.set_instance_flags(5, PIDS | STACKS, true);
    file.set_filter(id, 5, file.filter_space().store(&[], "none"));
    assert!(file.has_filter(id, 5));
    file.forget_instance(5);
    assert_eq!(file.instance_state(5), None);
    let left = file.switched(id);
    assert_eq!(
        (left.on, left.filtered, left.triggered),
        (InstanceSet::FIRST, Default::default(), Default::default())
    );
    assert_eq!((file.instance_flags(5), word(file, id)), (0, FIRST_ALONE));
    file.name_instance(5, "five");
    assert_ne!(file.instance_state(5), state, "another one");
}

#[test]
fn what_is_wanted_where_nothing_is_any_more_is_mended() {
    let temporary = Temporary::new();
    let (file, id) = (&temporary.file, temporary.file.add_event("app", "request", "").unwrap());
    file.name_instance(3, "three");
    for instance in [0, 3, 9, 64] {
        file.enable(id, instance, true);
    }
    file.set_triggered(id, 65, true);
    file.mend();
    assert!(file.switched(id).on.iter().eq([0, 3]) && file.switched(id).triggered.is_empty());
}

#[test]
fn who_is_killed_between_the_two_stores_is_mended() {
    let temporary = Temporary::new();
    let (file, id) = (&temporary.file, temporary.file.add_event("app", "request", "").unwrap());
    file.enable(id, 0, true);
    let segment = shm::open(&temporary.path).unwrap();
    let word_at = ENABLED_OFFSET + u64::from(id) * 8;
    for stale in [OFF, BY_SWITCHES, u64::MAX] {
        segment.write(word_at, &stale.to_le_bytes()).unwrap();
        temporary.again().mend();
        assert_eq!(word(file, id), FIRST_ALONE, "{stale}");
    }
    file.set_filter(id, 0, file.filter_space().store(&[], "none"));
    let filter = word(file, id);
    segment.write(word_at, &(filter - 1).to_le_bytes()).unwrap();
    temporary.again().mend();
    assert_eq!(word(file, id), filter, "another's filter");
}

/// Everybody changes a switch of their own, as fast as they can, and ends with it in a known state.
#[test]
fn of_those_who_change_switches_at_once_the_last_is_right() {
    let temporary = Temporary::new();
    let (file, id) = (&temporary.file, FIRST_EVENT);
    for round in 0..200 {
        std::thread::scope(|scope| {
            for instance in 0..3 {
                scope.spawn(move || {
                    for turn in 0..=20 {
                        file.enable(id, instance, turn % 2 == round % 2);
                    }
                });
            }
        });
        let (expected, word) = (if round % 2 == 0 { BY_SWITCHES } else { OFF }, word(file, id));
        assert_eq!(
            (file.switched(id).on.iter().count(), word),
            (if round % 2 == 0 { 3 } else { 0 }, expected)
        );
    }
}
