//! Events as numbers instead of text: the kernel's options `raw`, `hex` and `bin`.
//!
//! They are what the kernel has for its own events of the system `ftrace`; of all others they show the id.
//!
//! Sources: `print_raw_fmt`, `print_hex_fmt` and `print_bin_fmt` in `kernel/trace/trace.c`,
//! `trace_output.c` of Linux 6.18.

use super::ftrace::{bytes, raw_data, repeats, word};
use super::{Form, Layout};
use crate::bytes::{u16_at, until_nul};
use crate::event::{Event, EventTable};
use crate::record::Record;
use std::io::Write;

/// Appends an event in one of these forms.
pub(super) fn print(events: &EventTable, record: &Record<'_>, layout: Layout, out: &mut Vec<u8>) {
    let (pid, cpu, time) = (record.pid(), record.cpu, record.time);
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
        return drop(writeln!(out, "{} ?", u16_at(payload, 0).unwrap_or(0)));
    };
    let word = |name| word(event, name, payload);
    match own_name(event) {
        Some("print") => {
            let _ = write!(out, "# {:x} ", word("ip"));
            out.extend_from_slice(until_nul(bytes(event, "buf", payload)));
        }
        Some("raw_data") => {
            raw_data(event, payload, out);
            out.push(b'\n');
        }
        Some("function") => drop(writeln!(out, "{:x} {:x}", word("ip"), word("parent_ip"))),
        Some("func_repeats") => {
            let (count, before) = repeats(event, payload);
            drop(writeln!(out, "{} {} {count} {before}", word("ip"), word("parent_ip")));
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
    let _ = writeln!(out, "type: {}", u16_at(payload, 0).unwrap_or(0));
}
