//! An event that is dropped is back in the end, whoever else switches it, and wherever who drops it is
//! killed.

mod common;

use abi::control::{FIRST_ALONE, OFF, SWITCHES_OFFSET, Switches, event_index};
use abi::instance::RECORDING;
use common::Temporary;
use control::{Budget, Clocks, ControlArea, Spending};
use std::mem::offset_of;
use std::os::unix::fs::FileExt;
use std::sync::atomic::Ordering::Relaxed;

const BUDGET: Budget = Budget { millionths: 10_000, cost: 30_000 };
/// Later than any pause lasts, by a clock of some ticks for each nanosecond.
const LATER: u64 = 1 << 50;

fn word(file: &ControlArea, id: u16) -> u64 {
    file.enabled_words()[event_index(id)].load(Relaxed)
}

/// Writes a word of the file, as one does who is killed after it.
fn write(temporary: &Temporary, offset: u64, word: u64) {
    let file = std::fs::OpenOptions::new().write(true).open(temporary.path.to_str().unwrap()).unwrap();
    file.write_all_at(&word.to_ne_bytes(), offset).unwrap();
}

fn switch_offset(id: u16) -> u64 {
    SWITCHES_OFFSET + (event_index(id) * size_of::<Switches>() + offset_of!(Switches, dropped)) as u64
}

/// A session with a budget, in which an event is enabled.
fn governed() -> (Temporary, u16) {
    let temporary = Temporary::new();
    let id = temporary.file.add_event("app", "request", "").unwrap();
    temporary.file.set_budget(Some(BUDGET), 1);
    temporary.file.enable(id, RECORDING, true);
    (temporary, id)
}

#[test]
fn what_is_dropped_is_not_recorded_in_the_first_instance_alone() {
    let (temporary, id) = governed();
    let file = &temporary.file;
    assert!(file.drop_event(id, 5, 10));
    assert_eq!(word(file, id), OFF);
    file.enable(id, 3, true);
    assert!(file.switched(id).on.iter().eq([3]), "others go on");
    assert!(file.dropped_events().map(|event| (event.event, event.rate, event.until)).eq([(id, 5, None)]));
    assert_eq!(file.restore_due(10), None, "its pause isn't over");
    assert_eq!(file.restore_due(LATER), Some((id, 5)));
    assert!(file.switched(id).on.iter().eq([0, 3]));
    assert!(file.dropped_events().all(|event| event.until == Some(LATER)));
}

/// One event of each page is measured, on each CPU.
#[test]
fn the_price_is_that_of_events_where_they_are_recorded() {
    let (temporary, _) = governed();
    let file = &temporary.file;
    // From here on a tick is a nanosecond.
    let created = file.identity().created;
    file.use_tick_rate(&Clocks { tsc: created.tsc + 1000, mono: created.mono + 1000, ..created });
    let (mut number, mut now) = (1, 1);
    let mut turn = |cpu, taken| {
        (number, now) = (number + 1000, now + 10_000_000);
        let spending = file.spend(cpu, number, now, taken).map(|(_, spending)| spending);
        (spending, file.event_costs().unwrap())
    };
    assert_eq!(turn(0, None), (None, 30_000..=30_000), "nothing was measured");
    // 100,000 events in a second: 3 ms of the 10 that they may take.
    assert_eq!(turn(0, None).0, Some(Spending::Quiet));
    // A quarter more than is measured: 12.5 ms.
    let (spending, costs) = (0..1000).map(|_| turn(0, Some(100))).last().unwrap();
    assert!(matches!(spending, Some(Spending::TooMuch { .. })), "{spending:?}");
    assert!((124_000..=125_000).contains(costs.start()) && costs.start() == costs.end(), "{costs:?}");
    // A thread that has lost the CPU meanwhile.
    let most = *turn(0, Some(u64::MAX)).1.end();
    assert!((150_000..155_000).contains(&most), "{most}");
    // Another CPU has a price of its own.
    let costs = turn(1, Some(10)).1;
    assert!(*costs.start() < 30_000 && *costs.end() == most, "{costs:?}");
    // What was measured for an earlier budget is forgotten.
    file.set_budget(None, now);
    assert_eq!(file.event_costs(), None);
    file.set_budget(Some(BUDGET), now);
    assert_eq!(file.event_costs(), Some(30_000..=30_000));
}

#[test]
fn who_chooses_an_event_has_the_last_word() {
    let (temporary, id) = governed();
    let file = &temporary.file;
    assert!(file.drop_event(id, 5, 10));
    file.enable(id, RECORDING, true);
    assert_eq!(word(file, id), FIRST_ALONE);
    assert!(file.drop_event(id, 5, 20));
    file.enable(id, RECORDING, false);
    assert_eq!((file.restore_due(LATER), word(file, id)), (None, OFF));
    // By a trigger, which leaves it dropped.
    file.enable(id, RECORDING, true);
    assert!(file.drop_event(id, 5, 30));
    assert!(file.turn(id, RECORDING, false));
    assert_eq!(file.dropped_events().filter(|event| event.until.is_none()).count(), 0);
    assert_eq!((file.restore_due(LATER), word(file, id)), (None, OFF));
    file.enable(id, RECORDING, true);
    assert_eq!(word(file, id), FIRST_ALONE);
}

#[test]
fn who_is_killed_while_he_drops_one_loses_none() {
    let (temporary, id) = governed();
    let file = &temporary.file;
    assert!(file.drop_event(id, 5, 10));
    // Said to be dropped, and not yet dropped.
    write(&temporary, switch_offset(id), 0);
    assert!(file.is_enabled(id, RECORDING) && file.dropped_events().next().is_none());
    file.restore_due(LATER);
    assert!(file.drop_event(id, 5, LATER + 10), "it can be dropped again");
    assert_eq!(file.restore_due(2 * LATER), Some((id, 5)));
    // Dropped, and not said to be.
    write(&temporary, switch_offset(id), 1);
    file.restore_lost();
    assert_eq!((file.is_enabled(id, RECORDING), word(file, id)), (true, FIRST_ALONE));
    // What is said to be dropped stays so.
    assert!(file.drop_event(id, 5, 3 * LATER));
    file.restore_lost();
    assert!(!file.is_enabled(id, RECORDING));
}

/// Events are dropped and come back in one thread, are chosen in another, and the budget goes in a third.
#[test]
fn nothing_is_lost_whoever_does_what_at_once() {
    const ROUNDS: u64 = 20_000;
    let temporary = Temporary::new();
    let ids: Vec<u16> =
        ["a", "b", "c"].iter().map(|name| temporary.file.add_event("app", name, "").unwrap()).collect();
    temporary.file.set_budget(Some(BUDGET), 1);
    std::thread::scope(|scope| {
        for thread in 0..2 {
            let (file, ids) = (temporary.again(), &ids);
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    let id = ids[(round + thread) as usize % ids.len()];
                    file.drop_event(id, 5, round << 40);
                    file.restore_due((round << 40) + LATER);
                }
            });
        }
        let (file, ids) = (temporary.again(), &ids);
        scope.spawn(move || {
            for round in 0..ROUNDS {
                file.enable(ids[round as usize % ids.len()], RECORDING, round % 2 == 0);
                if round % 64 == 0 {
                    file.set_budget(None, round << 40);
                    file.set_budget(Some(BUDGET), round << 40);
                }
            }
        });
    });
    let file = &temporary.file;
    ids.iter().for_each(|id| file.enable(*id, RECORDING, *id != ids[1]));
    file.restore_all(u64::MAX);
    file.restore_lost();
    for id in &ids {
        assert_eq!(word(file, *id), if *id == ids[1] { OFF } else { FIRST_ALONE }, "{id}");
    }
}
