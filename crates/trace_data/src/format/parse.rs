//! The text of a format file.

use super::{Element, Field, Format, Kind};
use thiserror::Error;

/// Why a text is no event format.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line} of an event format: {reason}")]
pub struct FormatError {
    /// The line, counting from 1; after the last one for something that is missing.
    pub line: usize,
    /// What is wrong there.
    pub reason: &'static str,
}

/// Parses `text`. Lines: `name: X`, `ID: N`, `format:`, the common fields, an empty line, the
/// event's own, an empty line, and `print fmt: ...`, which may take several lines.
pub(super) fn format(system: &str, text: &str) -> Result<Format, FormatError> {
    let mut found = Found::default();
    let mut rest = text;
    let mut number = 0;
    while !rest.is_empty() {
        number += 1;
        if let Some(print_fmt) = rest.strip_prefix("print fmt:") {
            found.print_fmt = Some(print_fmt.trim().to_owned());
            break;
        }
        let (line, next) = rest.split_once('\n').unwrap_or((rest, ""));
        found.line(line).map_err(|reason| FormatError { line: number, reason })?;
        rest = next;
    }
    found.finish(system).map_err(|reason| FormatError { line: number + 1, reason })
}

/// What the lines so far have said.
#[derive(Default)]
struct Found {
    name: Option<String>,
    id: Option<u16>,
    fields: Vec<Field>,
    common: Option<usize>,
    print_fmt: Option<String>,
}

impl Found {
    fn line(&mut self, line: &str) -> Result<(), &'static str> {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            // The first empty line after a field ends the common ones.
            if !self.fields.is_empty() && self.common.is_none() {
                self.common = Some(self.fields.len());
            }
        } else if let Some(name) = trimmed.strip_prefix("name:") {
            self.name = Some(name.trim().to_owned());
        } else if let Some(id) = trimmed.strip_prefix("ID:") {
            self.id = Some(id.trim().parse().map_err(|_| "the id is no number of 16 bits")?);
        } else if trimmed.starts_with("field") {
            self.fields.push(field(trimmed)?);
        } else if trimmed != "format:" {
            return Err("neither name, ID, format, field nor print fmt");
        }
        Ok(())
    }

    fn finish(self, system: &str) -> Result<Format, &'static str> {
        let fields = self.fields;
        Ok(Format {
            system: system.to_owned(),
            name: self.name.ok_or("no name")?,
            id: self.id.ok_or("no ID")?,
            common: self.common.unwrap_or(fields.len()),
            fields,
            print_fmt: self.print_fmt.ok_or("no print fmt")?,
        })
    }
}

/// `field:TYPE NAME;  offset:N;  size:N;  signed:B;`, the sign missing in old formats. The
/// `ftrace` system's may start with `field special:`.
fn field(line: &str) -> Result<Field, &'static str> {
    let mut parts = line.split(';').map(str::trim);
    let declaration = parts.next().and_then(|part| part.split_once(':'));
    let (_, declaration) = declaration.ok_or("a field without a declaration")?;
    let mut offset = None;
    let mut size = None;
    let mut signed = false;
    for part in parts {
        match part.split_once(':') {
            Some(("offset", number)) => offset = number.parse().ok(),
            Some(("size", number)) => size = number.parse().ok(),
            Some(("signed", number)) => signed = number != "0",
            _ => {}
        }
    }
    let offset = offset.filter(|&offset| offset <= LIMIT).ok_or("a field without an offset")?;
    let size = size.filter(|&size| size <= LIMIT).ok_or("a field without a size")?;
    let (type_name, name) = declared(declaration).ok_or("a field without a name")?;
    let kind = kind(&type_name, size);
    Ok(Field { name: name.to_owned(), type_name, offset, size, signed, kind })
}

/// No payload is larger than a page; a field that claims to lie beyond is none, and sums of two
/// such numbers can't overflow.
const LIMIT: usize = abi::page::MAX_SIZE;

/// Splits `TYPE NAME`, `TYPE NAME[N]` or `TYPE[] NAME` into type (with the brackets) and name.
fn declared(declaration: &str) -> Option<(String, &str)> {
    let declaration = declaration.trim();
    let (before, brackets) = match declaration.strip_suffix(']') {
        Some(_) => declaration.split_at(declaration.find('[')?),
        None => (declaration, ""),
    };
    let before = before.trim_end();
    let type_name = before.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
    let name = &before[type_name.len()..];
    let type_name = type_name.trim();
    if name.is_empty() || type_name.is_empty() {
        return None;
    }
    Some((format!("{type_name}{brackets}"), name))
}

/// What a field of this type stores.
fn kind(type_name: &str, size: usize) -> Kind {
    let location = type_name.starts_with("__data_loc");
    let relative = type_name.starts_with("__rel_loc");
    let brackets = type_name.rfind('[');
    let Some(open) = brackets.or_else(|| (location || relative).then_some(type_name.len())) else {
        return Kind::Integer;
    };
    let base = type_name[..open].trim_end();
    let inside = type_name[open..].trim_matches(['[', ']']).trim();
    let text = brackets.is_some() && ["char", "u8", "s8"].iter().any(|name| base.contains(name));
    let count = inside.parse::<usize>().ok().filter(|&count| count > 0);
    let size = match count {
        Some(count) if !location && !relative => size / count,
        _ => type_size(base),
    };
    let element = Element { size, text };
    match (location, relative) {
        (true, _) => Kind::DataLocation(element),
        (_, true) => Kind::RelativeLocation(element),
        _ => Kind::Array(element),
    }
}

/// Bytes of a C type by its name, 0 for an unknown one.
fn type_size(name: &str) -> usize {
    if name.ends_with('*') {
        return 8;
    }
    let last = name.rsplit(' ').next().unwrap_or_default();
    match last.trim_start_matches("__") {
        "char" | "u8" | "s8" | "uint8_t" | "int8_t" | "bool" => 1,
        "short" | "u16" | "s16" | "uint16_t" | "int16_t" => 2,
        "int" | "unsigned" | "u32" | "s32" | "uint32_t" | "int32_t" | "pid_t" => 4,
        "long" | "u64" | "s64" | "uint64_t" | "int64_t" | "size_t" => 8,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared_kind(declaration: &str, size: usize) -> (String, String, Kind) {
        let (type_name, name) = declared(declaration).unwrap();
        let kind = kind(&type_name, size);
        (type_name, name.to_owned(), kind)
    }

    fn element(size: usize, text: bool) -> Element {
        Element { size, text }
    }

    #[test]
    fn declarations_as_the_kernel_writes_them() {
        let cases = [
            ("int fd", 4, "int", "fd", Kind::Integer),
            ("const char * name", 8, "const char *", "name", Kind::Integer),
            ("const void*const p", 8, "const void*const", "p", Kind::Integer),
            ("char comm[16]", 16, "char[16]", "comm", Kind::Array(element(1, true))),
            ("unsigned long args[6]", 48, "unsigned long[6]", "args", Kind::Array(element(8, false))),
            ("u32 buf[]", 0, "u32[]", "buf", Kind::Array(element(4, false))),
            ("__data_loc char[] path", 4, "__data_loc char[]", "path", Kind::DataLocation(element(1, true))),
            ("__data_loc u64[] set", 4, "__data_loc u64[]", "set", Kind::DataLocation(element(8, false))),
            (
                "__rel_loc char[] path",
                4,
                "__rel_loc char[]",
                "path",
                Kind::RelativeLocation(element(1, true)),
            ),
            (
                "__data_loc cpumask_t mask",
                4,
                "__data_loc cpumask_t",
                "mask",
                Kind::DataLocation(element(0, false)),
            ),
        ];
        for (declaration, size, type_name, name, kind) in cases {
            let expected = (type_name.to_owned(), name.to_owned(), kind);
            assert_eq!(declared_kind(declaration, size), expected, "{declaration}");
        }
    }

    #[test]
    fn errors_name_their_line() {
        let cases = [
            ("name: a\nID: 99999\n", 2, "the id is no number of 16 bits"),
            ("name: a\nID: 1\nformat:\n\tfield:int;\toffset:0;\tsize:4;\n", 4, "a field without a name"),
            ("name: a\nID: 1\nformat:\n\tfield:int a;\tsize:4;\n", 4, "a field without an offset"),
            ("name: a\nID: 1\nnonsense\n", 3, "neither name, ID, format, field nor print fmt"),
            ("name: a\nID: 1\nformat:\n", 4, "no print fmt"),
            ("", 1, "no name"),
        ];
        for (text, line, reason) in cases {
            assert_eq!(Format::parse("s", text), Err(FormatError { line, reason }), "{text:?}");
        }
    }

    #[test]
    fn a_print_format_may_take_several_lines() {
        let text = "name: a\nID: 1\nformat:\n\nprint fmt: \"one\ntwo\", REC->x\n";
        assert_eq!(Format::parse("s", text).unwrap().print_fmt, "\"one\ntwo\", REC->x");
    }
}
