//! `tracing_cpumask`: which CPUs record.

use crate::listed::Listed;
use crate::text_file::TextFile;
use crate::token::is_blank;
use crate::trace_array::TraceArray;
use rustix::io::Errno;

/// Reads and takes a mask in hexadecimal, with a comma between any two 32 bits. EOVERFLOW for CPUs that don't
/// exist. What programs write to lanes is not masked.
///
/// Source: `tracing_cpumask_write` in `kernel/trace/trace.c`, `bitmap_parse` in `lib/bitmap-str.c` of Linux
/// 6.18.
#[derive(Clone, Default)]
struct TracingCpumask;

pub(super) const LISTED: Listed =
    Listed::of::<TracingCpumask>("tracing_cpumask", "the CPUs that record, as a mask in hexadecimal");

/// Bits of a group between commas.
const GROUP: usize = 32;

impl TextFile for TracingCpumask {
    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        let buffer = array.instance().buffer();
        let cpus: Vec<bool> = (0..buffer.geometry().cpus).map(|cpu| buffer.is_block_recording(cpu)).collect();
        Ok(format!("{}\n", print(&cpus)))
    }

    fn store(&self, array: &TraceArray, bytes: &[u8]) -> Result<(), Errno> {
        let buffer = array.instance().buffer();
        let mask = parse(bytes, buffer.geometry().cpus as usize)?;
        for (cpu, on) in (0..).zip(mask) {
            if on != buffer.is_block_recording(cpu) {
                buffer.set_block_recording(cpu, on);
            }
        }
        Ok(())
    }
}

/// The mask as text: 8 digits in each group but the first.
fn print(cpus: &[bool]) -> String {
    let groups = cpus.chunks(GROUP).map(|group| {
        let bits = group.iter().rev().fold(0_u32, |bits, on| bits << 1 | u32::from(*on));
        format!("{bits:0width$x}", width = group.len().div_ceil(4))
    });
    let mut groups: Vec<String> = groups.collect();
    groups.reverse();
    groups.join(",")
}

/// The CPUs in a mask, from its end on, as the kernel reads it.
fn parse(bytes: &[u8], cpus: usize) -> Result<Vec<bool>, Errno> {
    if bytes.is_empty() {
        return Err(Errno::INVAL);
    }
    let end = bytes.iter().position(|byte| matches!(byte, 0 | b'\n')).unwrap_or(bytes.len());
    let is_between = |byte: &u8| is_blank(*byte) || *byte == b',';
    let groups = bytes.get(..end).unwrap_or(bytes).rsplit(is_between).filter(|group| !group.is_empty());
    let mut bits = Vec::new();
    for group in groups {
        if bits.len() >= cpus {
            return Err(Errno::OVERFLOW);
        }
        bits.extend(parse_group(group)?);
    }
    if bits.iter().skip(cpus).any(|bit| *bit) {
        return Err(Errno::OVERFLOW);
    }
    bits.resize(cpus, false);
    Ok(bits)
}

/// The bits of a group, the lowest first. The kernel looks at no more than the last 9 digits.
fn parse_group(group: &[u8]) -> Result<Vec<bool>, Errno> {
    let mut bits = Vec::with_capacity(GROUP);
    for byte in group.iter().rev() {
        let digit = char::from(*byte).to_digit(16);
        if bits.len() == GROUP {
            return Err(if digit.is_some() { Errno::OVERFLOW } else { Errno::INVAL });
        }
        let digit = digit.ok_or(Errno::INVAL)?;
        bits.extend((0..4).map(|bit| digit >> bit & 1 != 0));
    }
    bits.resize(GROUP, false);
    Ok(bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_the_kernels() {
        let parsed = |text: &str, cpus| parse(text.as_bytes(), cpus).map(|mask| print(&mask));
        assert_eq!(parsed("3\n", 2).unwrap(), "3");
        assert_eq!(parsed("\n", 2).unwrap(), "0");
        assert_eq!(parsed(" ,1, \n", 2).unwrap(), "1");
        assert_eq!(parsed("00000001,0000000f", 40).unwrap(), "01,0000000f");
        assert_eq!(parsed("f", 33).unwrap(), "0,0000000f");
        for (text, cpus, error) in [
            ("4", 2, Errno::OVERFLOW),
            ("0x1", 2, Errno::INVAL),
            ("", 2, Errno::INVAL),
            ("g", 2, Errno::INVAL),
            ("000000001", 2, Errno::OVERFLOW),
            ("0,0", 2, Errno::OVERFLOW),
        ] {
            assert_eq!(parsed(text, cpus), Err(error), "{text:?}");
        }
    }
}
