//! Where debug information says that a variable is, at an instruction.

use crate::sections::{Dwarf, DwarfUnit, SectionBytes};
use crate::storage::{FetchText, INSTRUCTION_POINTER, ValueStorage};
use gimli::{EndianArcSlice, Expression, LittleEndian, Operation, Reader, UnitOffset};

/// An operation of an expression.
type LocationStep = Operation<EndianArcSlice<LittleEndian>>;

/// Why a location can't be said in the terms of probes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BadLocation {
    /// It is nowhere.
    OptimizedOut,
    /// Each thread has its own.
    ThreadLocal,
    /// It has to be computed.
    Computed,
}

/// An instruction, and what locations of variables are relative to there.
#[derive(Debug)]
pub(crate) struct LocationContext<'a> {
    pub(crate) dwarf: &'a Dwarf,
    pub(crate) unit: &'a DwarfUnit,
    pub(crate) address: u64,
    /// The instruction that is executed next, but for some that do nothing.
    pub(crate) next: u64,
    /// Whether it is a function's first one.
    pub(crate) is_entry: bool,
    /// The frame address, as canonical frames have it: so many bytes after a register.
    pub(crate) frame_address: Option<(FetchText, i64)>,
    /// What the function says that its variables are relative to.
    pub(crate) frame_base: Option<(FetchText, i64)>,
}

/// What the stack of an expression has: no more than one is needed.
#[derive(Debug, Clone)]
enum Operand {
    Address(FetchText, i64),
    Number(i64),
    /// The variable's own place, or its value.
    Found(ValueStorage),
}

impl LocationContext<'_> {
    /// The place that an expression says.
    pub(crate) fn evaluate(&self, expression: Expression<SectionBytes>) -> Result<ValueStorage, BadLocation> {
        let mut operations = expression.operations(self.unit.encoding());
        let (mut operand, mut pieces) = (None, Vec::new());
        while let Some(operation) = operations.next().map_err(|_| BadLocation::Computed)? {
            match operation {
                Operation::Nop => {}
                Operation::Piece { size_in_bits, bit_offset } => {
                    let is_bytes = size_in_bits % 8 == 0 && bit_offset.unwrap_or(0) == 0;
                    let piece = operand.take().map(Operand::storage).transpose();
                    pieces.push((piece.unwrap_or_default().filter(|_| is_bytes), size_in_bits / 8));
                }
                operation => operand = Some(self.step(operand, operation)?),
            }
        }
        match operand {
            _ if !pieces.is_empty() => Ok(ValueStorage::Pieces(pieces)),
            Some(operand) => operand.storage(),
            None => Err(BadLocation::OptimizedOut),
        }
    }

    /// The frame base that an expression says: a register is meant by what it has, once the function's first
    /// instructions have set it.
    pub(crate) fn frame_base(&self, expression: Expression<SectionBytes>) -> Option<(FetchText, i64)> {
        match self.evaluate(expression).ok()? {
            ValueStorage::Register { register, skipped: 0 } => {
                let base = FetchText::register(register)?;
                Some((FetchText { needs_frame: true, ..base }, 0))
            }
            ValueStorage::Memory { base, offset } => Some((base, offset)),
            _ => None,
        }
    }

    fn step(&self, operand: Option<Operand>, operation: LocationStep) -> Result<Operand, BadLocation> {
        match (operand, operation) {
            (None, operation) => self.first(operation),
            (Some(Operand::Address(base, offset)), Operation::PlusConstant { value }) => {
                Ok(Operand::Address(base, offset.wrapping_add_unsigned(value)))
            }
            (Some(Operand::Number(number)), Operation::PlusConstant { value }) => {
                Ok(Operand::Number(number.wrapping_add_unsigned(value)))
            }
            (
                Some(Operand::Address(base, offset)),
                Operation::Deref { base_type: UnitOffset(0), size: 8, space: false },
            ) => Ok(Operand::Address(base.followed(offset), 0)),
            (Some(Operand::Address(base, offset)), Operation::StackValue) => {
                Ok(Operand::Found(ValueStorage::Sum { base, offset }))
            }
            (Some(Operand::Number(number)), Operation::StackValue) => {
                Ok(Operand::Found(ValueStorage::Constant(number)))
            }
            (_, Operation::TLS) => Err(BadLocation::ThreadLocal),
            _ => Err(BadLocation::Computed),
        }
    }

    /// An operation that needs no operand.
    fn first(&self, operation: LocationStep) -> Result<Operand, BadLocation> {
        let relative = |base: &Option<(FetchText, i64)>, offset: i64| {
            let (base, before) = base.clone().ok_or(BadLocation::Computed)?;
            Ok(Operand::Address(base, before.wrapping_add(offset)))
        };
        match operation {
            Operation::Register { register } => {
                Ok(Operand::Found(ValueStorage::Register { register, skipped: 0 }))
            }
            Operation::RegisterOffset { register, offset, base_type: UnitOffset(0) } => {
                let base = FetchText::register(register).ok_or(BadLocation::Computed)?;
                Ok(Operand::Address(base, offset))
            }
            Operation::FrameOffset { offset } => relative(&self.frame_base, offset),
            Operation::CallFrameCFA => relative(&self.frame_address, 0),
            Operation::Address { address } => self.fixed(address),
            Operation::AddressIndex { index } => {
                self.fixed(self.dwarf.address(self.unit, index).map_err(|_| BadLocation::Computed)?)
            }
            Operation::UnsignedConstant { value } => Ok(Operand::Number(value.cast_signed())),
            Operation::SignedConstant { value } => Ok(Operand::Number(value)),
            // The place in a thread's own variables.
            Operation::ConstantIndex { .. } => Ok(Operand::Number(0)),
            Operation::ImplicitValue { data } => {
                let bytes = data.to_slice().map_err(|_| BadLocation::Computed)?;
                let mut number = [0; 8];
                number.iter_mut().zip(bytes.iter()).for_each(|(to, from)| *to = *from);
                Ok(Operand::Found(ValueStorage::Constant(i64::from_le_bytes(number))))
            }
            Operation::EntryValue { expression } => self.entry_value(expression),
            Operation::ImplicitPointer { .. } => Err(BadLocation::OptimizedOut),
            Operation::TLS => Err(BadLocation::ThreadLocal),
            _ => Err(BadLocation::Computed),
        }
    }

    /// An address of the file, relative to where the probe is: wherever it is mapped.
    fn fixed(&self, address: u64) -> Result<Operand, BadLocation> {
        let base = FetchText::register(INSTRUCTION_POINTER).ok_or(BadLocation::Computed)?;
        Ok(Operand::Address(base, address.wrapping_sub(self.address).cast_signed()))
    }

    /// What a register had where the function began.
    fn entry_value(&self, expression: SectionBytes) -> Result<Operand, BadLocation> {
        let mut operations = Expression(expression).operations(self.unit.encoding());
        match operations.next() {
            Ok(Some(Operation::Register { register })) if self.is_entry => {
                let base = FetchText::register(register).ok_or(BadLocation::Computed)?;
                Ok(Operand::Address(base, 0))
            }
            _ => Err(BadLocation::Computed),
        }
    }
}

impl Operand {
    fn storage(self) -> Result<ValueStorage, BadLocation> {
        match self {
            Operand::Address(base, offset) => Ok(ValueStorage::Memory { base, offset }),
            Operand::Number(_) => Err(BadLocation::Computed),
            Operand::Found(storage) => Ok(storage),
        }
    }
}
