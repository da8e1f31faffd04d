//! Whether system calls are wanted follows from what is wanted of their events.

mod common;

use common::Temporary;
use control::WantedSystemCall;
use events::system_call::{ENTER_ID, EXIT_ID, NUMBERS, events_of};

const OPENAT: u32 = 257;

#[test]
fn any_event_wants_them() {
    let temporary = Temporary::new();
    let file = &temporary.file;
    let openat = events_of(OPENAT).unwrap();
    assert!(!file.want_system_calls() && !file.system_calls_wanted());
    assert_eq!(file.system_calls_generation(), 0, "they never were");
    for id in [openat.enter, openat.exit, ENTER_ID, EXIT_ID] {
        for instance in [0, 65] {
            file.enable(id, instance, true);
            assert!(file.want_system_calls(), "{id} is wanted in {instance}");
            assert!(!file.want_system_calls(), "nothing is otherwise than a moment ago");
            assert!(temporary.again().system_calls_wanted());
            file.enable(id, instance, false);
            assert!(file.want_system_calls() && !file.system_calls_wanted());
        }
    }
    file.set_triggered(openat.exit, 3, true);
    assert!(file.want_system_calls() && file.system_calls_wanted(), "also without a record");
    file.set_triggered(openat.exit, 3, false);
    assert!(file.want_system_calls() && !file.system_calls_wanted());
    assert_ne!(file.system_calls_generation(), 0);
    file.call_processes(true);
    assert!(!file.want_system_calls(), "processes are called for something else");
}

#[test]
fn each_call_is_wanted_by_its_own_events_or_by_all() {
    let temporary = Temporary::new();
    let file = &temporary.file;
    let openat = events_of(OPENAT).unwrap();
    let wanted = |enter, exit| WantedSystemCall { enter, exit };
    let numbers = [OPENAT, OPENAT + 1, NUMBERS, u32::MAX];
    let found = || numbers.map(|number| file.wanted_system_call(number));
    assert_eq!(found(), [wanted(false, false); 4]);
    file.enable(openat.exit, 7, true);
    let nothing = wanted(false, false);
    assert_eq!(found(), [wanted(false, true), nothing, nothing, nothing]);
    file.enable(ENTER_ID, 0, true);
    let enter = wanted(true, false);
    assert_eq!(found(), [wanted(true, true), enter, enter, enter]);
}

#[test]
fn an_event_of_a_program_wants_none() {
    let temporary = Temporary::new();
    let file = &temporary.file;
    // It may get the id that a call would have which there isn't.
    let ids = (0..2000).map(|number| file.add_event("app", &format!("e{number}"), "").unwrap());
    let is_own = |id: &u16| !events::system_call::is_system_call(*id);
    ids.filter(is_own).for_each(|id| file.enable(id, 0, true));
    assert!(!file.want_system_calls());
}
