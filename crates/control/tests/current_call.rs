//! What a thread says it is in, and what readers make of it.

mod common;

use abi::control::{call_word, event_index};
use common::Temporary;
use control::{ControlArea, CurrentCall, NewProcess, NewTask, store_current_call};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

fn enter(file: &ControlArea) -> u32 {
    let task = NewTask { tid: 77, tgid: 7, process: None, comm: [0; 16], time: 1 };
    file.add_task(&task).unwrap()
}

#[test]
fn an_entry_says_what_its_thread_is_in() {
    let temporary = Temporary::new();
    let (file, other) = (&temporary.file, temporary.again());
    let task = enter(file);
    let process = file.add_process(&NewProcess { pid: 7, time: 1, ..NewProcess::default() }).unwrap();
    let call = |argument, since| CurrentCall { event: abi::control::FIRST_EVENT + 2, argument, since };
    let word = |argument, tid, since| {
        call_word(event_index(abi::control::FIRST_EVENT + 2) as u32, argument, tid, since)
    };
    assert_eq!(file.task(task).unwrap().call, None);
    for (place, tid, argument) in [
        (file.current_call_place(Some(task), Some(process)).unwrap(), 77, u32::MAX),
        (file.current_call_place(None, Some(process)).unwrap(), 7, 3),
    ] {
        store_current_call(place, word(argument, tid, 100), 100);
        let found = |file: &ControlArea| file.find_task(tid).unwrap().call;
        assert_eq!(found(&other), Some(call(argument, 100)));
        store_current_call(place, word(argument, tid + 1, 200), 200);
        assert_eq!(found(&other), None, "of another thread, which was there before");
        store_current_call(place, word(argument, tid, 300), 299);
        assert_eq!(found(&other), None, "with another call's time");
        store_current_call(place, 0, 0);
        assert_eq!(found(&other), None);
    }
    assert!(file.current_call_place(None, None).is_none());
}

#[test]
fn who_enters_is_not_in_what_the_one_before_was() {
    let temporary = Temporary::new();
    let file = &temporary.file;
    let task = enter(file);
    store_current_call(file.current_call_place(Some(task), None).unwrap(), call_word(40, 1, 77, 5), 5);
    file.end_task(task, 6);
    assert_eq!(file.task(task).unwrap().call.map(|call| call.since), Some(5), "as it was when it ended");
    let again = NewTask { tid: 77, tgid: 7, process: None, comm: [0; 16], time: 9 };
    let again = file.add_task(&again).unwrap();
    assert_eq!(file.task(again).unwrap().call, None);
}

#[test]
fn no_call_is_found_with_another_ones_time() {
    let temporary = Temporary::new();
    let (file, other) = (&temporary.file, temporary.again());
    let task = enter(file);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let place = file.current_call_place(Some(task), None).unwrap();
            for time in 1..3_000_000_u64 {
                // Nested, too: the same call again, with another time.
                store_current_call(place, call_word(40, time as u32, 77, time), time);
                store_current_call(place, call_word(40, time as u32 & !3, 77, time & !3), time & !3);
                if time % 3 == 0 {
                    store_current_call(place, 0, time + 1);
                }
            }
            done.store(true, Relaxed);
        });
        let mut found = 0_u64;
        while !done.load(Relaxed) {
            if let Some(call) = other.task(task).unwrap().call {
                assert_eq!(u64::from(call.argument), call.since);
                found += 1;
            }
        }
        assert!(found > 1000, "{found}");
    });
}
