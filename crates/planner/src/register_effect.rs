//! Which general register an instruction changes.

use crate::encoding::{Encoding, OpcodeMap};

/// Which general register an instruction changes, but for flags and the instruction pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RegisterEffect {
    /// None.
    None,
    /// This one.
    One(u8),
    /// This one, to a number that the instruction says.
    Constant(u8, u32),
    /// Any, as far as is known.
    Unknown,
}

/// The second operand is a register.
const REGISTER: u8 = 3;

impl RegisterEffect {
    /// That of an instruction. Of what compilers seldom write near system calls nothing is known.
    pub(crate) fn of(encoding: &Encoding) -> RegisterEffect {
        let Encoding { map, opcode, repeat, rex_base, immediate, has_operand_size, .. } = *encoding;
        let mode = encoding.mode;
        let first = mode.map_or(RegisterEffect::Unknown, |mode| RegisterEffect::One(mode.reg));
        let second = match mode {
            Some(mode) if mode.kind == REGISTER => RegisterEffect::One(mode.base),
            _ => RegisterEffect::None,
        };
        match (map, opcode) {
            _ if has_operand_size && map == OpcodeMap::One => RegisterEffect::Unknown,
            (OpcodeMap::One, 0xb8..=0xbf) => constant(opcode & 7 | rex_base, immediate),
            (OpcodeMap::One, 0xc7) => match second {
                RegisterEffect::One(register) => constant(register, immediate),
                other => other,
            },
            // An exclusive or of a register with itself.
            (OpcodeMap::One, 0x31 | 0x33) if first == second => match first {
                RegisterEffect::One(register) => RegisterEffect::Constant(register, 0),
                other => other,
            },
            // Sums and the like, copies, addresses, extensions.
            (OpcodeMap::One, 0x03 | 0x0b | 0x13 | 0x1b | 0x23 | 0x2b | 0x33 | 0x63 | 0x8b | 0x8d) => first,
            (OpcodeMap::One, 0x01 | 0x09 | 0x11 | 0x19 | 0x21 | 0x29 | 0x31 | 0x89 | 0xc1 | 0xd1) => second,
            (OpcodeMap::One, 0x81 | 0x83) if mode.is_some_and(|mode| mode.reg & 7 != 7) => second,
            // Comparisons, and a nop.
            (OpcodeMap::One, 0x38..=0x3d | 0x81 | 0x83..=0x85 | 0xa8 | 0xa9) => RegisterEffect::None,
            (OpcodeMap::One, 0x90) if rex_base == 0 && repeat == 0 => RegisterEffect::None,
            (OpcodeMap::One, 0xc6) if second == RegisterEffect::None => RegisterEffect::None,
            (OpcodeMap::One, 0x88) if second == RegisterEffect::None => RegisterEffect::None,
            // Copies on a condition, extensions.
            (OpcodeMap::Two, 0x40..=0x4f | 0xb6 | 0xb7 | 0xbe | 0xbf) => first,
            // A nop; copies between vector registers and memory.
            (OpcodeMap::Two, 0x1f | 0x10 | 0x11 | 0x28 | 0x29 | 0x6f | 0x7f | 0xd6 | 0xef) => {
                RegisterEffect::None
            }
            _ => RegisterEffect::Unknown,
        }
    }

    /// Whether it may change a register.
    pub(crate) fn changes(self, register: u8) -> bool {
        match self {
            RegisterEffect::None => false,
            RegisterEffect::One(changed) | RegisterEffect::Constant(changed, _) => changed == register,
            RegisterEffect::Unknown => true,
        }
    }
}

fn constant(register: u8, value: i64) -> RegisterEffect {
    u32::try_from(value)
        .map_or(RegisterEffect::One(register), |value| RegisterEffect::Constant(register, value))
}
