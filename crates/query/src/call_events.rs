//! Which two events are the ends of a call, and how it has ended.

use events::{error_name, system_call};
use trace_data::event::{Event, EventTable};
use trace_data::format::{Field, Format};
use trace_data::gaps::Gaps;

/// The event at the end of the calls that an event is at the start of.
pub fn exit_of<'a>(entry: &Format, events: &'a EventTable) -> Option<&'a Event> {
    let name = match system_call_name(entry, "sys_enter") {
        Some(name) => format!("sys_exit{name}"),
        None => format!("{}_exit", entry.name),
    };
    events.named(&entry.system, &name)
}

/// The event at the start of the calls that an event is at the end of.
pub fn entry_of<'a>(exit: &Format, events: &'a EventTable) -> Option<&'a Event> {
    match system_call_name(exit, "sys_exit") {
        Some(name) => events.named(&exit.system, &format!("sys_enter{name}")),
        None => events.named(&exit.system, exit.name.strip_suffix("_exit")?),
    }
}

/// What a call is called whose end is an event of this format: `read`, of libc's function and of the system
/// call.
pub fn call_of(exit: &Format) -> &str {
    let name = exit.name.as_str();
    let of_system_call = system_call_name(exit, "sys_exit").and_then(|name| name.strip_prefix('_'));
    of_system_call.or_else(|| name.strip_suffix("_exit")).unwrap_or(name)
}

/// Whether an event is of system calls: at the start of some, or at the end.
pub fn is_of_system_calls(format: &Format) -> bool {
    [system_call::SYSTEM, system_call::RAW_SYSTEM].contains(&format.system.as_str())
}

/// The field that both ends of a call have in common, where their events are of several calls.
pub fn number_of_call(format: &Format) -> Option<&Field> {
    format.field("id").filter(|_| format.system == system_call::RAW_SYSTEM)
}

/// The field with the number of the system call, of events of some.
pub fn system_call_field(format: &Format) -> Option<&Field> {
    let number = number_of_call(format).or_else(|| format.field("__syscall_nr"));
    number.filter(|_| is_of_system_calls(format))
}

/// The number of the system call that a record is of. None for other events.
pub fn system_call_number(format: &Format, payload: &[u8]) -> Option<i64> {
    system_call_field(format)?.integer(payload)
}

/// The number of the call by which a handler of a signal returns.
const RT_SIGRETURN: i64 = 15;

/// Whether a thread that enters the system call of a number goes on elsewhere, so that nothing is recorded of
/// its end.
pub fn has_no_end(number: Option<i64>) -> bool {
    number == Some(RT_SIGRETURN)
}

/// The most by which the clock's readings of both ends of a call differ from the length that its end has, in
/// nanoseconds.
const CLOCK_DIFFERENCE: u64 = 1000;

/// Whether what was entered at `start` is what has ended at `end`, if that took `length`, as far as the end
/// says. Else it may be another call, where events are missing in between.
pub fn are_ends_of_one_call((start, end): (u64, u64), length: Option<u64>, gaps: &Gaps) -> bool {
    let begun = length.map(|length| end.saturating_sub(length));
    let is_measured = begun.is_some_and(|begun| begun.abs_diff(start) < CLOCK_DIFFERENCE);
    is_measured || !gaps.lie_between(start, end)
}

/// What follows `end` in the name of a system call's event.
fn system_call_name<'a>(format: &'a Format, end: &str) -> Option<&'a str> {
    format.name.strip_prefix(end).filter(|_| is_of_system_calls(format))
}

/// Where the event at a call's end says how the call has failed.
#[derive(Debug, Clone)]
pub struct ErrorField {
    field: Field,
    /// A result below 0 is the error, of a system call; else the field has nothing but the error.
    is_result: bool,
}

/// The errors that system calls return, as the kernel's `IS_ERR_VALUE` knows them.
const ERRORS: std::ops::Range<i64> = -4095..0;

/// What the kernel's own records of system calls say that a signal interrupts: no program sees these errors.
const RESTARTS: [(u32, &str); 4] =
    [(512, "ERESTARTSYS"), (513, "ERESTARTNOINTR"), (514, "ERESTARTNOHAND"), (516, "ERESTART_RESTARTBLOCK")];

impl ErrorField {
    /// That of an event. None where it says nothing of it.
    pub fn of(format: &Format) -> Option<ErrorField> {
        let is_result = is_of_system_calls(format);
        let field = format.field(if is_result { "ret" } else { "error" })?.clone();
        Some(ErrorField { field, is_result })
    }

    /// The error's number; None of a call that has not failed.
    pub fn read(&self, payload: &[u8]) -> Option<i64> {
        let value = self.field.integer(payload)?;
        let error = match self.is_result {
            true if ERRORS.contains(&value) => -value,
            true => 0,
            false => value,
        };
        (error != 0).then_some(error)
    }

    /// The error's name, `ENOENT`.
    pub fn name(&self, payload: &[u8]) -> Option<&'static str> {
        let number = u32::try_from(self.read(payload)?).ok()?;
        let restart = RESTARTS.iter().find(|(error, _)| self.is_result && *error == number);
        error_name(number).or_else(|| restart.map(|(_, name)| *name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace_data::print::Dialect;

    fn table() -> EventTable {
        let events = events::selectable().map(|event| {
            let text = events::format_file(event.name, event.id, event.own_format()).to_string();
            Event::new(Format::parse(event.system, &text).unwrap(), Dialect::Kernel)
        });
        events.collect()
    }

    #[test]
    fn both_ends_of_a_call_find_each_other() {
        let table = table();
        for (system, entry, exit) in [
            ("libc", "read", "read_exit"),
            ("syscalls", "sys_enter_openat", "sys_exit_openat"),
            ("raw_syscalls", "sys_enter", "sys_exit"),
        ] {
            let [entry, exit] = [entry, exit].map(|name| table.named(system, name).unwrap().format());
            assert_eq!(exit_of(entry, &table).map(|event| event.format().id), Some(exit.id));
            assert_eq!(entry_of(exit, &table).map(|event| event.format().id), Some(entry.id));
            assert!(exit_of(exit, &table).is_none() && entry_of(entry, &table).is_none(), "{system}");
        }
        let raw = table.named("raw_syscalls", "sys_exit").unwrap().format();
        assert_eq!(number_of_call(raw).map(|field| field.name.as_str()), Some("id"));
    }

    #[test]
    fn a_length_shows_ends_of_one_call_over_a_gap() {
        let are = |length| are_ends_of_one_call((100, 5000), length, &Gaps::new(vec![(200, 300)]));
        assert_eq!([Some(4900), Some(4000), Some(3800), None].map(are), [true, true, false, false]);
        assert!(are_ends_of_one_call((400, 5000), None, &Gaps::new(vec![(200, 300)])));
    }

    #[test]
    fn a_result_below_zero_is_an_error() {
        let table = table();
        let error = |event: &str, value: i64| {
            let mut payload = [[0; 8], [0; 8], value.to_le_bytes()].concat();
            payload.extend([0; 64]);
            let error = ErrorField::of(table.named("syscalls", event).unwrap().format())?;
            Some((error.read(&payload)?, error.name(&payload)?))
        };
        assert_eq!(error("sys_exit_openat", -2), Some((2, "ENOENT")));
        assert_eq!(error("sys_exit_rt_sigsuspend", -514), Some((514, "ERESTARTNOHAND")));
        assert_eq!(error("sys_exit_mmap", 0x7fff_0000_0000), None);
        assert_eq!(error("sys_exit_mmap", -4096), None);
        assert_eq!(error("sys_enter_openat", -2), None, "it has no result yet");
    }
}
