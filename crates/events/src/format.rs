//! The `format` text of an event: from it every reader, ours and others', knows what its bytes mean.
//!
//! Only what libtraceevent's parser understands is used in the print format; see its
//! `src/event-parse.c`, and `trace-cmd report` in our tests.

use crate::{EventField, EventType, FieldKind};
use core::fmt::{Display, Formatter, Result, Write};

/// The fields that every event has, as `format` files list them.
const COMMON_FIELDS: &str = "\
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;
";

/// The whole text of an event's `format` file; `own_format` starts with the first field that is not common.
pub fn format_file(name: &str, id: u16, own_format: impl Display) -> impl Display {
    FormatFile { name, id, own_format }
}

struct FormatFile<'a, T> {
    name: &'a str,
    id: u16,
    own_format: T,
}

impl<T: Display> Display for FormatFile<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let FormatFile { name, id, own_format } = self;
        write!(f, "name: {name}\nID: {id}\nformat:\n{COMMON_FIELDS}\n{own_format}")
    }
}

impl EventType {
    /// The event's `format` file from the first field that is not common on: field lines, an empty line,
    /// the print format.
    pub fn own_format(&self) -> impl Display {
        OwnFormat(*self)
    }
}

struct OwnFormat(EventType);

impl Display for OwnFormat {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let event = self.0;
        event.placed_fields().try_for_each(|(offset, field)| field_line(f, field, offset))?;
        f.write_str("\nprint fmt: ")?;
        match event.print {
            Some(print) => f.write_str(print)?,
            None => print_format(f, event.fields)?,
        }
        f.write_char('\n')
    }
}

/// The print format of an event that has none of its own: every field with its name.
fn print_format(f: &mut Formatter<'_>, fields: &[EventField]) -> Result {
    f.write_char('"')?;
    for (index, field) in fields.iter().enumerate() {
        let space = if index == 0 { "" } else { " " };
        write!(f, "{space}{}={}", field.name, conversion(field.kind))?;
    }
    f.write_char('"')?;
    for field in fields {
        f.write_str(", ")?;
        arguments(f, field)?;
    }
    Ok(())
}

fn field_line(f: &mut Formatter<'_>, field: &EventField, offset: usize) -> Result {
    let (start, end, signed) = c_type(field.kind);
    let (name, size, signed) = (field.name, field.kind.size(), u8::from(signed));
    writeln!(f, "\tfield:{start} {name}{end};\toffset:{offset};\tsize:{size};\tsigned:{signed};")
}

/// The C type before and after the name, and whether it is signed.
const fn c_type(kind: FieldKind) -> (&'static str, &'static str, bool) {
    match kind {
        FieldKind::I32 | FieldKind::Directory => ("int", "", true),
        FieldKind::U32 | FieldKind::Named(_) | FieldKind::Flags(_) | FieldKind::OpenFlags(_) => {
            ("unsigned int", "", false)
        }
        FieldKind::U16 => ("u16", "", false),
        FieldKind::KernelU32 => ("u32", "", false),
        FieldKind::Mode => ("umode_t", "", false),
        FieldKind::I64 => ("long", "", true),
        FieldKind::Duration => ("ktime_t", "", true),
        FieldKind::Time => ("unsigned long long", "", false),
        FieldKind::U64 | FieldKind::Pointer => ("unsigned long", "", false),
        FieldKind::Symbol | FieldKind::PackedSymbol | FieldKind::Function => ("unsigned long", "", false),
        FieldKind::KernelPointer => ("void *", "", false),
        FieldKind::Pid => ("pid_t", "", true),
        FieldKind::Bool => ("bool", "", false),
        FieldKind::Comm => ("char", "[16]", false),
        FieldKind::Text => ("__data_loc char[]", "", false),
        FieldKind::Descriptors => ("int", "[2]", true),
        FieldKind::Tail => ("char", "[]", false),
        FieldKind::Words => ("unsigned long", "[]", false),
        FieldKind::SystemCallArgument(c_type) => (c_type, "", false),
        FieldKind::SystemCallArguments => ("unsigned long", "[6]", false),
        FieldKind::Callers => ("unsigned long", "[8]", false),
    }
}

/// What stands for the field in the format string.
const fn conversion(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::I32 | FieldKind::Pid => "%d",
        FieldKind::U16 | FieldKind::U32 | FieldKind::KernelU32 => "%u",
        FieldKind::I64 | FieldKind::Duration => "%ld",
        FieldKind::U64 => "%lu",
        FieldKind::Time => "%llu",
        FieldKind::Pointer | FieldKind::SystemCallArgument(_) => "0x%lx",
        FieldKind::KernelPointer => "%p",
        FieldKind::Bool | FieldKind::Comm | FieldKind::Named(_) | FieldKind::Flags(_) => "%s",
        FieldKind::Text => "\\\"%s\\\"",
        FieldKind::Symbol | FieldKind::PackedSymbol | FieldKind::Function => "%pS",
        FieldKind::OpenFlags(_) => "%s%s%s",
        FieldKind::Mode => "%04o",
        FieldKind::Directory => "%d%s",
        FieldKind::Descriptors => "[%d,%d]",
        FieldKind::Tail | FieldKind::Words | FieldKind::Callers | FieldKind::SystemCallArguments => "%s",
    }
}

/// The arguments for it.
fn arguments(f: &mut Formatter<'_>, field: &EventField) -> Result {
    let name = field.name;
    match field.kind {
        FieldKind::Text => write!(f, "__get_str({name})"),
        FieldKind::Symbol | FieldKind::PackedSymbol | FieldKind::Function => {
            write!(f, "(void *)REC->{name}")
        }
        FieldKind::Bool => write!(f, "REC->{name} ? \"true\" : \"false\""),
        FieldKind::Named(names) => {
            write!(f, "__print_symbolic(REC->{name}")?;
            table(f, names)
        }
        FieldKind::Flags(names) => {
            write!(f, "__print_flags(REC->{name}, \"|\"")?;
            table(f, names)
        }
        FieldKind::OpenFlags(names) => {
            write!(f, "__print_symbolic(REC->{name} & 3")?;
            table(f, &[(0, "O_RDONLY"), (1, "O_WRONLY"), (2, "O_RDWR")])?;
            write!(f, ", REC->{name} & ~3 ? \"|\" : \"\"")?;
            write!(f, ", __print_flags(REC->{name} & ~3, \"|\"")?;
            table(f, names)
        }
        // libtraceevent takes the field for unsigned when it compares.
        FieldKind::Directory => {
            write!(f, "REC->{name}, (REC->{name} & 0xffffffff) == 0xffffff9c ? \"(AT_FDCWD)\" : \"\"")
        }
        FieldKind::Descriptors => write!(f, "REC->{name}[0], REC->{name}[1]"),
        FieldKind::Callers => write!(f, "__print_array(REC->{name}, 8, 8)"),
        FieldKind::SystemCallArguments => write!(f, "__print_array(REC->{name}, 6, 8)"),
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
