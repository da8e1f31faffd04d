//! From the registers of a function to those of its caller, as a file's `.eh_frame` says.
//!
//! All registers are followed, and memory that expressions ask for: the frames of signals need both, and so
//! do functions that align their stack.

use crate::elf;
use gimli::{
    BaseAddresses, CfaRule, EhFrame, EhFrameHdr, Encoding, EvaluationResult, FrameDescriptionEntry,
    LittleEndian, Location, Register, RegisterRule, UnwindContext, UnwindExpression, UnwindSection, Value,
    X86_64,
};
use object::{Object, ObjectSection};
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

type Bytes<'a> = gimli::EndianSlice<'a, LittleEndian>;

/// How a file's functions leave their frames.
#[derive(Debug)]
pub(crate) struct FrameTable {
    eh_frame: Vec<u8>,
    /// The index of that; empty in a file that has none.
    header: Vec<u8>,
    bases: BaseAddresses,
    /// What was looked up before, by address.
    rows: RefCell<HashMap<u64, Option<Arc<Row>>>>,
}

/// How a function leaves its frame, at some instruction.
#[derive(Debug)]
struct Row {
    cfa: CfaRule<usize>,
    registers: [Option<RegisterRule<usize>>; REGISTERS],
    encoding: Encoding,
    is_of_signal: bool,
}

/// Registers that are followed, by their DWARF numbers. The last is the instruction.
const REGISTERS: usize = 17;

/// Rows that are kept.
const MOST_ROWS: usize = 1 << 14;

/// A part of a stack.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Memory<'a> {
    /// The address of its first byte.
    pub(crate) start: u64,
    pub(crate) bytes: &'a [u8],
}

impl Memory<'_> {
    /// The word at an address. None where that isn't part of it.
    pub(crate) fn word(self, address: u64) -> Option<u64> {
        let offset = usize::try_from(address.checked_sub(self.start)?).ok()?;
        Some(u64::from_le_bytes(*self.bytes.get(offset..)?.first_chunk()?))
    }
}

/// Registers, as far as they are known.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Registers([Option<u64>; REGISTERS]);

impl Registers {
    pub(crate) fn new(rip: u64, rsp: u64, rbp: u64) -> Registers {
        let mut registers = Registers::default();
        for (register, value) in [(X86_64::RA, rip), (X86_64::RSP, rsp), (X86_64::RBP, rbp)] {
            registers.set(register, Some(value));
        }
        registers
    }

    pub(crate) fn get(&self, register: Register) -> Option<u64> {
        self.0.get(usize::from(register.0)).copied().flatten()
    }

    fn set(&mut self, register: Register, value: Option<u64>) {
        if let Some(place) = self.0.get_mut(usize::from(register.0)) {
            *place = value;
        }
    }
}

/// What called the function of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FrameCaller {
    /// A function that has called.
    Function,
    /// A function that a signal has interrupted: its instruction is the next one, and not where a call
    /// returns to.
    Interrupted,
    /// Nothing: it was the thread's first function.
    Nobody,
}

impl FrameTable {
    /// That of the file that was mapped when it had this build id.
    pub(crate) fn read(path: &Path, build_id: &[u8]) -> Option<FrameTable> {
        elf::read(path, build_id, |file| {
            let section = |name| file.section_by_name(name);
            let bytes = |name| section(name).and_then(|section| Some(section.data().ok()?.to_vec()));
            let address = |name| section(name).map_or(0, |section| section.address());
            let bases = BaseAddresses::default()
                .set_eh_frame(address(".eh_frame"))
                .set_eh_frame_hdr(address(".eh_frame_hdr"))
                .set_text(address(".text"))
                .set_got(address(".got"));
            let header = bytes(".eh_frame_hdr").unwrap_or_default();
            Some(FrameTable { eh_frame: bytes(".eh_frame")?, header, bases, rows: RefCell::default() })
        })
    }

    /// Goes on to what has called the function whose instruction is at `address` of the file: `registers` are
    /// then the caller's, if there is one. None where that isn't known.
    pub(crate) fn leave(
        &self,
        address: u64,
        registers: &mut Registers,
        memory: Memory<'_>,
    ) -> Option<FrameCaller> {
        let row = self.row(address)?;
        let frame = Frame { eh_frame: self.eh_frame(), encoding: row.encoding, registers, memory };
        let cfa = match &row.cfa {
            CfaRule::RegisterAndOffset { register, offset } => {
                registers.get(*register)?.wrapping_add_signed(*offset)
            }
            CfaRule::Expression(expression) => frame.evaluate(expression, None)?,
        };
        let mut caller = Registers::default();
        for (number, rule) in (0..).zip(&row.registers) {
            caller.set(Register(number), frame.value(rule.as_ref(), Register(number), cfa));
        }
        if caller.get(X86_64::RSP).is_none() {
            caller.set(X86_64::RSP, Some(cfa));
        }
        match row.registers.last() {
            None | Some(None | Some(RegisterRule::Undefined)) => return Some(FrameCaller::Nobody),
            _ if caller.get(X86_64::RA) == Some(0) => return Some(FrameCaller::Nobody),
            _ => {}
        }
        caller.get(X86_64::RA)?;
        // A stack that doesn't end would be followed for ever.
        if caller.get(X86_64::RSP) <= registers.get(X86_64::RSP) {
            return None;
        }
        *registers = caller;
        Some(if row.is_of_signal { FrameCaller::Interrupted } else { FrameCaller::Function })
    }

    /// How the function that has the address leaves its frame there.
    fn row(&self, address: u64) -> Option<Arc<Row>> {
        let mut rows = self.rows.borrow_mut();
        if rows.len() >= MOST_ROWS {
            rows.clear();
        }
        rows.entry(address).or_insert_with(|| self.find(address).map(Arc::new)).clone()
    }

    fn find(&self, address: u64) -> Option<Row> {
        let eh_frame = self.eh_frame();
        let entry = self.entry(&eh_frame, address)?;
        let mut context = UnwindContext::new();
        let row = entry.unwind_info_for_address(&eh_frame, &self.bases, &mut context, address).ok()?;
        Some(Row {
            cfa: row.cfa().clone(),
            registers: std::array::from_fn(|number| row.register(Register(number as u16))),
            encoding: entry.cie().encoding(),
            is_of_signal: entry.is_signal_trampoline(),
        })
    }

    fn eh_frame(&self) -> EhFrame<Bytes<'_>> {
        let mut eh_frame = EhFrame::new(&self.eh_frame, LittleEndian);
        eh_frame.set_address_size(8);
        eh_frame
    }

    /// The entry of the function that has the address.
    fn entry<'a>(
        &'a self,
        eh_frame: &EhFrame<Bytes<'a>>,
        address: u64,
    ) -> Option<FrameDescriptionEntry<Bytes<'a>>> {
        let header = EhFrameHdr::new(&self.header, LittleEndian).parse(&self.bases, 8).ok();
        let found = match header.as_ref().and_then(|header| header.table()) {
            Some(table) => table.fde_for_address(eh_frame, &self.bases, address, EhFrame::cie_from_offset),
            None => eh_frame.fde_for_address(&self.bases, address, EhFrame::cie_from_offset),
        };
        found.ok()
    }
}

/// A frame that is being left.
struct Frame<'a> {
    eh_frame: EhFrame<Bytes<'a>>,
    encoding: Encoding,
    registers: &'a Registers,
    memory: Memory<'a>,
}

impl Frame<'_> {
    /// What a register is in the caller.
    fn value(&self, rule: Option<&RegisterRule<usize>>, register: Register, cfa: u64) -> Option<u64> {
        match rule {
            None if is_kept(register) => self.registers.get(register),
            None | Some(RegisterRule::Undefined) => None,
            Some(RegisterRule::SameValue) => self.registers.get(register),
            Some(RegisterRule::Offset(offset)) => self.memory.word(cfa.wrapping_add_signed(*offset)),
            Some(RegisterRule::ValOffset(offset)) => Some(cfa.wrapping_add_signed(*offset)),
            Some(RegisterRule::Register(other)) => self.registers.get(*other),
            Some(RegisterRule::Expression(expression)) => {
                self.memory.word(self.evaluate(expression, Some(cfa))?)
            }
            Some(RegisterRule::ValExpression(expression)) => self.evaluate(expression, Some(cfa)),
            Some(_) => None,
        }
    }

    /// What an expression gives that starts with `initial`.
    fn evaluate(&self, expression: &UnwindExpression<usize>, initial: Option<u64>) -> Option<u64> {
        let mut evaluation = expression.get(&self.eh_frame).ok()?.evaluation(self.encoding);
        evaluation.set_max_iterations(MOST_OPERATIONS);
        if let Some(value) = initial {
            evaluation.set_initial_value(value);
        }
        let mut result = evaluation.evaluate().ok()?;
        loop {
            result = match result {
                EvaluationResult::Complete => break,
                EvaluationResult::RequiresRegister { register, .. } => {
                    evaluation.resume_with_register(Value::Generic(self.registers.get(register)?)).ok()?
                }
                EvaluationResult::RequiresMemory { address, size: 8, .. } => {
                    evaluation.resume_with_memory(Value::Generic(self.memory.word(address)?)).ok()?
                }
                _ => return None,
            };
        }
        match evaluation.as_result().last()?.location {
            Location::Address { address } => Some(address),
            _ => None,
        }
    }
}

/// The most operations of an expression: files say what they want.
const MOST_OPERATIONS: u32 = 1000;

/// Whether a function gives a register back as it was, unless its entry says otherwise.
fn is_kept(register: Register) -> bool {
    const KEPT: [Register; 6] =
        [X86_64::RBX, X86_64::RBP, X86_64::R12, X86_64::R13, X86_64::R14, X86_64::R15];
    KEPT.contains(&register)
}
