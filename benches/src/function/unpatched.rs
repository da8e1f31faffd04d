//! What a site costs while it is off: calls of a function with one, over those of the function without.

use super::written::{MappedText, WrittenText};
use crate::clock::cpu_ns_each;
use crate::report::Report;
use crate::samples::Samples;

/// Calls in a round: some milliseconds.
const CALLS: u64 = 1_000_000;
const ROUNDS: usize = 101;
/// Bytes for a function and the loop that calls it.
const STRIDE: usize = 128;

/// lea eax, [rdi + 1]; ret.
const BODY: &[u8] = &[0x8d, 0x47, 0x01, 0xc3];

/// What its rows are called, and the bytes of the site. The first two are the function itself.
const FORMS: &[(&str, &[u8])] = &[
    ("", &[]),
    ("unpatched_nothing_ns", &[]),
    ("unpatched_ns", &[0x0f, 0x1f, 0x44, 0, 0]),
    ("unpatched_nop1_ns", &[0x90; 5]),
    ("unpatched_two_words_ns", &[0xa9, 0, 0, 0, 0]),
    ("unpatched_indirect_ns", &[0x85, 0x15, 0, 0, 0, 0]),
    ("unpatched_sled_ns", &[0xeb, 0x09, 0x66, 0x0f, 0x1f, 0x84, 0, 0, 2, 0, 0]),
];

/// Measures it.
pub fn measure(report: &mut Report) -> Result<(), String> {
    let mut bytes = Vec::new();
    for (_, site) in FORMS {
        bytes.extend(function(site));
    }
    let text = WrittenText::new(&bytes)?.map()?;
    let mut samples = vec![Samples::new(); FORMS.len()];
    for _ in 0..ROUNDS {
        for (index, samples) in samples.iter_mut().enumerate() {
            samples.push(round(&text, index));
        }
    }
    let (without, with) = samples.split_at(1);
    report.add("plain_call_ns", Ok(without[0].median()));
    for ((name, _), samples) in FORMS[1..].iter().zip(with) {
        report.add(name, Ok(samples.more_than(&without[0])));
    }
    Ok(())
}

fn round(text: &MappedText, index: usize) -> f64 {
    // SAFETY: a loop of this file.
    cpu_ns_each(CALLS, |calls| unsafe { text.call(index * STRIDE, calls) })
}

/// A loop that calls a function as often as rdi says, and after it, on a line of its own, the function.
fn function(site: &[u8]) -> Vec<u8> {
    const AT: usize = 64;
    // mov rsi, rdi; 1: call function; dec rsi; jnz 1b; ret.
    let mut code = vec![0x48, 0x89, 0xfe, 0xe8];
    code.extend((AT as u32 - 8).to_le_bytes());
    code.extend([0x48, 0xff, 0xce, 0x75, 0xf6, 0xc3]);
    code.resize(AT, 0xcc);
    code.extend_from_slice(site);
    code.extend_from_slice(BODY);
    code.resize(STRIDE, 0xcc);
    code
}
