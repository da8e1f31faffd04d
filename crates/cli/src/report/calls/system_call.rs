//! System calls in lines of calls.

use query::{ErrorField, is_of_system_calls, number_of_call};
use trace_data::event::Event;
use trace_data::format::Field;

/// The number of the call by which a handler of a signal returns: nothing is recorded of its end, as the
/// thread goes on where it was interrupted.
const RT_SIGRETURN: i64 = 15;

/// What a call is called: as in the kernel's text. That of all calls by its number.
pub(super) fn name(event: &Event, payload: &[u8]) -> String {
    match number_of_call(event.format()).and_then(|field| field.integer(payload)) {
        Some(number) => format!("NR {number}"),
        None => {
            let name = &event.format().name;
            let own = name.strip_prefix("sys_enter_").or_else(|| name.strip_prefix("sys_exit_"));
            format!("sys_{}", own.unwrap_or(name))
        }
    }
}

/// The number of the call that a record is of. None for other events.
pub(super) fn number(event: &Event, payload: &[u8]) -> Option<i64> {
    let format = event.format();
    let number = number_of_call(format).or_else(|| format.field("__syscall_nr"));
    number.filter(|_| is_of_system_calls(format))?.integer(payload)
}

/// Whether the calling thread goes on elsewhere after the call of a number.
pub(super) fn has_no_end(number: Option<i64>) -> bool {
    number == Some(RT_SIGRETURN)
}

/// The names and values of a record's arguments, or its result, and the error's name.
pub(super) fn fields(event: &Event, payload: &[u8]) -> Vec<(String, String)> {
    let error = ErrorField::of(event.format()).and_then(|error| {
        let number = error.read(payload)?;
        Some(error.name(payload).map_or_else(|| number.to_string(), str::to_owned))
    });
    // After the number.
    let fields = event.format().own_fields().iter().skip(1);
    let fields = fields.map(|field| (field.name.clone(), value(field, payload)));
    fields.chain(error.map(|name| ("error".to_owned(), name))).collect()
}

/// A number that is small in decimal. An argument is as wide as a register, whatever the program has put into
/// the other half of it.
fn value(field: &Field, payload: &[u8]) -> String {
    let Some(value) = field.integer(payload) else { return words(field, payload) };
    match value {
        ..0 if !field.signed => format!("{value:#x}"),
        -4095..=0xffff => value.to_string(),
        _ => format!("{value:#x}"),
    }
}

/// The registers of all arguments there can be.
fn words(field: &Field, payload: &[u8]) -> String {
    let bytes = field.bytes(payload).unwrap_or_default();
    let words = bytes.as_chunks().0.iter().map(|word| format!("{:#x}", u64::from_le_bytes(*word)));
    format!("{{{}}}", words.collect::<Vec<_>>().join(", "))
}
