//! Events of system calls: the kernel's to the letter, as clients compare their formats.
//!
//! Each call that is in the tables has two events, [`SYSTEM`]`:sys_enter_NAME` and `sys_exit_NAME`; all calls
//! have those of [`RAW_SYSTEM`]. Names, types and numbers are those of Linux 6.18 for x86-64, by
//! `events/syscalls/sys_enter_*/format` of its tracefs and `asm/unistd_64.h`. To add one, add a line to the
//! table of its class.
//!
//! An event's id follows from its call's number: so who records needs no table to find it.

#[macro_use]
mod entry;
mod communication;
mod files;
mod processes;

use crate::field::field;
use crate::{EventType, FieldKind};
pub use entry::{ENTER_ID, EXIT_ID, SYSTEM};
use entry::{FIRST, SystemCall, enter_id, exit_id};

/// The system of those that all calls have.
pub const RAW_SYSTEM: &str = "raw_syscalls";

/// The first part of the classes of all calls' own events; the second one is what the calls are about.
pub(crate) const CLASS: &str = "syscalls";
/// The class of those that all calls have.
pub(crate) const RAW_CLASS: &str = "raw_syscalls";

/// The most arguments of a call: so many registers there are for them.
pub const MOST_ARGUMENTS: usize = 6;

/// A thread makes a system call.
pub const ENTER: EventType = EventType {
    id: ENTER_ID,
    system: RAW_SYSTEM,
    name: "sys_enter",
    class: Some(RAW_CLASS),
    fields: &[field("id", FieldKind::I64), field("args", FieldKind::SystemCallArguments)],
    print: Some(
        "\"NR %ld (%lx, %lx, %lx, %lx, %lx, %lx)\", REC->id, REC->args[0], REC->args[1], REC->args[2], \
         REC->args[3], REC->args[4], REC->args[5]",
    ),
};
/// A system call returns.
pub const EXIT: EventType = EventType {
    id: EXIT_ID,
    system: RAW_SYSTEM,
    name: "sys_exit",
    class: Some(RAW_CLASS),
    fields: &[field("id", FieldKind::I64), field("ret", FieldKind::I64)],
    print: Some("\"NR %ld = %ld\", REC->id, REC->ret"),
};

/// All that are known, by their classes.
pub(crate) const TABLES: [&[SystemCall]; 3] = [files::TABLE, processes::TABLE, communication::TABLE];

/// One more than the largest number in the tables.
pub const NUMBERS: u32 = {
    let (mut end, mut table) = (0, 0);
    while table < TABLES.len() {
        let mut at = 0;
        while at < TABLES[table].len() {
            let number = TABLES[table][at].number;
            end = if number < end { end } else { number + 1 };
            at += 1;
        }
        table += 1;
    }
    end
};

/// How many arguments the call of each number has; [`NONE`] where there is no such call.
static ARGUMENTS: [u8; NUMBERS as usize] = {
    let (mut counts, mut table) = ([NONE; NUMBERS as usize], 0);
    while table < TABLES.len() {
        let mut at = 0;
        while at < TABLES[table].len() {
            let SystemCall { number, enter, .. } = TABLES[table][at];
            assert!(counts[number as usize] == NONE, "two calls have the same number");
            counts[number as usize] = enter.fields.len() as u8 - 1;
            at += 1;
        }
        table += 1;
    }
    counts
};
const NONE: u8 = u8::MAX;

/// The events that a system call has of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallEvents {
    /// The id of the event at its entry.
    pub enter: u16,
    /// The id of that at its exit.
    pub exit: u16,
    /// How many arguments it has.
    pub arguments: usize,
}

/// The events that the call of a number has of its own. None where it isn't in the tables. Async-signal-safe.
#[inline(always)]
pub fn events_of(number: u32) -> Option<CallEvents> {
    let arguments = *ARGUMENTS.get(number as usize)?;
    (arguments != NONE).then_some(CallEvents {
        enter: enter_id(number),
        exit: exit_id(number),
        arguments: usize::from(arguments),
    })
}

/// Whether an event is one of a system call.
pub fn is_system_call(id: u16) -> bool {
    let number = u32::from(id.wrapping_sub(FIRST)) / 2;
    matches!(id, ENTER_ID | EXIT_ID) || events_of(number).is_some()
}

/// All of them: first those that all calls have.
pub(crate) fn all() -> impl Iterator<Item = EventType> {
    let own = TABLES.into_iter().flatten().flat_map(|call| [call.enter, call.exit]);
    [ENTER, EXIT].into_iter().chain(own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    fn format_of(name: &str) -> std::string::String {
        all().find(|event| event.name == name).unwrap().own_format().to_string()
    }

    /// As Linux 6.18 has them.
    #[test]
    fn formats_are_the_kernels() {
        let openat = "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n\
            \tfield:int dfd;\toffset:16;\tsize:8;\tsigned:0;\n\
            \tfield:const char * filename;\toffset:24;\tsize:8;\tsigned:0;\n\
            \tfield:int flags;\toffset:32;\tsize:8;\tsigned:0;\n\
            \tfield:umode_t mode;\toffset:40;\tsize:8;\tsigned:0;\n\n\
            print fmt: \"dfd: 0x%08lx, filename: 0x%08lx, flags: 0x%08lx, mode: 0x%08lx\", \
            ((unsigned long)(REC->dfd)), ((unsigned long)(REC->filename)), \
            ((unsigned long)(REC->flags)), ((unsigned long)(REC->mode))\n";
        assert_eq!(format_of("sys_enter_openat"), openat);
        let getpid = "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n";
        assert_eq!(format_of("sys_enter_getpid"), getpid);
        let exit = "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n\
            \tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n\nprint fmt: \"0x%lx\", REC->ret\n";
        assert_eq!(format_of("sys_exit_getpid"), exit);
        let all_calls = "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n\
            \tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n\n\
            print fmt: \"NR %ld (%lx, %lx, %lx, %lx, %lx, %lx)\", REC->id, REC->args[0], REC->args[1], \
            REC->args[2], REC->args[3], REC->args[4], REC->args[5]\n";
        assert_eq!(format_of("sys_enter"), all_calls);
        let all_exits = "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n\
            \tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n\n\
            print fmt: \"NR %ld = %ld\", REC->id, REC->ret\n";
        assert_eq!(format_of("sys_exit"), all_exits);
    }

    #[test]
    fn a_number_leads_to_its_own_events() {
        for (number, name) in
            [(0, "read"), (libc::SYS_openat, "openat"), (libc::SYS_futex_waitv, "futex_waitv")]
        {
            let own = events_of(number as u32).unwrap();
            let name_of = |id| all().find(|event| event.id == id).unwrap().name;
            assert_eq!(name_of(own.enter).strip_prefix("sys_enter_"), Some(name));
            assert_eq!(name_of(own.exit).strip_prefix("sys_exit_"), Some(name));
        }
        assert_eq!(events_of(libc::SYS_openat as u32).unwrap().arguments, 4);
        let create_module = 174;
        assert!(
            events_of(create_module).is_none()
                && events_of(NUMBERS).is_none()
                && events_of(u32::MAX).is_none()
        );
        assert!(
            is_system_call(ENTER_ID) && is_system_call(exit_id(0)) && is_system_call(exit_id(NUMBERS - 1))
        );
        assert!(
            !is_system_call(enter_id(create_module)) && !is_system_call(ENTER_ID - 1) && !is_system_call(5)
        );
        assert!(all().all(|event| is_system_call(event.id)));
    }

    #[test]
    fn they_are_recorded_on_request() {
        assert!(all().all(|event| crate::is_on_request(event.class.unwrap())));
    }
}
