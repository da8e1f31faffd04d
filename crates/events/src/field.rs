//! Fields of events, and what their bytes mean.

/// A field of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventField {
    /// Its name.
    pub name: &'static str,
    /// What its bytes mean.
    pub kind: FieldKind,
}

pub(crate) const fn field(name: &'static str, kind: FieldKind) -> EventField {
    EventField { name, kind }
}

/// The kind of a field: its C type in the `format` text, its size, and how it is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// An unsigned 2-byte integer, as the kernel names its type.
    U16,
    /// A signed 4-byte integer.
    I32,
    /// An unsigned 4-byte integer.
    U32,
    /// An unsigned 4-byte integer, as the kernel names its type where it has a [`FieldKind::U16`], too.
    KernelU32,
    /// A signed 8-byte integer.
    I64,
    /// An unsigned 8-byte integer.
    U64,
    /// A signed 8-byte integer: nanoseconds. Its C type is the kernel's for that, by which filters know it.
    Duration,
    /// A time: in a session's buffers in units of the buffer's clock, as readers see it in nanoseconds.
    Time,
    /// An 8-byte integer, printed in hexadecimal: a pointer that nobody follows.
    Pointer,
    /// A pointer that nobody follows, as the kernel names its type.
    KernelPointer,
    /// A process or thread.
    Pid,
    /// A truth value in one byte.
    Bool,
    /// A thread's name: 16 bytes, filled up with zeros.
    Comm,
    /// A string: an offset and a length here, the bytes after the fixed fields.
    Text,
    /// An address in the traced process to which a call returns, printed as a symbol.
    Symbol,
    /// An address that a call returns to, of which only 4 bytes are aligned.
    PackedSymbol,
    /// The address of a function in the traced process, printed as a symbol.
    Function,
    /// A 4-byte integer of which some values have names.
    Named(&'static [(i64, &'static str)]),
    /// A 4-byte set of flags with names.
    Flags(&'static [(i64, &'static str)]),
    /// What open(2) takes: an access mode in the low two bits, flags above.
    OpenFlags(&'static [(i64, &'static str)]),
    /// Permission bits in 4 bytes, printed in octal.
    Mode,
    /// A descriptor of a directory, or `AT_FDCWD`.
    Directory,
    /// Two 4-byte descriptors, as pipe(2) returns them.
    Descriptors,
    /// Bytes up to the record's end, after all other fields; none of them in the fixed part.
    Tail,
    /// Numbers of 8 bytes up to the record's end, after all other fields; none of them in the fixed part.
    Words,
    /// An argument of a system call, whose C type is this: 8 bytes, whatever the type has.
    SystemCallArgument(&'static str),
    /// The six registers that arguments of system calls are in.
    SystemCallArguments,
    /// Eight addresses of a stack, 0 after the last, as the kernel's `kernel_stack` has them.
    Callers,
}

impl FieldKind {
    /// Bytes of the field in the fixed part of the event.
    pub const fn size(self) -> usize {
        match self {
            FieldKind::Bool => 1,
            FieldKind::U16 => 2,
            FieldKind::I64 | FieldKind::U64 | FieldKind::Pointer | FieldKind::Descriptors => 8,
            FieldKind::KernelPointer => 8,
            FieldKind::Symbol | FieldKind::PackedSymbol | FieldKind::Function => 8,
            FieldKind::Duration | FieldKind::Time | FieldKind::SystemCallArgument(_) => 8,
            FieldKind::SystemCallArguments => 48,
            FieldKind::Comm => 16,
            FieldKind::Tail | FieldKind::Words => 0,
            FieldKind::Callers => 64,
            _ => 4,
        }
    }

    /// The field's offset is a multiple of this.
    pub const fn alignment(self) -> usize {
        match self {
            FieldKind::Bool | FieldKind::Comm | FieldKind::Tail => 1,
            FieldKind::Descriptors | FieldKind::PackedSymbol => 4,
            FieldKind::Callers | FieldKind::Words | FieldKind::SystemCallArguments => 8,
            _ => self.size(),
        }
    }
}
