//! Descriptions of the events that are built in: ids, names, fields, `format` texts, classes.
//!
//! Every event that lookback itself records or makes enters here, once, as an [`EventType`]: libc's calls
//! and system calls from their tables, processes, signals, and those that the kernel's tracer has of itself.
//! Who records, who keeps a session and who reads take from here what the bytes mean. Events that programs
//! define are not here: the session learns of them when a program starts, see [`abi::site`].
//!
//! What this crate is not: it records nothing and reads nothing. It runs in traced processes only as the
//! constants in it.
//!
//! ```
//! let openat = events::all().find(|event| event.name == "openat").unwrap();
//! assert_eq!((openat.system, openat.class), ("libc", Some("file")));
//! let fields: Vec<&str> = openat.fields.iter().map(|field| field.name).collect();
//! assert_eq!(fields, ["dirfd", "pathname", "flags", "mode", "caller"]);
//!
//! assert_eq!(
//!     events::sched::EXEC.own_format().to_string(),
//!     "\tfield:__data_loc char[] filename;\toffset:8;\tsize:4;\tsigned:0;\n\
//!      \tfield:pid_t pid;\toffset:12;\tsize:4;\tsigned:1;\n\
//!      \tfield:pid_t old_pid;\toffset:16;\tsize:4;\tsigned:1;\n\
//!      \tfield:__data_loc char[] argv;\toffset:20;\tsize:4;\tsigned:0;\n\
//!      \n\
//!      print fmt: \"filename=\\\"%s\\\" pid=%d old_pid=%d argv=\\\"%s\\\"\", \
//!      __get_str(filename), REC->pid, REC->old_pid, __get_str(argv)\n"
//! );
//! ```
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

pub mod argument;
mod calls;
mod class;
mod event_type;
pub mod exceptions;
mod field;
mod fingerprint;
mod format;
pub mod ftrace;
pub mod governor;
pub mod in_progress;
mod libc_call;
pub mod lock;
mod names;
pub mod sched;
pub mod signal;
pub mod switch;
pub mod system_call;
mod wake_role;

pub use class::is_on_request;
pub use event_type::EventType;
pub use field::{EventField, FieldKind};
pub use fingerprint::FINGERPRINT;
pub use format::format_file;
pub use libc_call::{Call, SYSTEM as LIBC};
pub use names::{SA_RESTORER, error_name, log_level_name, signal_name};
pub use wake_role::WakeRole;

/// Whether an event is the exit of a call that says when it has failed, with what in errno.
pub fn can_fail(id: u16) -> bool {
    id != 0 && libc_call::FAILING.contains(&id)
}

/// All events. Those with ids from [`abi::control::FIRST_EVENT`] on come first.
pub fn all() -> impl Iterator<Item = EventType> {
    sched::ALL
        .into_iter()
        .chain(signal::ALL)
        .chain(in_progress::ALL)
        .chain(governor::ALL)
        .chain(lock::ALL)
        .chain(exceptions::ALL)
        .chain(switch::ALL)
        .chain(libc_call::all())
        .chain(system_call::all())
        .chain(ftrace::ALL)
}

/// Those of them that can be enabled. The others come along with something else: stacks follow events, raw
/// data is written through a file of the control tree, and functions are what tracers record.
pub fn selectable() -> impl Iterator<Item = EventType> {
    all().filter(|event| event.system != ftrace::SYSTEM || event.id == ftrace::PRINT_ID)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::string::ToString;
    use std::vec::Vec;

    #[test]
    fn ids_and_names_are_unique() {
        let all: Vec<EventType> = all().collect();
        let name = |id: u16| all.iter().find(|event| event.id == id).map(|found| found.name);
        assert_eq!(name(sched::EXIT_ID), Some("sched_process_exit"));
        assert_eq!(name(Call::open.entry()), Some("open"));
        assert_eq!(name(Call::open.exit()), Some("open_exit"));
        assert_eq!(name(Call::_exit.exit()), None, "it doesn't return");
        assert_eq!(name(signal::DELIVER_ID), Some("signal_deliver"));
        let unique = |count: usize| assert_eq!(count, all.len());
        unique(all.iter().map(|event| event.name).collect::<HashSet<_>>().len());
        unique(all.iter().map(|event| event.id).collect::<HashSet<_>>().len());
        assert!(all.len() > 4 + 2 * 40);
    }

    #[test]
    fn what_floods_is_recorded_on_request() {
        let class = |name: &str| all().find(|event| event.name == name).unwrap().class.unwrap();
        let on_request = |name: &str| is_on_request(class(name));
        assert!(on_request("malloc") && on_request("pthread_mutex_lock_exit") && on_request("time"));
        assert!(!on_request("read") && !on_request("signal_deliver") && !on_request("sched_process_fork"));
    }

    #[test]
    fn every_format_is_short_enough_for_a_page() {
        for event in all() {
            let text = event.own_format().to_string();
            assert!(text.len() < 4000, "{}: {} bytes", event.name, text.len());
        }
    }
}
