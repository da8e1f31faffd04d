//! Events as numbers instead of text: the kernel's options `raw`, `hex` and `bin`.
//!
//! They are what the kernel has for its own events of the system `ftrace`; of all others they show the id.
//!
//! Sources: `print_raw_fmt`, `print_hex_fmt` and `print_bin_fmt` in `kernel/trace/trace.c`,
//! `trace_output.c` of Linux 6.18.

use super::ftrace::{raw_data, word};
use super::{Form, Layout};
use crate::bytes::{u16_at, u64_at, until_nul};
use crate::digits::{decimal, hex};
use crate::event::{Event, EventTable};
use crate::record::Record;
use std::io::Write;

/// Appends an event in one of these forms.
pub(super) fn print(events: &EventTable, record: &Record<'_>, layout: Layout, out: &mut Vec<u8>) {
    let common = u64_at(record.payload, 0).unwrap_or(0);
    let (pid, cpu, time) = (abi::common::pid(common), record.cpu, record.time);
    // Writing into a vector can't fail.
    match layout.form {
        Form::Text => {}
        Form::Raw => {
            if layout.context_info {
                let _ = write!(out, "{pid} {cpu} {time} ");
            }
            raw(events, record.payload, out);
        }
        Form::Hex => {
            if layout.context_info {
                let _ = write!(out, "{pid:08x} {cpu:08x} {time:016x} ");
            }
            bytes_of(events, record.payload, |number, out| drop(write!(out, "{number:016x} ")), out);
            out.push(b'\n');
        }
        Form::Bin => {
            if layout.context_info {
                out.extend(pid.to_le_bytes());
                out.extend(cpu.to_le_bytes());
                out.extend(time.to_le_bytes());
            }
            bytes_of(events, record.payload, |number, out| out.extend(number.to_le_bytes()), out);
        }
    }
}

fn raw(events: &EventTable, payload: &[u8], out: &mut Vec<u8>) {
    let Some(event) = events.of(payload) else {
        decimal(u64::from(u16_at(payload, 0).unwrap_or(0)), 0, b' ', out);
        return out.extend_from_slice(b" ?\n");
    };
    let bytes =
        |name: &str| event.format().field(name).and_then(|field| field.bytes(payload)).unwrap_or_default();
    match own_name(event) {
        Some("print") => {
            out.extend_from_slice(b"# ");
            hex(word(event, "ip", payload), 0, out);
            out.push(b' ');
            out.extend_from_slice(until_nul(bytes("buf")));
        }
        Some("raw_data") => {
            raw_data(word(event, "id", payload), bytes("buf"), out);
            out.push(b'\n');
        }
        Some("function") => {
            hex(word(event, "ip", payload), 0, out);
            out.push(b' ');
            hex(word(event, "parent_ip", payload), 0, out);
            out.push(b'\n');
        }
        _ => id(payload, out),
    }
}

/// What `hex` and `bin` have of an event; they differ in how they show a number.
fn bytes_of(events: &EventTable, payload: &[u8], show: impl Fn(u64, &mut Vec<u8>), out: &mut Vec<u8>) {
    match events.of(payload).map(|event| (event, own_name(event))) {
        Some((event, Some("function"))) => {
            show(word(event, "ip", payload), out);
            show(word(event, "parent_ip", payload), out);
        }
        Some(_) => id(payload, out),
        None => {}
    }
}

/// The name of an event of the system `ftrace`.
fn own_name(event: &Event) -> Option<&str> {
    Some(event.format()).filter(|format| format.system == "ftrace").map(|format| format.name.as_str())
}

fn id(payload: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(b"type: ");
    decimal(u64::from(u16_at(payload, 0).unwrap_or(0)), 0, b' ', out);
    out.push(b'\n');
}
