//! System calls in lines of calls.

use query::{ErrorField, number_of_call};
use trace_data::event::Event;
use trace_data::format::Field;

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
