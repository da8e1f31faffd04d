//! An instruction, as far as plans depend on it.

use crate::encoding::{Encoding, Mode, OpcodeMap};
use crate::register_effect::RegisterEffect;

/// What is executed after an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    /// The next one.
    Next,
    /// The next one, or what is at this distance from the instruction's end.
    Branch(i64),
    /// What is at this distance from the instruction's end.
    Jump(i64),
    /// Other code, the kernel's included, and then the next one.
    Call,
    /// What only the running program knows.
    Indirect,
    /// Nothing of this function: it returns, or is stopped.
    End,
}

/// What an instruction does to the stack pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StackEffect {
    /// Nothing.
    None,
    /// It goes down by so many bytes.
    Down(u32),
    /// Something else.
    Unknown,
}

/// An instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DecodedInstruction(Encoding);

/// The numbers of the registers that arguments are in: rcx, rdx, rsi, rdi, r8, r9.
const ARGUMENTS: [u8; 6] = [1, 2, 6, 7, 8, 9];
const STACK_POINTER: u8 = 4;
const FRAME_POINTER: u8 = 5;

/// The second operand of an instruction is a register.
const REGISTER: u8 = 3;

impl DecodedInstruction {
    /// The one that some code begins with. None where that is none, or none that is known.
    pub(crate) fn first(code: &[u8]) -> Option<DecodedInstruction> {
        Encoding::first(code).map(DecodedInstruction)
    }

    /// How many bytes it has.
    pub(crate) fn len(&self) -> usize {
        self.0.len
    }

    /// What is executed after it.
    pub(crate) fn flow(&self) -> Flow {
        let Encoding { map, opcode, immediate, .. } = self.0;
        let (kind, selected) = self.mode().map_or((0, 0), |mode| (mode.kind, mode.reg & 7));
        match (map, opcode) {
            (OpcodeMap::One, 0x70..=0x7f | 0xe0..=0xe3) | (OpcodeMap::Two, 0x80..=0x8f) => {
                Flow::Branch(immediate)
            }
            // xbegin.
            (OpcodeMap::One, 0xc7) if kind == REGISTER && selected == 7 => Flow::Branch(immediate),
            (OpcodeMap::One, 0xe9 | 0xeb) => Flow::Jump(immediate),
            (OpcodeMap::One, 0xe8 | 0xcc | 0xcd | 0xf1) | (OpcodeMap::Two, 0x05 | 0x34) => Flow::Call,
            // Of virtual machines and enclaves; xabort.
            (OpcodeMap::Two, 0x01) | (OpcodeMap::One, 0xc6)
                if kind == REGISTER && (map == OpcodeMap::Two || selected == 7) =>
            {
                Flow::Call
            }
            (OpcodeMap::One, 0xff) => match selected {
                2 | 3 => Flow::Call,
                4 | 5 => Flow::Indirect,
                _ => Flow::Next,
            },
            (OpcodeMap::One, 0xc2 | 0xc3 | 0xca | 0xcb | 0xcf | 0xf4) => Flow::End,
            (OpcodeMap::Two, 0x07 | 0x0b | 0x35 | 0xaa | 0xb9 | 0xff) => Flow::End,
            _ => Flow::Next,
        }
    }

    /// Whether it does the same at another address, written as [`MovedInstruction`](crate::MovedInstruction)
    /// says: no call, whose return address would be another one, and none that ends in another way than by
    /// returning.
    pub(crate) fn can_move(&self) -> bool {
        let Encoding { map, opcode, .. } = self.0;
        let is_one = map == OpcodeMap::One;
        let can_go_on = match self.flow() {
            Flow::Next => true,
            Flow::Branch(_) | Flow::Jump(_) => self.jump_apart().is_some(),
            Flow::End => is_one && matches!(opcode, 0xc2 | 0xc3),
            Flow::Call | Flow::Indirect => false,
        };
        can_go_on && self.relative().is_ok()
    }

    /// The opcode of the jump with a distance of four bytes that leads where this one does. None where it is
    /// no jump, or one that there is with one byte only.
    pub(crate) fn jump_apart(&self) -> Option<(&'static [u8], u8)> {
        let Encoding { map, opcode, has_operand_size, .. } = self.0;
        match (map, opcode) {
            _ if has_operand_size => None,
            (OpcodeMap::One, 0x70..=0x7f) => Some((&[0x0f], opcode + 0x10)),
            (OpcodeMap::Two, 0x80..=0x8f) => Some((&[0x0f], opcode)),
            (OpcodeMap::One, 0xe9 | 0xeb) => Some((&[], 0xe9)),
            _ => None,
        }
    }

    /// What it does to the stack pointer.
    pub(crate) fn stack_effect(&self) -> StackEffect {
        let Encoding { map, opcode, immediate, has_operand_size, .. } = self.0;
        if map != OpcodeMap::One {
            return StackEffect::None;
        }
        let selected = self.mode().map_or(0, |mode| mode.reg & 7);
        match opcode {
            0x50..=0x57 | 0x68 | 0x6a if !has_operand_size => StackEffect::Down(8),
            0xff if selected == 6 && !has_operand_size => StackEffect::Down(8),
            0x81 | 0x83 if self.changes_stack_pointer() => {
                let down = match selected {
                    // Adding -128 is shorter than subtracting 128.
                    0 => immediate.checked_neg(),
                    5 => Some(immediate),
                    _ => None,
                };
                down.and_then(|down| u32::try_from(down).ok()).map_or(StackEffect::Unknown, StackEffect::Down)
            }
            0x50..=0x5f | 0x68 | 0x6a | 0x8f | 0x9c | 0x9d | 0xc8 | 0xc9 | 0xff => StackEffect::Unknown,
            _ if self.changes_stack_pointer() => StackEffect::Unknown,
            _ => StackEffect::None,
        }
    }

    /// Which general register it changes.
    pub(crate) fn register_effect(&self) -> RegisterEffect {
        RegisterEffect::of(&self.0)
    }

    /// Whether code after it doesn't look at flags that it has left: it leaves none, or is one of those that
    /// a function begins with, whose flags are of no use to anybody.
    pub(crate) fn leaves_no_flags(&self) -> bool {
        let Encoding { map, opcode, repeat, .. } = self.0;
        let mode = self.mode();
        let selected = mode.map_or(0, |mode| mode.reg & 7);
        match (map, opcode) {
            (OpcodeMap::One, 0x50..=0x57 | 0x63 | 0x68 | 0x6a | 0x88..=0x8b | 0x8d | 0x90 | 0xb0..=0xbf) => {
                true
            }
            (OpcodeMap::One, 0xc6 | 0xc7) => selected == 0,
            (OpcodeMap::One, 0xff) => selected == 6,
            (OpcodeMap::One, 0x81 | 0x83) => self.changes_stack_pointer(),
            // Exclusive or of a register with itself: a zero.
            (OpcodeMap::One, 0x31 | 0x33) => {
                mode.is_some_and(|mode| mode.kind == REGISTER && mode.reg == mode.base)
            }
            // A mark; others with this prefix read the shadow stack.
            (OpcodeMap::Two, 0x1e) => repeat == 0 || selected == 7,
            // Nops; copies of numbers and vectors; zeros.
            (OpcodeMap::Two, 0x1f | 0xb6 | 0xb7 | 0xbe | 0xbf) => true,
            (OpcodeMap::Two, 0x10 | 0x11 | 0x28 | 0x29 | 0x57 | 0x6e | 0x6f | 0x7e | 0x7f | 0xd6 | 0xef) => {
                true
            }
            _ => false,
        }
    }

    /// Whether it does nothing, whatever the processor's state.
    pub(crate) fn does_nothing(&self) -> bool {
        let Encoding { map, opcode, repeat, rex_base, .. } = self.0;
        match (map, opcode) {
            // With f3 it waits.
            (OpcodeMap::One, 0x90) => repeat == 0 && rex_base == 0,
            (OpcodeMap::Two, 0x1f) => true,
            // A mark.
            (OpcodeMap::Two, 0x1e) => {
                repeat == 0xf3 && self.mode().is_some_and(|mode| mode.kind == REGISTER && mode.reg & 7 == 7)
            }
            _ => false,
        }
    }

    /// Whether it may change a register that an argument is in, of those that leave no flags.
    pub(crate) fn changes_arguments(&self) -> bool {
        // Of eight bits without a prefix some registers are parts of others.
        let is_byte = self.0.map == OpcodeMap::One && matches!(self.0.opcode, 0x88 | 0x8a | 0xb0..=0xb7);
        self.changed_register().is_some_and(|register| is_byte || ARGUMENTS.contains(&register))
    }

    /// Whether it uses memory below the stack pointer, or what may be there: functions that call no others
    /// may have something there.
    pub(crate) fn uses_red_zone(&self) -> bool {
        self.mode().is_some_and(|mode| {
            mode.kind != REGISTER && mode.distance < 0 && [STACK_POINTER, FRAME_POINTER].contains(&mode.base)
        })
    }

    /// Whether it may fault in a function that has stack enough: it divides, or uses memory that a general
    /// register leads to, other than the stack pointer.
    pub(crate) fn may_fault(&self) -> bool {
        let Encoding { map, opcode, .. } = self.0;
        match (map, opcode) {
            // Strings.
            (OpcodeMap::One, 0x6c..=0x6f | 0xa4..=0xa7 | 0xaa..=0xaf) => true,
            (OpcodeMap::One, 0xf6 | 0xf7) if self.mode().is_some_and(|mode| mode.reg & 7 >= 6) => true,
            // An address, and a nop.
            (OpcodeMap::One, 0x8d) | (OpcodeMap::Two, 0x1f) => false,
            _ => self
                .mode()
                .is_some_and(|mode| mode.kind != REGISTER && ![STACK_POINTER, u8::MAX].contains(&mode.base)),
        }
    }

    /// Where in it the distance is, and the distance, if it uses memory by a distance from its own end; an
    /// error where only the lower half of that address counts.
    pub(crate) fn relative(&self) -> Result<Option<(usize, i32)>, ()> {
        match self.mode().filter(|mode| mode.is_relative) {
            Some(_) if self.0.has_address_size => Err(()),
            mode => Ok(mode.map(|mode| (mode.distance_at, mode.distance))),
        }
    }

    fn changes_stack_pointer(&self) -> bool {
        self.changed_register() == Some(STACK_POINTER)
    }

    /// The general register that it writes to, of those whose effects are known here: what isn't is none.
    fn changed_register(&self) -> Option<u8> {
        let Encoding { map, opcode, repeat, rex_base, .. } = self.0;
        let second = || self.mode().filter(|mode| mode.kind == REGISTER).map(|mode| mode.base);
        match (map, opcode) {
            (OpcodeMap::One, 0x8a | 0x8b | 0x8d | 0x63 | 0x33) => self.mode().map(|mode| mode.reg),
            (OpcodeMap::Two, 0xb6 | 0xb7 | 0xbe | 0xbf) => self.mode().map(|mode| mode.reg),
            (OpcodeMap::One, 0x31 | 0x88 | 0x89 | 0xc6 | 0xc7 | 0x81 | 0x83) => second(),
            (OpcodeMap::Two, 0x7e) if repeat == 0 => second(),
            (OpcodeMap::One, 0xb0..=0xbf) => Some(opcode & 7 | rex_base),
            _ => None,
        }
    }

    fn mode(&self) -> Option<Mode> {
        self.0.mode
    }
}
