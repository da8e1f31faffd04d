//! Fetching arguments.

use crate::compiled::CompiledProbe;
use crate::compiled_argument::{CompiledArgument, SourceKind};
use crate::machine::Machine;
use crate::machine_register::MachineRegister;
use crate::stored_form::StoredForm;

/// What is recorded instead of a text that can't be read.
pub const FAULT: &[u8] = b"(fault)";

/// The most bytes that a text has, its zero byte not counted: what is left for others of a record.
const MOST_TEXT: usize = 128;

/// A record that is being filled.
struct FetchedRecord<'a> {
    bytes: &'a mut [u8],
    /// Where the next value comes, and the next text.
    value_at: usize,
    text_at: usize,
}

impl FetchedRecord<'_> {
    /// Puts the lower bytes of a number: so many, as one store.
    #[inline(always)]
    fn put(&mut self, value: u64, size: usize) {
        let to = self.bytes.get_mut(self.value_at..).unwrap_or_default();
        let [a, b, c, d, ..] = value.to_le_bytes();
        match size {
            8 => to.first_chunk_mut().into_iter().for_each(|to| *to = value.to_le_bytes()),
            4 => to.first_chunk_mut().into_iter().for_each(|to| *to = [a, b, c, d]),
            2 => to.first_chunk_mut().into_iter().for_each(|to| *to = [a, b]),
            1 => to.first_chunk_mut().into_iter().for_each(|to| *to = [a]),
            _ => {}
        }
        self.value_at = self.value_at.wrapping_add(size);
    }

    /// Puts a text that `fill` writes, as much as there is space for: it gives how many bytes it has, None
    /// for none that can be read.
    fn put_text(&mut self, fill: impl FnOnce(&mut [u8]) -> Option<usize>) {
        let start = self.text_at;
        let all = self.bytes.len();
        let end = all.min(start + MOST_TEXT + 1);
        let space = self.bytes.get_mut(start..end).unwrap_or_default();
        let mut len = 0;
        if let Some((last, text)) = space.split_last_mut() {
            let filled = fill(text).map(|len| len.min(text.len())).unwrap_or_else(|| copy(FAULT, text));
            *text.get_mut(filled).unwrap_or(last) = 0;
            len = filled + 1;
        }
        self.text_at = start + len;
        let place = (start.min(all) as u32) | (len as u32) << 16;
        self.put(place.into(), 4);
    }
}

/// Copies as much as there is space for. How many bytes that is.
fn copy(from: &[u8], to: &mut [u8]) -> usize {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
    from.len().min(to.len())
}

impl<F: Fn(usize) -> Option<u64> + Copy> CompiledProbe<F> {
    /// Fetches the arguments into a record, after its common fields and addresses. How many bytes the record
    /// has then, the zero byte of its last text included.
    ///
    /// What can't be read is 0, or [`FAULT`] for a text. None where an argument is in a register that nobody
    /// knows.
    pub fn fetch(&self, machine: &impl Machine, record: &mut [u8]) -> Option<usize> {
        if self.needed & !machine.known_registers() != 0 {
            return None;
        }
        let text_at = (self.fixed as usize).min(record.len());
        let mut record = FetchedRecord { bytes: record, value_at: self.kind.record_start(), text_at };
        for argument in self.arguments() {
            self.fetch_one(&argument, machine, &mut record);
        }
        Some(record.text_at.min(record.bytes.len()))
    }

    /// The registers that its arguments are, and how many bytes of each are recorded. None for an argument
    /// that is anything else.
    pub fn registers(&self) -> impl Iterator<Item = Option<(MachineRegister, usize)>> + use<'_, F> {
        let mut arguments = self.arguments();
        (0..self.argument_count).map(move |_| {
            let argument = arguments.next()?;
            let is_number = matches!(argument.stored, StoredForm::Integer { bytes: 1 | 2 | 4 | 8 });
            let is_plain = is_number && argument.count == 1 && argument.dereferences == 0;
            let is_register = argument.source == SourceKind::Register && is_plain;
            is_register.then_some((argument.register, argument.stored.size()))
        })
    }

    fn arguments(&self) -> impl Iterator<Item = CompiledArgument> + use<'_, F> {
        let mut next = self.arguments;
        (0..self.argument_count).map_while(move |_| {
            let (argument, end) = CompiledArgument::at(next, self.word)?;
            next = end;
            Some(argument)
        })
    }

    fn fetch_one(&self, argument: &CompiledArgument, machine: &impl Machine, record: &mut FetchedRecord<'_>) {
        let is_text = argument.stored == StoredForm::Text;
        match argument.source {
            SourceKind::Comm => {
                let comm = machine.comm();
                let len = comm.iter().position(|byte| *byte == 0).unwrap_or(comm.len());
                return record.put_text(|into| Some(copy(comm.get(..len)?, into)));
            }
            SourceKind::Text if is_text => {
                return record.put_text(|into| Some(self.copy_literal(argument, into)));
            }
            _ => {}
        }
        // As far as pointers are followed: what the last one, which is read as it is stored, is relative to.
        let (before, last) = match argument.dereferences {
            0 => (0, None),
            count => (count - 1, self.distance(argument, count - 1)),
        };
        let mut value = source(argument, machine);
        let mut pointer_at = None;
        for index in 0..before {
            let at = value.zip(self.distance(argument, index)).map(|(value, by)| value.wrapping_add(by));
            pointer_at = at;
            value = at.and_then(|at| load(machine, at));
        }
        for index in 0..u64::from(argument.count) {
            let at = match (is_text, pointer_at) {
                // Texts of an array are where an array of pointers leads to.
                (true, Some(first)) if index != 0 => load(machine, first.wrapping_add(index * 8)),
                (true, _) => value,
                (false, _) => value.map(|value| value.wrapping_add(index * argument.stored.size() as u64)),
            };
            let at = at.zip(last).map(|(at, by)| at.wrapping_add(by));
            if is_text {
                record.put_text(|into| machine.load_text(at?, into));
                continue;
            }
            let value = match last {
                Some(_) => at.and_then(|at| load_sized(machine, at, argument.stored.size())),
                None => value,
            };
            record.put(argument.stored.of(value.unwrap_or(0)), argument.stored.size());
        }
    }

    fn distance(&self, argument: &CompiledArgument, index: usize) -> Option<u64> {
        (self.word)(argument.distances.checked_add(index)?)
    }

    fn copy_literal(&self, argument: &CompiledArgument, into: &mut [u8]) -> usize {
        let len = usize::try_from(argument.value).unwrap_or(0).min(into.len());
        for (index, to) in into.iter_mut().take(len).enumerate() {
            let word = argument.text.checked_add(index / 8).and_then(self.word).unwrap_or(0);
            *to = (word >> (index % 8 * 8)) as u8;
        }
        len
    }
}

/// What an argument begins with.
fn source(argument: &CompiledArgument, machine: &impl Machine) -> Option<u64> {
    match argument.source {
        SourceKind::Register => Some(machine.register(argument.register)),
        SourceKind::StackWord => {
            let stack = machine.register(MachineRegister::STACK_POINTER);
            load(machine, stack.wrapping_add(argument.value.wrapping_mul(8)))
        }
        SourceKind::Immediate => Some(argument.value),
        SourceKind::FileOffset => machine.file_address(argument.value),
        SourceKind::Comm | SourceKind::Text => None,
    }
}

fn load(machine: &impl Machine, address: u64) -> Option<u64> {
    load_sized(machine, address, 8)
}

fn load_sized(machine: &impl Machine, address: u64, size: usize) -> Option<u64> {
    let mut bytes = [0; 8];
    machine.load(address, bytes.get_mut(..size)?).then(|| u64::from_le_bytes(bytes))
}
