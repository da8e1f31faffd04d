//! Stacks: from what a session's buffers have, registers and a slice of memory, to the addresses that calls
//! return to, as the kernel's `kernel_stack` has them.

use crate::addresses::Addresses;
use crate::tables::Process;
use crate::unwind::{FrameCaller, Memory, Registers};
use control::ControlArea;
use gimli::X86_64;

/// Bytes before the addresses: the common fields, and how many there are.
const HEAD: usize = abi::common::SIZE + 8;

/// The most addresses of a record.
const MOST_CALLERS: usize = (abi::page::max_payload(abi::page::DEFAULT_SIZE) - HEAD) / 8;

/// The stack that a session's buffers have in a record; None for bytes that are none.
fn captured(payload: &[u8]) -> Option<(Registers, Memory<'_>)> {
    let (words, bytes) = payload.split_at_checked(4 * 8)?;
    let [_, rip, rsp, rbp] = *words.as_chunks().0 else { return None };
    let [rip, rsp, rbp] = [rip, rsp, rbp].map(u64::from_le_bytes);
    Some((Registers::new(rip, rsp, rbp), Memory { start: rsp, bytes }))
}

impl Addresses {
    /// Makes of a record with a captured stack one with addresses: the innermost call first, the agent's own
    /// left out. Where the stack goes on after what is known of it, the last one says so. Without a process
    /// nothing is known but the first.
    pub(crate) fn unwind(&mut self, control: &ControlArea, process: Option<&Process>, payload: &mut Vec<u8>) {
        let callers = match (captured(payload), process) {
            (Some((registers, memory)), Some(process)) => self.callers(control, process, registers, memory),
            (Some((registers, _)), None) => {
                registers.get(X86_64::RA).into_iter().chain([self.cut()]).collect()
            }
            (None, _) => vec![self.cut()],
        };
        payload.truncate(abi::common::SIZE);
        payload.extend((callers.len() as u64).to_le_bytes());
        payload.extend(callers.iter().flat_map(|caller| caller.to_le_bytes()));
    }

    fn callers(
        &mut self,
        control: &ControlArea,
        process: &Process,
        mut registers: Registers,
        memory: Memory<'_>,
    ) -> Vec<u64> {
        let (mut callers, mut is_interrupted) = (Vec::new(), false);
        for _ in 1..MOST_CALLERS {
            let Some(address) = registers.get(X86_64::RA) else { break };
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
            match table.and_then(|(table, own)| table.leave(own, &mut registers, memory)) {
                Some(FrameCaller::Nobody) => return callers,
                Some(caller) => is_interrupted = caller == FrameCaller::Interrupted,
                None => break,
            }
        }
        callers.push(self.cut());
        callers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use session::{Session, SessionOptions};

    #[test]
    fn any_bytes_become_a_stack() {
        let directory = tempfile::tempdir().unwrap();
        let options = SessionOptions { buffer_kb: 64, ..SessionOptions::default() };
        let session = Session::create(&directory.path().join("s"), &options).unwrap();
        let mut addresses = Addresses::new(0);
        for len in abi::common::SIZE..100 {
            let mut payload: Vec<u8> = (0..len).map(|index| index as u8).collect();
            addresses.unwind(session.control(), None, &mut payload);
            let words: Vec<u64> =
                payload.as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
            assert_eq!((words[1] as usize, words.len() * 8), (words.len() - 2, payload.len()));
            assert_eq!(words[2], if len < 32 { *words.last().unwrap() } else { 0x0f0e_0d0c_0b0a_0908 });
        }
        assert!(addresses.symbols().to_string().contains(" T ...\n"));
    }
}
