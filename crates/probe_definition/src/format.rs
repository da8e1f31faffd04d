//! The format of a probe's event.

use crate::argument::ProbeArgument;
use crate::definition::ProbeDefinition;
use probe::ProbeKind;
use std::fmt::Write;

/// The fields before the arguments, and the start of the print format with what it prints, by kind.
const fn start(kind: ProbeKind) -> (&'static [&'static str], &'static str) {
    match kind {
        ProbeKind::Entry => (&["__probe_ip"], "(%lx)"),
        ProbeKind::Return => (&["__probe_func", "__probe_ret_ip"], "(%lx <- %lx)"),
    }
}

/// Bytes of the common fields.
const COMMON: usize = 8;

/// Whether the fields of a format, without the common ones, are those of a probe's event.
pub fn is_probe_format(own_format: &str) -> bool {
    [ProbeKind::Entry, ProbeKind::Return].into_iter().any(|kind| {
        let first = start(kind).0.first();
        let line = own_format.strip_prefix("\tfield:unsigned long ");
        line.zip(first).is_some_and(|(line, name)| {
            line.strip_prefix(name).is_some_and(|rest| rest.starts_with(";\toffset:8;"))
        })
    })
}

impl ProbeDefinition {
    /// The format of its event, from the first field that is not common on.
    pub fn own_format(&self) -> String {
        let (addresses, print) = start(self.kind);
        let (mut text, mut offset) = (String::new(), COMMON);
        for name in addresses {
            let _ = writeln!(text, "\tfield:unsigned long {name};\toffset:{offset};\tsize:8;\tsigned:0;");
            offset += 8;
        }
        for argument in &self.arguments {
            text += &field_line(argument, offset);
            offset += argument.bytes();
        }
        let values =
            self.arguments.iter().map(|argument| format!(" {}={}", argument.name, conversion(argument)));
        let names = addresses.iter().map(|name| format!(", REC->{name}"));
        let names = names.chain(self.arguments.iter().flat_map(operands));
        let (values, names) = (values.collect::<String>(), names.collect::<String>());
        let _ = write!(text, "\nprint fmt: \"{print}{values}\"{names}\n");
        text
    }

    /// Bytes of the fixed part of its event's records.
    pub fn fixed_bytes(&self) -> usize {
        COMMON + 8 * start(self.kind).0.len() + self.arguments.iter().map(ProbeArgument::bytes).sum::<usize>()
    }
}

fn field_line(argument: &ProbeArgument, offset: usize) -> String {
    let value_type = argument.value_type;
    let array = match value_type.count {
        Some(count) if value_type.is_text() => (format!("[{count}]"), ""),
        Some(_) => (String::new(), "[]"),
        None => (String::new(), ""),
    };
    let (field, signed) = (value_type.name.field, u8::from(value_type.name.is_signed));
    let (name, size) = (&argument.name, argument.bytes());
    format!(
        "\tfield:{field}{} {name}{};\toffset:{offset};\tsize:{size};\tsigned:{signed};\n",
        array.0, array.1
    )
}

fn conversion(argument: &ProbeArgument) -> String {
    let print = argument.value_type.name.print;
    match argument.value_type.count {
        Some(count) => format!("{{{}}}", vec![print; count.into()].join(",")),
        None => print.to_string(),
    }
}

/// What is printed of an argument.
fn operands(argument: &ProbeArgument) -> Vec<String> {
    let name = &argument.name;
    let one = |place: &str| match argument.value_type.is_text() {
        true => format!(", __get_str({name}{place})"),
        false => format!(", REC->{name}{place}"),
    };
    match argument.value_type.count {
        Some(count) => (0..count).map(|index| one(&format!("[{index}]"))).collect(),
        None => vec![one("")],
    }
}
