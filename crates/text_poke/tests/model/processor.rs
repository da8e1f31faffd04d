//! What a processor does with the bytes of a site: one instruction.

/// What one instruction does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Executed {
    /// Nothing, or it changes flags: so many bytes.
    Nothing(usize),
    /// Calls the code at this distance from the end of the instruction, which is so many bytes long.
    Call(usize, i32),
    /// Jumps to the code at this distance.
    Jump(usize, i32),
    /// Leaves the site.
    Return,
    /// Calls through the pointer at this distance.
    CallIndirect(usize, i32),
}

/// The instruction that `bytes` begin with; None for one that no site may have.
pub fn decode(bytes: &[u8]) -> Option<Executed> {
    let operand = |at: usize| {
        let operand = bytes.get(at..at + 4)?;
        Some(i32::from_le_bytes(operand.try_into().unwrap()))
    };
    let prefixes = bytes.iter().take_while(|byte| **byte == 0x67).count();
    match &bytes[prefixes..] {
        [0xe8, ..] => Some(Executed::Call(prefixes + 5, operand(prefixes + 1)?)),
        [0xe9, ..] if prefixes == 0 => Some(Executed::Jump(5, operand(1)?)),
        // Of a function: push rbp, push r15, mov rbp, rsp, sub rsp.
        [0x55, ..] => Some(Executed::Nothing(1)),
        [0x41, 0x57, ..] => Some(Executed::Nothing(2)),
        [0x48, 0x89, 0xe5, ..] => Some(Executed::Nothing(3)),
        [0x48, 0x83, 0xec, _, ..] => Some(Executed::Nothing(4)),
        [0x48, 0x81, 0xec, ..] => Some(Executed::Nothing(7)),
        [0xa9, ..] => operand(prefixes + 1).map(|_| Executed::Nothing(prefixes + 5)),
        [0xff, 0x15, ..] if prefixes == 0 => Some(Executed::CallIndirect(6, operand(2)?)),
        [0x85, 0x15, ..] if prefixes == 0 => operand(2).map(|_| Executed::Nothing(6)),
        [0xeb, distance, ..] if prefixes == 0 => Some(Executed::Jump(2, (*distance).cast_signed().into())),
        [0x31, 0xc0, ..] if prefixes == 0 => Some(Executed::Nothing(2)),
        [0xc3, ..] if prefixes == 0 => Some(Executed::Return),
        _ => text_poke::plan::nop::len(bytes).map(Executed::Nothing),
    }
}
