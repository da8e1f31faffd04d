//! Bytes of an event: in our ring, in a recording of LTTng-UST, and in the kernel's ring buffer.

use super::fixture::{Fixture, Route, bytes_per_event};
use super::writing;
use crate::report::Report;
use crate::{lttng, tracefs};

/// Events in a ring that is measured: it holds them all.
const EVENTS: u64 = 1000;

/// Bytes after the fields that each event has: a number; two numbers, where the text is, and the text.
const NUMBER: usize = 8;
const TEXT: usize = 8 + 4 + 4 + 13;

/// Measures all of them, with the same payload.
pub fn measure(report: &mut Report) -> Result<(), String> {
    let ring = Fixture::new(4096, 4096)?;
    let numbers = bytes_per_event(&ring.buffer, || writing::numbers(&ring, Route::Cpu, EVENTS));
    report.add("bytes_per_u64_event", Ok(numbers));
    report.add("lttng_bytes_per_u64_event", lttng::bytes_per_event("number"));
    report.add("kernel_bytes_per_u64_event", tracefs::bytes_per_event(NUMBER));
    let texts = bytes_per_event(&ring.buffer, || writing::texts(&ring, EVENTS));
    report.add("bytes_per_str_event", Ok(texts));
    report.add("lttng_bytes_per_str_event", lttng::bytes_per_event("text"));
    report.add("kernel_bytes_per_str_event", tracefs::bytes_per_event(TEXT));
    Ok(())
}
