//! How an instruction is made up: where its parts are, and so how long it is.
//!
//! Sources: Intel's manual, volume 2, appendix A (opcode maps); AMD's, volume 3, appendix A. Instructions
//! that are in none of the usual maps (3DNow!, XOP, APX) are not known.

/// The longest instruction.
pub(crate) const LONGEST: usize = 15;

/// A table of opcodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OpcodeMap {
    /// One byte.
    One,
    /// After `0f`.
    Two,
    /// After `0f 38`.
    Three38,
    /// After `0f 3a`.
    Three3a,
    /// That of a VEX or EVEX prefix, by its number.
    Vector(u8),
}

/// The byte after the opcode, and what it says of operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mode {
    /// How the second operand is given: 3 for a register.
    pub(crate) kind: u8,
    /// The first operand, or more of the opcode; with the bit that a prefix adds.
    pub(crate) reg: u8,
    /// The register of the second operand, or the one that its address is from, if that is one.
    pub(crate) base: u8,
    /// Whether the address is from the instruction's own end.
    pub(crate) is_relative: bool,
    /// Where the distance in memory is, from the instruction's start.
    pub(crate) distance_at: usize,
    /// The distance; 0 for none.
    pub(crate) distance: i32,
}

/// An instruction's parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Encoding {
    pub(crate) map: OpcodeMap,
    pub(crate) opcode: u8,
    /// Whether its operands are of 64 bits by a prefix.
    pub(crate) is_wide: bool,
    /// Whether it has the prefix `66`, and `f3` or `f2`, and `67`.
    pub(crate) has_operand_size: bool,
    pub(crate) repeat: u8,
    pub(crate) has_address_size: bool,
    /// The bit that a prefix adds to a register in the opcode.
    pub(crate) rex_base: u8,
    pub(crate) mode: Option<Mode>,
    /// The number that it ends in; 0 for none.
    pub(crate) immediate: i64,
    pub(crate) len: usize,
}

/// What comes after an opcode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Operands {
    has_mode: bool,
    /// Bytes of the immediate.
    immediate: Immediate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Immediate {
    None,
    Bytes(usize),
    /// Two with the prefix `66`, else four.
    Sized,
    /// Two, four, or eight where the operand is wide.
    Full,
    /// One, or what [`Immediate::Sized`] says, for the first two of the opcodes that the mode selects.
    OfTest {
        is_byte: bool,
    },
    /// An address: eight bytes, four with the prefix `67`.
    Address,
}

/// Bytes that are read one after the other.
struct CodeBytes<'a> {
    code: &'a [u8],
    at: usize,
}

impl CodeBytes<'_> {
    fn next(&mut self) -> Option<u8> {
        let byte = *self.code.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn peek(&self) -> Option<u8> {
        self.code.get(self.at).copied()
    }

    /// A signed number of so many bytes.
    fn number(&mut self, len: usize) -> Option<i64> {
        let mut number = 0_u64;
        for index in 0..len {
            number |= u64::from(self.next()?) << (8 * index);
        }
        let unused = 64 - 8 * len as u32;
        Some(if len == 0 { 0 } else { (number << unused).cast_signed() >> unused })
    }
}

impl Encoding {
    /// That of the instruction that some code begins with. None where that is none, or none that is known.
    pub(crate) fn first(code: &[u8]) -> Option<Encoding> {
        let mut bytes = CodeBytes { code: code.get(..LONGEST).unwrap_or(code), at: 0 };
        let mut found = Encoding {
            map: OpcodeMap::One,
            opcode: 0,
            is_wide: false,
            has_operand_size: false,
            repeat: 0,
            has_address_size: false,
            rex_base: 0,
            mode: None,
            immediate: 0,
            len: 0,
        };
        let rex = found.read_prefixes(&mut bytes)?;
        let operands = found.read_opcode(&mut bytes, rex)?;
        let reg_bit = if rex & 4 != 0 { 8 } else { 0 };
        if operands.has_mode {
            found.mode = Some(Mode::read(&mut bytes, reg_bit, found.rex_base)?);
        }
        let selected = found.mode.map_or(0, |mode| mode.reg & 7);
        let len = found.immediate_len(operands.immediate, selected);
        found.immediate = match found.opcode {
            // enter: two numbers, which are of no use here.
            0xc8 if found.map == OpcodeMap::One => bytes.number(3)?,
            _ => bytes.number(len)?,
        };
        found.len = bytes.at;
        Some(found)
    }

    /// Reads prefixes. The last byte of them if it is a REX prefix, else 0.
    fn read_prefixes(&mut self, bytes: &mut CodeBytes<'_>) -> Option<u8> {
        loop {
            match bytes.peek()? {
                0x66 => self.has_operand_size = true,
                0x67 => self.has_address_size = true,
                repeat @ (0xf2 | 0xf3) => self.repeat = repeat,
                0x26 | 0x2e | 0x36 | 0x3e | 0x64 | 0x65 | 0xf0 => {}
                rex @ 0x40..=0x4f => {
                    bytes.next();
                    // Another prefix after it would take its meaning away: compilers don't write that.
                    let is_prefix = matches!(bytes.peek()?, 0x40..=0x4f | 0x66 | 0x67 | 0xf0 | 0xf2 | 0xf3);
                    self.is_wide = rex & 8 != 0;
                    self.rex_base = if rex & 1 != 0 { 8 } else { 0 };
                    return (!is_prefix).then_some(rex);
                }
                _ => return Some(0),
            }
            bytes.next();
        }
    }

    fn read_opcode(&mut self, bytes: &mut CodeBytes<'_>, rex: u8) -> Option<Operands> {
        let first = bytes.next()?;
        let is_plain = rex == 0 && !self.has_operand_size && self.repeat == 0;
        (self.map, self.opcode) = match first {
            0x0f => match bytes.next()? {
                0x38 => (OpcodeMap::Three38, bytes.next()?),
                0x3a => (OpcodeMap::Three3a, bytes.next()?),
                opcode => (OpcodeMap::Two, opcode),
            },
            0xc5 if is_plain => {
                bytes.next()?;
                (OpcodeMap::Vector(1), bytes.next()?)
            }
            0xc4 if is_plain => {
                let map = bytes.next()? & 0x1f;
                bytes.next()?;
                (OpcodeMap::Vector(map), bytes.next()?)
            }
            0x62 if is_plain => {
                let map = bytes.next()? & 0x0f;
                bytes.number(2)?;
                (OpcodeMap::Vector(map), bytes.next()?)
            }
            opcode => (OpcodeMap::One, opcode),
        };
        match self.map {
            OpcodeMap::One => one_byte(self.opcode),
            OpcodeMap::Two => two_bytes(self.opcode, self.has_operand_size || self.repeat != 0),
            OpcodeMap::Three38 => Some(Operands { has_mode: true, immediate: Immediate::None }),
            OpcodeMap::Three3a => Some(Operands { has_mode: true, immediate: Immediate::Bytes(1) }),
            OpcodeMap::Vector(map) => vector(map, self.opcode),
        }
    }

    fn immediate_len(&self, immediate: Immediate, selected: u8) -> usize {
        let sized = if self.has_operand_size && !self.is_wide { 2 } else { 4 };
        match immediate {
            Immediate::None => 0,
            Immediate::Bytes(len) => len,
            Immediate::Sized => sized,
            Immediate::Full => {
                if self.is_wide {
                    8
                } else {
                    sized
                }
            }
            Immediate::OfTest { .. } if selected > 1 => 0,
            Immediate::OfTest { is_byte } => {
                if is_byte {
                    1
                } else {
                    sized
                }
            }
            Immediate::Address => {
                if self.has_address_size {
                    4
                } else {
                    8
                }
            }
        }
    }
}

impl Mode {
    fn read(bytes: &mut CodeBytes<'_>, reg_bit: u8, base_bit: u8) -> Option<Mode> {
        let byte = bytes.next()?;
        let (kind, reg, low) = (byte >> 6, byte >> 3 & 7, byte & 7);
        let mut mode = Mode {
            kind,
            reg: reg | reg_bit,
            base: low | base_bit,
            is_relative: kind == 0 && low == 5,
            distance_at: 0,
            distance: 0,
        };
        let mut has_base = true;
        if kind != 3 && low == 4 {
            let base = bytes.next()? & 7;
            mode.base = base | base_bit;
            has_base = kind != 0 || base != 5;
        }
        mode.distance_at = bytes.at;
        let len = match kind {
            0 if mode.is_relative || !has_base => 4,
            1 => 1,
            2 => 4,
            _ => 0,
        };
        mode.distance = i32::try_from(bytes.number(len)?).ok()?;
        if kind == 0 && (mode.is_relative || !has_base) {
            // No register at all.
            mode.base = u8::MAX;
        }
        Some(mode)
    }
}

/// What comes after an opcode of one byte. None for those that are none in 64-bit code.
fn one_byte(opcode: u8) -> Option<Operands> {
    let (has_mode, immediate) = match opcode {
        0x06 | 0x07 | 0x0e | 0x16 | 0x17 | 0x1e | 0x1f | 0x27 | 0x2f | 0x37 | 0x3f => return None,
        0x60..=0x62 | 0x82 | 0x9a | 0xc4 | 0xc5 | 0xce | 0xd4..=0xd6 | 0xea => return None,
        0x00..=0x3f => match opcode & 7 {
            0..=3 => (true, Immediate::None),
            4 => (false, Immediate::Bytes(1)),
            _ => (false, Immediate::Sized),
        },
        0x63 | 0x84..=0x8f | 0xd0..=0xd3 | 0xd8..=0xdf | 0xfe | 0xff => (true, Immediate::None),
        0x69 | 0x81 | 0xc7 => (true, Immediate::Sized),
        0x6b | 0x80 | 0x83 | 0xc0 | 0xc1 | 0xc6 => (true, Immediate::Bytes(1)),
        0x68 | 0xa9 => (false, Immediate::Sized),
        // Distances have four bytes whatever prefixes say, on Intel's processors.
        0xe8 | 0xe9 => (false, Immediate::Bytes(4)),
        0x6a | 0x70..=0x7f | 0xa8 | 0xb0..=0xb7 | 0xcd | 0xe0..=0xe7 | 0xeb => (false, Immediate::Bytes(1)),
        0xb8..=0xbf => (false, Immediate::Full),
        0xa0..=0xa3 => (false, Immediate::Address),
        0xc2 | 0xca => (false, Immediate::Bytes(2)),
        0xf6 => (true, Immediate::OfTest { is_byte: true }),
        0xf7 => (true, Immediate::OfTest { is_byte: false }),
        _ => (false, Immediate::None),
    };
    Some(Operands { has_mode, immediate })
}

/// What comes after `0f` and an opcode.
fn two_bytes(opcode: u8, has_prefix: bool) -> Option<Operands> {
    let (has_mode, immediate) = match opcode {
        0x04 | 0x0a | 0x0c | 0x0f | 0x24..=0x27 | 0x36 | 0x39 | 0x3b..=0x3f | 0xa6 | 0xa7 => return None,
        // With a prefix the first has two numbers more.
        0x78 | 0x79 if has_prefix => return None,
        0x05..=0x09 | 0x0b | 0x0e | 0x30..=0x37 | 0x77 | 0xa0..=0xa2 | 0xa8..=0xaa | 0xc8..=0xcf => {
            (false, Immediate::None)
        }
        0x80..=0x8f => (false, Immediate::Bytes(4)),
        0x70..=0x73 | 0xa4 | 0xac | 0xba | 0xc2 | 0xc4..=0xc6 => (true, Immediate::Bytes(1)),
        _ => (true, Immediate::None),
    };
    Some(Operands { has_mode, immediate })
}

/// What comes after a VEX or EVEX prefix and an opcode.
fn vector(map: u8, opcode: u8) -> Option<Operands> {
    let immediate = match (map, opcode) {
        (1, 0x77) => return Some(Operands { has_mode: false, immediate: Immediate::None }),
        (1, 0x70..=0x73 | 0xc2 | 0xc4..=0xc6) | (3, _) => Immediate::Bytes(1),
        (1 | 2 | 5 | 6, _) => Immediate::None,
        _ => return None,
    };
    Some(Operands { has_mode: true, immediate })
}
