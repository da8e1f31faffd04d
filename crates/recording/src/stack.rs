//! Stacks: from what a session's buffers have, registers and a slice of memory, to the addresses that calls
//! return to, as the kernel's `kernel_stack` has them.

use crate::addresses::Addresses;
use crate::tables::Process;
use crate::unwind::{Caller, FrameTable, Memory, Registers};
use control::ControlFile;
use gimli::X86_64;

/// Bytes before the addresses: the common fields, and how many there are.
const HEAD: usize = abi::common::SIZE + 8;

/// The most addresses of a record.
const MOST_CALLERS: usize = (abi::page::max_payload(abi::page::DEFAULT_SIZE) - HEAD) / 8;

/// A stack as a session's buffers have it.
#[derive(Debug, Clone, Copy)]
struct Captured<'a> {
    registers: Registers,
    memory: Memory<'a>,
}

impl Captured<'_> {
    /// That of a record; None for bytes that are none.
    fn of(payload: &[u8]) -> Option<Captured<'_>> {
        let (words, bytes) = payload.split_at_checked(4 * 8)?;
        let [_, rip, rsp, rbp] = *words.as_chunks::<8>().0 else { return None };
        let [rip, rsp, rbp] = [rip, rsp, rbp].map(u64::from_le_bytes);
        Some(Captured { registers: Registers::new(rip, rsp, rbp), memory: Memory { start: rsp, bytes } })
    }
}

impl Addresses {
    /// Makes of a record with a captured stack one with addresses: the innermost call first, the agent's own
    /// left out. Where the stack goes on behind what is known of it, the last one says so. Without a process
    /// nothing is known but the first.
    pub(crate) fn unwind(&mut self, control: &ControlFile, process: Option<&Process>, payload: &mut Vec<u8>) {
        let mut callers = match (Captured::of(payload), process) {
            (Some(captured), Some(process)) => self.callers(control, process, captured),
            (Some(captured), None) => {
                captured.registers.get(X86_64::RA).into_iter().chain([self.cut()]).collect()
            }
            (None, _) => vec![self.cut()],
        };
        if callers.len() > MOST_CALLERS {
            callers.truncate(MOST_CALLERS - 1);
            callers.push(self.cut());
        }
        payload.truncate(abi::common::SIZE);
        payload.extend((callers.len() as u64).to_le_bytes());
        payload.extend(callers.iter().flat_map(|caller| caller.to_le_bytes()));
    }

    fn callers(&mut self, control: &ControlFile, process: &Process, captured: Captured<'_>) -> Vec<u64> {
        let Captured { mut registers, memory } = captured;
        let (mut callers, mut is_interrupted) = (Vec::new(), false);
        while let Some(address) = registers.get(X86_64::RA) {
            // A call can be the last instruction of its function.
            let instruction = if is_interrupted { address } else { address.wrapping_sub(1) };
            let place = self.place(control, process, instruction);
            if !place.is_some_and(|(entry, _)| self.is_agent(control, entry)) {
                callers.push(match is_interrupted {
                    true => self.translate_start(control, process, address),
                    false => self.translate(control, process, address),
                });
            }
            let table = place.and_then(|(entry, own)| Some((self.frame_table(control, entry)?, own)));
            let leave = |(table, own): (&FrameTable, u64)| table.leave(own, &mut registers, memory);
            match table.map_or(Caller::Unknown, leave) {
                Caller::Nobody => break,
                Caller::Unknown => {
                    callers.push(self.cut());
                    break;
                }
                caller => is_interrupted = caller == Caller::Interrupted,
            }
        }
        callers
    }
}
