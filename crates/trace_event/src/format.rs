//! The `format` text of an event: what tells every reader, ours and others', what its bytes mean.
//!
//! Only what libtraceevent's parser understands is used in the print format; see its
//! `src/event-parse.c`, and `trace-cmd report` in our tests.

use crate::{Event, Field, Kind};
use core::fmt::{Display, Formatter, Result, Write};

impl Event {
    /// The event's `format` file from the first field that is not common on: field lines, an empty line,
    /// the print format.
    pub fn format(&self) -> impl Display {
        Text(*self)
    }
}

struct Text(Event);

impl Display for Text {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for (index, field) in self.0.fields.iter().enumerate() {
            field_line(f, field, self.0.offset(index))?;
        }
        f.write_str("\nprint fmt: \"")?;
        for (index, field) in self.0.fields.iter().enumerate() {
            let space = if index == 0 { "" } else { " " };
            write!(f, "{space}{}={}", field.name, conversion(field.kind))?;
        }
        f.write_char('"')?;
        for field in self.0.fields {
            f.write_str(", ")?;
            arguments(f, field)?;
        }
        f.write_char('\n')
    }
}

fn field_line(f: &mut Formatter<'_>, field: &Field, offset: usize) -> Result {
    let (start, end, signed) = c_type(field.kind);
    let (name, size, signed) = (field.name, field.kind.size(), u8::from(signed));
    writeln!(f, "\tfield:{start} {name}{end};\toffset:{offset};\tsize:{size};\tsigned:{signed};")
}

/// The C type before and behind the name, and whether it is signed.
const fn c_type(kind: Kind) -> (&'static str, &'static str, bool) {
    match kind {
        Kind::I32 | Kind::Directory => ("int", "", true),
        Kind::U32 | Kind::Named(_) | Kind::Flags(_) | Kind::OpenFlags(_) => ("unsigned int", "", false),
        Kind::Mode => ("umode_t", "", false),
        Kind::I64 => ("long", "", true),
        Kind::U64 | Kind::Pointer | Kind::Symbol | Kind::Function => ("unsigned long", "", false),
        Kind::Pid => ("pid_t", "", true),
        Kind::Bool => ("bool", "", false),
        Kind::Comm => ("char", "[16]", false),
        Kind::Text => ("__data_loc char[]", "", false),
        Kind::Descriptors => ("int", "[2]", true),
    }
}

/// What stands for the field in the format string.
const fn conversion(kind: Kind) -> &'static str {
    match kind {
        Kind::I32 | Kind::Pid => "%d",
        Kind::U32 => "%u",
        Kind::I64 => "%ld",
        Kind::U64 => "%lu",
        Kind::Pointer => "0x%lx",
        Kind::Bool | Kind::Comm | Kind::Named(_) | Kind::Flags(_) => "%s",
        Kind::Text => "\\\"%s\\\"",
        Kind::Symbol | Kind::Function => "%pS",
        Kind::OpenFlags(_) => "%s%s%s",
        Kind::Mode => "%04o",
        Kind::Directory => "%d%s",
        Kind::Descriptors => "[%d,%d]",
    }
}

/// The arguments for it.
fn arguments(f: &mut Formatter<'_>, field: &Field) -> Result {
    let name = field.name;
    match field.kind {
        Kind::Text => write!(f, "__get_str({name})"),
        Kind::Symbol | Kind::Function => write!(f, "(void *)REC->{name}"),
        Kind::Bool => write!(f, "REC->{name} ? \"true\" : \"false\""),
        Kind::Named(names) => {
            write!(f, "__print_symbolic(REC->{name}")?;
            table(f, names)
        }
        Kind::Flags(names) => {
            write!(f, "__print_flags(REC->{name}, \"|\"")?;
            table(f, names)
        }
        Kind::OpenFlags(names) => {
            write!(f, "__print_symbolic(REC->{name} & 3")?;
            table(f, &[(0, "O_RDONLY"), (1, "O_WRONLY"), (2, "O_RDWR")])?;
            write!(f, ", REC->{name} & ~3 ? \"|\" : \"\"")?;
            write!(f, ", __print_flags(REC->{name} & ~3, \"|\"")?;
            table(f, names)
        }
        // libtraceevent takes the field for unsigned when it compares.
        Kind::Directory => {
            write!(f, "REC->{name}, (REC->{name} & 0xffffffff) == 0xffffff9c ? \"(AT_FDCWD)\" : \"\"")
        }
        Kind::Descriptors => write!(f, "REC->{name}[0], REC->{name}[1]"),
        _ => write!(f, "REC->{name}"),
    }
}

/// The rest of a `__print_symbolic` or `__print_flags`: the values with their names.
fn table(f: &mut Formatter<'_>, names: &[(i64, &str)]) -> Result {
    for (value, name) in names {
        write!(f, ", {{ {value}, \"{name}\" }}")?;
    }
    f.write_char(')')
}

/// The longest `format` text of a program's own event: a page, as in the kernel.
const LONGEST: usize = 4096;

/// A `format` text in memory of its own, for where nothing may be allocated.
pub(crate) struct FormatText {
    bytes: [u8; LONGEST],
    len: usize,
}

impl FormatText {
    /// No text yet.
    pub(crate) const fn new() -> FormatText {
        FormatText { bytes: [0; LONGEST], len: 0 }
    }

    /// The text.
    pub(crate) fn as_str(&self) -> &str {
        self.bytes.get(..self.len).and_then(|text| core::str::from_utf8(text).ok()).unwrap_or("")
    }
}

impl Write for FormatText {
    fn write_str(&mut self, text: &str) -> Result {
        let room = self.bytes.get_mut(self.len..).and_then(|rest| rest.get_mut(..text.len()));
        room.ok_or(core::fmt::Error)?.copy_from_slice(text.as_bytes());
        self.len += text.len();
        Ok(())
    }
}
