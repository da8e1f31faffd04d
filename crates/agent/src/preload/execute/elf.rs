//! The start of a file that is to be executed.

use abi::control::Obstacle;

/// Bytes at the start of a file that say what it is: headers, or the line with a script's interpreter.
pub(super) const START: usize = 1024;

/// The dynamic linkers of the C libraries under which programs are recorded: glibc and musl.
const LINKERS: [&[u8]; 2] = [b"/ld-linux-x86-64.so.2", b"/ld-musl-x86_64.so.1"];

/// Why the dynamic linker would not load our object into a program that starts so. None where that isn't
/// seen, as in what is no ELF file.
pub(super) fn obstacle(start: &[u8; START]) -> Option<Obstacle> {
    const MACHINE: u64 = 62;
    const PT_INTERP: u64 = 3;
    if !start.starts_with(b"\x7fELF") {
        return None;
    }
    if start.get(4) == Some(&1) {
        return Some(Obstacle::Narrow);
    }
    if number(start, 18, 2)? != MACHINE {
        return Some(Obstacle::OtherMachine);
    }
    let (headers, size, count) = (number(start, 32, 8)?, number(start, 54, 2)?, number(start, 56, 2)?);
    for index in 0..count {
        let header = usize::try_from(headers.checked_add(index * size)?).ok()?;
        if number(start, header, 4)? == PT_INTERP {
            let offset = usize::try_from(number(start, header.checked_add(8)?, 8)?).ok()?;
            let path = start.get(offset..)?.split(|byte| *byte == 0).next()?;
            // What is cut off has no end that could be compared.
            let is_whole = offset + path.len() < START;
            let is_known = !is_whole || LINKERS.iter().any(|name| path.ends_with(name));
            return (!is_known).then_some(Obstacle::OtherLibc);
        }
    }
    Some(Obstacle::Static)
}

/// The number of `len` bytes that stands at `offset`.
fn number(start: &[u8; START], offset: usize, len: usize) -> Option<u64> {
    let bytes = start.get(offset..offset.checked_add(len)?)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}
