//! Who waits for data finds who has written it, where that is sure.

use crate::common::Temporary;
use crate::waking::{owner, wake_at, waker};
use abi::control::waiter::WAITERS_IN_ROW;
use control::{AwaitedData, BegunEntries, ControlArea, Wake, WakingCall};

const KEY: u64 = 0x1234_5678;
const READER: u32 = 70;
const WRITER: u32 = 71;

/// A call waits for these, which it knows by their places.
fn begun(file: &ControlArea, owner: u64, keys: &[u64]) -> BegunEntries {
    let mut begun = BegunEntries::default();
    for (mark, key) in (0..).zip(keys) {
        let awaited = AwaitedData { key: *key, mark, time: 100, thread: READER };
        assert!(file.await_data(awaited, owner, &mut begun));
    }
    begun
}

/// A call waits for one from a time on.
fn begun_at(file: &ControlArea, owner: u64, time: u64) -> BegunEntries {
    let mut begun = BegunEntries::default();
    assert!(file.await_data(AwaitedData { key: KEY, mark: 0, time, thread: READER }, owner, &mut begun));
    begun
}

/// What is noted for each, by its place.
fn noted(file: &ControlArea, begun: BegunEntries, owner: u64) -> Vec<Option<Wake>> {
    let mut noted: Vec<_> = file.noted_data(begun, owner).map(|noted| (noted.mark, noted.wake)).collect();
    noted.sort_by_key(|(mark, _)| *mark);
    noted.into_iter().map(|(_, wake)| wake).collect()
}

/// Somebody writes, who finds that there was data already, or not, or can't know.
fn write(file: &ControlArea, time: u64, is_readable: impl Into<Option<bool>>) -> bool {
    file.makes_readable(KEY, WRITER, &waker(time), || is_readable.into())
}

#[test]
fn the_first_write_counts_as_long_as_it_is_unread() {
    let temporary = Temporary::new();
    let (file, other) = (&temporary.file, temporary.again());
    assert!(!write(&other, 200, false), "nobody waits");
    let begun = begun(file, owner(1), &[KEY + 16, KEY, KEY + 32]);
    assert!(write(&other, 200, false));
    assert!(!write(&other, 300, true), "it is awake");
    assert_eq!(noted(file, begun, owner(1)), [None, wake_at(200), None]);
    file.end_awaiting(begun, owner(1));
    assert!(!write(&other, 400, false), "it is over");
}

#[test]
fn what_is_in_doubt_stays_so_until_the_wait_is_over() {
    let temporary = Temporary::new();
    let file = &temporary.file;
    let is_doubted = |writes: &dyn Fn()| {
        let waits = begun(file, owner(1), &[KEY]);
        writes();
        write(file, 900, false);
        assert_eq!(noted(file, waits, owner(1)), [None]);
        file.end_awaiting(waits, owner(1));
    };
    is_doubted(&|| assert!(write(file, 200, false) && !write(file, 300, false), "another one has read it"));
    is_doubted(&|| assert!(write(file, 200, None) && !write(file, 300, None), "nobody knows"));
    is_doubted(&|| assert!(!write(file, 200, true), "somebody else has written"));
    is_doubted(&|| file.doubt(KEY));
    is_doubted(&|| {
        assert!(!file.makes_readable(KEY, READER, &waker(200), || Some(false)), "it does so itself");
    });
    is_doubted(&|| {
        let another = begun(file, owner(2), &[KEY]);
        assert!(!write(file, 200, false), "who of both?");
        assert_eq!(noted(file, another, owner(2)), [None]);
        file.end_awaiting(another, owner(2));
    });
    let waits = begun(file, owner(1), &[KEY]);
    assert!(write(file, 200, None));
    assert_eq!(noted(file, waits, owner(1)), [wake_at(200)]);
}

#[test]
fn another_process_is_known_by_its_time_alone() {
    let temporary = Temporary::new();
    let file = &temporary.file;
    let begun = begun(file, owner(1), &[KEY]);
    let stranger = WakingCall { process: 8, ..waker(200) };
    assert!(file.makes_readable(KEY, WRITER, &stranger, || Some(false)));
    assert_eq!(noted(file, begun, owner(1)), [Some(Wake { time: 200, place: 0 })]);
}

#[test]
fn a_call_that_has_lost_entries_leaves_none() {
    let temporary = Temporary::new();
    let file = &temporary.file;
    // More of the same row than there are, so that it takes them from itself.
    let begun_by_one = begun(file, owner(1), &[KEY; WAITERS_IN_ROW + 3]);
    assert!(noted(file, begun_by_one, owner(1)).len() <= WAITERS_IN_ROW + 3);
    file.end_awaiting(begun_by_one, owner(1));
    assert!(!write(file, 200, false));
    // Others take them.
    let first = begun(file, owner(2), &[KEY, KEY + (1 << 50), KEY]);
    let others: Vec<_> =
        (10..10 + WAITERS_IN_ROW).map(|frame| (frame, begun(file, owner(frame), &[KEY]))).collect();
    file.end_awaiting(first, owner(2));
    others.into_iter().for_each(|(frame, begun)| file.end_awaiting(begun, owner(frame)));
    let alone = begun(file, owner(1), &[KEY]);
    assert!(write(file, 300, false), "no entry is left");
    assert_eq!(noted(file, alone, owner(1)), [wake_at(300)]);
}

#[test]
fn a_wait_that_was_left_by_a_jump_is_not_one_of_several() {
    let temporary = Temporary::new();
    let file = &temporary.file;
    begun_at(file, owner(1), 100);
    assert!(write(file, 150, false));
    begun_at(file, owner(1), 200);
    let last = begun_at(file, owner(1), 300);
    assert!(write(file, 400, false));
    assert_eq!(noted(file, last, owner(1)), [wake_at(400)]);
    file.end_awaiting(last, owner(1));
    assert!(!write(file, 500, false));
}
