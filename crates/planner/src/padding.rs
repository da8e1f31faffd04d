//! Bytes between functions that nobody executes.

use crate::instruction::{DecodedInstruction, Flow};

/// What some linkers and compilers fill up with: a trap.
const TRAP: u8 = 0xcc;

/// Whether the bytes between a function and the next one are only there to align that: they do nothing, and
/// the function before, whose code is given, doesn't go on there.
///
/// Cost: it decodes the function.
pub fn is_padding(function: &[u8], between: &[u8]) -> bool {
    has_ended(function)
        && (between.iter().all(|byte| *byte == TRAP) || nops(between, between.len()) == between.len())
}

/// The bytes of instructions that do nothing at the start of some code, up to the one with which they are so
/// many: nops, and what says that branches may lead there.
pub fn nops(code: &[u8], most: usize) -> usize {
    let mut len = 0;
    while len < most {
        let first = code.get(len..).and_then(DecodedInstruction::first);
        let Some(nop) = first.filter(DecodedInstruction::does_nothing) else { break };
        len += nop.len();
    }
    len
}

/// Whether a function's last instruction leads away from what is after it. A call at the end may not return;
/// its return address is after it all the same.
fn has_ended(function: &[u8]) -> bool {
    let (mut rest, mut last) = (function, None);
    while !rest.is_empty() {
        let Some(instruction) = DecodedInstruction::first(rest) else { return false };
        last = Some(instruction.flow());
        rest = rest.get(instruction.len()..).unwrap_or_default();
    }
    matches!(last, Some(Flow::End | Flow::Jump(_) | Flow::Indirect))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_aligns_the_next_function_is_padding() {
        let [ret, jump, call] = [&[0x31, 0xc0, 0xc3][..], &[0xeb, 0xf0], &[0xe8, 0, 0, 0, 0]];
        // Of nine bytes with a prefix, of three, of two, of one.
        let nops = [0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0, 0x0f, 0x1f, 0, 0x66, 0x90, 0x90];
        assert!(is_padding(ret, &nops) && is_padding(jump, &nops) && is_padding(ret, &[0xcc; 8]));
        assert!(!is_padding(call, &nops), "its return address is there");
        assert!(!is_padding(&[0x31, 0xc0], &nops), "it goes on there");
        assert!(!is_padding(&[], &nops) && !is_padding(&[0x06], &nops));
        assert!(!is_padding(ret, &[0x90, 0xc3]), "it does something");
        assert!(!is_padding(ret, &nops[..8]), "half of one");
    }
}
