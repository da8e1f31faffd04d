//! Where a variable's value is, in the terms of probes.

use gimli::Register;

/// Something that probes can fetch, as their definitions have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FetchText {
    pub(crate) text: String,
    /// The register that it begins with.
    pub(crate) register: Option<Register>,
    /// Whether it is right only once the function's first instructions have made its frame.
    pub(crate) needs_frame: bool,
}

/// The instruction pointer, as registers are numbered here.
pub(crate) const INSTRUCTION_POINTER: Register = gimli::X86_64::RA;

const STACK_POINTER: Register = gimli::X86_64::RSP;

/// The kernel's names of registers, by their DWARF numbers.
const NAMES: [&str; 17] = [
    "ax", "dx", "cx", "bx", "si", "di", "bp", "sp", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
    "ip",
];

/// The registers of arguments, in their order.
pub(crate) const ARGUMENTS: [Register; 6] =
    [Register(5), Register(4), Register(1), Register(2), Register(8), Register(9)];

impl FetchText {
    /// A register. None for one that probes can't have, such as those of floating-point numbers.
    pub(crate) fn register(register: Register) -> Option<FetchText> {
        let name = NAMES.get(usize::from(register.0))?;
        Some(FetchText { text: format!("%{name}"), register: Some(register), needs_frame: false })
    }

    /// Whether what lies so many bytes after it can be fetched only in the function's frame: below its return
    /// address, where that is on top of the stack.
    fn is_in_frame(&self, offset: i64) -> bool {
        self.needs_frame || offset < 8 && FetchText::register(STACK_POINTER).as_ref() == Some(self)
    }

    /// What lies in memory, so many bytes after what this is.
    pub(crate) fn followed(&self, offset: i64) -> FetchText {
        let sign = if offset < 0 { "" } else { "+" };
        FetchText {
            text: format!("{sign}{offset}({})", self.text),
            register: self.register,
            needs_frame: self.is_in_frame(offset),
        }
    }
}

/// Where the value of a variable, or of a part of one, is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ValueStorage {
    /// In a register, from this byte of it on.
    Register { register: Register, skipped: u64 },
    /// In memory: so many bytes after an address.
    Memory { base: FetchText, offset: i64 },
    /// Nowhere: it is this number.
    Constant(i64),
    /// Nowhere: it is what this is, and so many more. What it points to can be fetched.
    Sum { base: FetchText, offset: i64 },
    /// In several places, with so many bytes in each. None for one that isn't known.
    Pieces(Vec<(Option<ValueStorage>, u64)>),
}

impl ValueStorage {
    /// The part of it that begins at a byte, and has so many. None where that is in no one place.
    pub(crate) fn part(&self, offset: u64, bytes: u64) -> Option<ValueStorage> {
        match self {
            ValueStorage::Register { register, skipped } => {
                let skipped = skipped.checked_add(offset)?;
                let is_inside = skipped.checked_add(bytes).is_some_and(|end| end <= 8);
                is_inside.then_some(ValueStorage::Register { register: *register, skipped })
            }
            ValueStorage::Memory { base, offset: before } => {
                let offset = before.checked_add(i64::try_from(offset).ok()?)?;
                Some(ValueStorage::Memory { base: base.clone(), offset })
            }
            ValueStorage::Constant(number) => {
                let shift = u32::try_from(offset.checked_mul(8)?).ok()?;
                Some(ValueStorage::Constant(number.checked_shr(shift)?))
            }
            ValueStorage::Sum { .. } => (offset == 0).then(|| self.clone()),
            ValueStorage::Pieces(pieces) => {
                let mut start = 0_u64;
                for (piece, len) in pieces {
                    let end = start.checked_add(*len)?;
                    if offset < end {
                        let is_whole = offset.checked_add(bytes)? <= end;
                        return piece.as_ref().filter(|_| is_whole)?.part(offset - start, bytes);
                    }
                    start = end;
                }
                None
            }
        }
    }

    /// The value itself, where no bits have to be left out before it.
    pub(crate) fn value(&self) -> Option<FetchText> {
        match self {
            ValueStorage::Register { register, skipped: 0 } => FetchText::register(*register),
            ValueStorage::Register { .. } => None,
            ValueStorage::Memory { base, offset } => Some(base.followed(*offset)),
            ValueStorage::Constant(number) => {
                Some(FetchText { text: format!("\\{number}"), register: None, needs_frame: false })
            }
            ValueStorage::Sum { base, offset: 0 } => Some(base.clone()),
            ValueStorage::Sum { .. } => None,
            ValueStorage::Pieces(_) => self.part(0, 8)?.value(),
        }
    }

    /// Whether it is known at a function's first instruction, and already there.
    pub(crate) fn is_known_at_entry(&self) -> bool {
        let is_known = |register: Option<Register>| {
            register.is_none_or(|register| {
                ARGUMENTS.contains(&register) || [STACK_POINTER, INSTRUCTION_POINTER].contains(&register)
            })
        };
        match self {
            ValueStorage::Register { register, .. } => is_known(Some(*register)),
            ValueStorage::Memory { base, offset } => is_known(base.register) && !base.is_in_frame(*offset),
            ValueStorage::Sum { base, .. } => is_known(base.register) && !base.needs_frame,
            ValueStorage::Constant(_) => true,
            ValueStorage::Pieces(pieces) => {
                pieces.iter().filter_map(|(piece, _)| piece.as_ref()).all(ValueStorage::is_known_at_entry)
            }
        }
    }

    /// What its value points to.
    pub(crate) fn target(&self) -> Option<ValueStorage> {
        match self {
            ValueStorage::Sum { base, offset } => {
                Some(ValueStorage::Memory { base: base.clone(), offset: *offset })
            }
            _ => Some(ValueStorage::Memory { base: self.value()?, offset: 0 }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(storage: Option<ValueStorage>) -> Option<String> {
        storage?.value().map(|value| value.text)
    }

    #[test]
    fn parts_are_where_their_bytes_are() {
        let register = |number, skipped| ValueStorage::Register { register: Register(number), skipped };
        let frame = FetchText::register(Register(6)).unwrap();
        let memory = ValueStorage::Memory { base: frame.clone(), offset: -20 };
        assert_eq!(text(memory.part(8, 4)).unwrap(), "-12(%bp)");
        assert_eq!(text(memory.part(20, 4)).unwrap(), "+0(%bp)");
        assert_eq!(text(memory.target().unwrap().part(8, 8)).unwrap(), "+8(-20(%bp))");
        assert_eq!(register(5, 0).part(4, 4), Some(register(5, 4)));
        assert_eq!(register(5, 4).part(4, 4), None, "it has ended");
        assert_eq!((text(Some(register(5, 4))), text(Some(register(17, 0)))), (None, None));
        let pair =
            ValueStorage::Pieces(vec![(Some(register(5, 0)), 8), (None, 4), (Some(register(4, 0)), 4)]);
        assert_eq!(text(pair.part(0, 8)).unwrap(), "%di");
        assert_eq!((pair.part(8, 4), pair.part(6, 4)), (None, None));
        assert_eq!(text(pair.part(12, 4)).unwrap(), "%si");
        assert_eq!(text(ValueStorage::Constant(0x1_0000_0005).part(4, 4)).unwrap(), "\\1");
        let sum = ValueStorage::Sum { base: frame, offset: 16 };
        assert_eq!((text(Some(sum.clone())), text(sum.target()).unwrap()), (None, "+16(%bp)".to_string()));
        assert_eq!(memory.part(u64::MAX, 8), None);
    }

    #[test]
    fn at_its_start_a_function_has_no_frame() {
        let [stack, own, first] = [7, 6, 5].map(|number| FetchText::register(Register(number)).unwrap());
        let memory = |base: &FetchText, offset| ValueStorage::Memory { base: base.clone(), offset };
        assert!(memory(&stack, 8).is_known_at_entry() && memory(&first, -8).is_known_at_entry());
        assert!(!memory(&stack, -20).is_known_at_entry() && !memory(&own, 16).is_known_at_entry());
        assert!(!memory(&stack.followed(-20), 8).is_known_at_entry(), "nor what it points to");
        assert!(memory(&stack.followed(16), -8).is_known_at_entry());
        let moved = FetchText { needs_frame: true, ..stack };
        assert!(!memory(&moved, 28).is_known_at_entry());
        let pieces =
            [5, 3].map(|number| (Some(ValueStorage::Register { register: Register(number), skipped: 0 }), 8));
        assert!(!ValueStorage::Pieces(pieces.to_vec()).is_known_at_entry());
    }
}
