//! What a field's bytes mean.

/// The type of a field: its C type in the `format` text, its size, and how it is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A signed 4-byte number.
    I32,
    /// An unsigned 4-byte number.
    U32,
    /// A signed 8-byte number.
    I64,
    /// An unsigned 8-byte number.
    U64,
    /// An 8-byte number, printed in hexadecimal: a pointer that nobody follows.
    Pointer,
    /// A process or thread.
    Pid,
    /// A truth value in one byte.
    Bool,
    /// A thread's name: 16 bytes with zeros behind it.
    Comm,
    /// Text: an offset and a length here, the bytes behind the fixed fields.
    Text,
    /// An address in the traced process to which a call returns, printed as a symbol.
    Symbol,
    /// The address of a function in the traced process, printed as a symbol.
    Function,
    /// A 4-byte number of which some values have names.
    Named(&'static [(i64, &'static str)]),
    /// A 4-byte set of flags with names.
    Flags(&'static [(i64, &'static str)]),
    /// What open(2) takes: an access mode in the low two bits, flags above.
    OpenFlags(&'static [(i64, &'static str)]),
    /// Permission bits in 4 bytes, printed in octal.
    Mode,
    /// A descriptor of a directory, or `AT_FDCWD`.
    Directory,
    /// Two 4-byte descriptors, as pipe(2) gives them.
    Descriptors,
}

impl Kind {
    /// Bytes of the field in the fixed part of the event.
    pub const fn size(self) -> usize {
        match self {
            Kind::Bool => 1,
            Kind::I64 | Kind::U64 | Kind::Pointer | Kind::Descriptors => 8,
            Kind::Symbol | Kind::Function => 8,
            Kind::Comm => 16,
            _ => 4,
        }
    }

    /// The field's offset is a multiple of this.
    pub const fn alignment(self) -> usize {
        match self {
            Kind::Bool | Kind::Comm => 1,
            Kind::Descriptors => 4,
            _ => self.size(),
        }
    }
}
