//! Who waits finds who has woken it, whoever else waits, wakes, or is gone.

use crate::common::Temporary;
use crate::waking::{owner, wake_at, waker};
use abi::control::waiter::WAITERS_IN_ROW;
use control::{ControlArea, Wake, WakingCall, Woken};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

const KEY: u64 = 0x5555_0000_1230;

/// Waits of these owners, one after the other from time 100 on.
fn begun(file: &ControlArea, owners: std::ops::Range<usize>) -> Vec<usize> {
    owners.map(|frame| file.begin_wait(KEY, owner(frame), 100 + frame as u64, None).unwrap()).collect()
}

#[test]
fn the_first_or_all_are_woken_once() {
    let temporary = Temporary::new();
    let (file, other) = (&temporary.file, temporary.again());
    assert!(!other.wake(KEY, Woken::First, &waker(200)), "nobody waits");
    let entries = begun(file, 1..4);
    assert!(!other.wake(KEY + 16, Woken::All, &waker(200)), "not for that");
    assert!(other.wake(KEY, Woken::First, &waker(200)));
    assert!(other.wake(KEY, Woken::First, &waker(201)));
    assert!(other.wake(KEY, Woken::All, &waker(202)));
    assert!(!other.wake(KEY, Woken::All, &waker(203)), "all are awake");
    let ended = |frame: usize| file.end_wait(entries[frame - 1], owner(frame));
    assert_eq!([1, 2, 3].map(ended), [200, 201, 202].map(wake_at));
    assert_eq!(ended(1), None, "it is over");
    assert!(!other.wake(KEY, Woken::First, &waker(204)));
}

#[test]
fn the_last_one_counts_for_locks_and_what_others_take_doesnt() {
    let temporary = Temporary::new();
    let file = &temporary.file;
    let [first, second] = begun(file, 1..3)[..] else { unreachable!() };
    assert!(file.wake(KEY, Woken::AllAgain, &waker(200)) && file.wake(KEY, Woken::AllAgain, &waker(300)));
    assert_eq!(file.end_wait(first, owner(1)), wake_at(300));
    file.take_wakes(KEY, 400);
    assert!(file.wake(KEY, Woken::First, &waker(500)));
    assert_eq!(file.end_wait(second, owner(2)), wake_at(500));
    let [unwoken] = begun(file, 1..2)[..] else { unreachable!() };
    assert_eq!(file.end_wait(unwoken, owner(1)), None);
}

#[test]
fn who_waits_for_a_condition_waits_for_its_mutex_only_then() {
    let temporary = Temporary::new();
    let (file, mutex) = (&temporary.file, KEY + 64);
    let [condition] = begun(file, 1..2)[..] else { unreachable!() };
    let entry = file.begin_wait(mutex, owner(1), 101, Some(condition)).unwrap();
    assert!(!file.wake(mutex, Woken::AllAgain, &waker(200)), "it sleeps on");
    assert!(file.wake(KEY, Woken::First, &waker(300)) && file.wake(mutex, Woken::AllAgain, &waker(400)));
    assert_eq!(file.end_wait(condition, owner(1)), wake_at(300));
    assert_eq!(file.end_wait(entry, owner(1)), wake_at(400));
    // The other wait is over, and its entry another one's.
    let entry = file.begin_wait(mutex, owner(1), 500, Some(condition)).unwrap();
    assert_eq!(begun(file, 2..3), [condition]);
    assert!(file.wake(mutex, Woken::AllAgain, &waker(600)));
    assert_eq!(file.end_wait(entry, owner(1)), wake_at(600));
}

#[test]
fn another_process_has_other_places() {
    let temporary = Temporary::new();
    let entries = begun(&temporary.file, 1..2);
    let stranger = WakingCall { process: 8, ..waker(200) };
    assert!(temporary.again().wake(KEY, Woken::First, &stranger));
    assert_eq!(temporary.file.end_wait(entries[0], owner(1)), Some(Wake { time: 200, place: 0 }));
}

#[test]
fn waits_that_never_end_give_way() {
    let temporary = Temporary::new();
    let file = &temporary.file;
    let entries = begun(file, 1..WAITERS_IN_ROW + 3);
    assert_eq!(entries[0], entries[WAITERS_IN_ROW], "the one that began first");
    file.wake(KEY, Woken::All, &waker(200));
    assert_eq!(file.end_wait(entries[0], owner(1)), None);
    assert_eq!(file.end_wait(entries[0], owner(WAITERS_IN_ROW + 1)), wake_at(200));
}

#[test]
fn a_wake_is_never_that_of_another_wait() {
    let temporary = Temporary::new();
    let (file, is_over) = (&temporary.file, AtomicBool::new(false));
    std::thread::scope(|scope| {
        for key in [KEY, KEY + (1 << 41)] {
            let (file, is_over) = (temporary.again(), &is_over);
            scope.spawn(move || {
                // Of each key: the times of its wakes are even or odd.
                for round in 0.. {
                    if is_over.load(Relaxed) {
                        return;
                    }
                    let time = 1_000_000 + 2 * round + u64::from(key != KEY);
                    file.wake(key, Woken::AllAgain, &WakingCall { process: 7, time, place: time });
                    file.take_wakes(key, time);
                }
            });
        }
        for round in 0..200_000 {
            let (key, parity) = if round % 2 == 0 { (KEY, 0) } else { (KEY + (1 << 41), 1) };
            let entry = file.begin_wait(key, owner(round), round as u64, None).unwrap();
            if let Some(wake) = file.end_wait(entry, owner(round)) {
                assert_eq!(wake.time % 2, parity);
                assert!([0, wake.time].contains(&wake.place), "{wake:?}");
            }
        }
        is_over.store(true, Relaxed);
    });
}
