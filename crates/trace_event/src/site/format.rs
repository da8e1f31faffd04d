//! The `format` text of a site's event.
//!
//! Only what libtraceevent's parser and the kernel's own understand alike is used; see `trace_data::print`.

use super::literal::{Literal, end_of_plain, end_of_special, escaped};
use super::text;
use abi::common;
use abi::site::{DYNAMIC, FIELDS, RawField, RawName, RawSite, kind};
use core::ffi::c_char;
use core::fmt::{Display, Error, Formatter, Result, Write};

/// A site, as its `format` text from the first field that is not common on.
pub(super) struct SiteFormat<'a> {
    print: Option<&'a str>,
    fields: &'a [RawField],
}

impl<'a> SiteFormat<'a> {
    /// The format of a site's event.
    ///
    /// # Safety
    ///
    /// Its texts and fields are valid, and stay so.
    pub(super) unsafe fn of(site: &'a RawSite) -> SiteFormat<'a> {
        let count = (site.field_count as usize).min(FIELDS);
        // SAFETY: the caller's promise.
        let (print, fields) = unsafe { (text(site.print), slice(site.fields, count)) };
        SiteFormat { print, fields }
    }
}

/// So many things at an address; none at null.
///
/// # Safety
///
/// They are there, and stay so.
unsafe fn slice<'a, T>(start: *const T, count: usize) -> &'a [T] {
    // SAFETY: the caller's promise.
    if start.is_null() { &[] } else { unsafe { core::slice::from_raw_parts(start, count) } }
}

/// The name of something; of a field that has none, which no compiler of ours makes, an error.
pub(super) fn name<'a>(name: *const c_char) -> core::result::Result<&'a str, Error> {
    // SAFETY: the texts of a `SiteFormat` are valid.
    unsafe { text(name) }.ok_or(Error)
}

impl Display for SiteFormat<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let mut end = common::SIZE;
        for field in self.fields {
            end = field_line(f, field, end)?;
        }
        f.write_str("\nprint fmt: \"")?;
        match self.print {
            Some(print) => self.message(f, print)?,
            None => self.all(f)?,
        }
        f.write_char('\n')
    }
}

impl SiteFormat<'_> {
    /// The print format of an event with a message of its own.
    fn message(&self, f: &mut Formatter<'_>, print: &str) -> Result {
        for piece in pieces(print) {
            match piece {
                Piece::Text(text) => escaped(f, text)?,
                Piece::Special(_) => f.write_str("%s")?,
                Piece::Field(name) => conversion(f, self.field(name)?)?,
            }
        }
        f.write_char('"')?;
        for piece in pieces(print) {
            match piece {
                Piece::Text(_) => {}
                Piece::Special(text) => write!(f, ", {}", Literal(text))?,
                Piece::Field(name) => argument(f, self.field(name)?)?,
            }
        }
        Ok(())
    }

    /// The print format of an event without one: every field with its name.
    fn all(&self, f: &mut Formatter<'_>) -> Result {
        for (index, field) in self.fields.iter().enumerate() {
            let space = if index == 0 { "" } else { " " };
            let quote = if field.kind == kind::TEXT { "\\\"" } else { "" };
            write!(f, "{space}{}={quote}", name(field.name)?)?;
            conversion(f, field)?;
            f.write_str(quote)?;
        }
        f.write_char('"')?;
        self.fields.iter().try_for_each(|field| argument(f, field))
    }

    /// The field of this name; an error when a message names one that isn't there.
    fn field(&self, wanted: &str) -> core::result::Result<&RawField, Error> {
        self.fields.iter().find(|field| name(field.name) == Ok(wanted)).ok_or(Error)
    }
}

/// A part of a message.
enum Piece<'a> {
    Text(&'a str),
    /// Text that a format string can't have: libtraceevent's parser stops at it.
    Special(&'a str),
    Field(&'a str),
}

/// The parts of a message.
fn pieces(print: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = print;
    core::iter::from_fn(move || {
        let brace = rest.find(['{', '}']).unwrap_or(rest.len());
        let (piece, len) = match rest.get(..brace)? {
            "" if rest.is_empty() => return None,
            "" if rest.starts_with("{{") || rest.starts_with("}}") => (Piece::Text(rest.get(..1)?), 2),
            "" => {
                let end = rest.find('}')?;
                (Piece::Field(rest.get(1..end)?), end + 1)
            }
            text => match end_of_plain(text, brace == rest.len()) {
                0 => (Piece::Special(text.get(..end_of_special(text))?), end_of_special(text)),
                end => (Piece::Text(text.get(..end)?), end),
            },
        };
        rest = rest.get(len..)?;
        Some(piece)
    })
}

/// The line of a field after others that end at `before`; where it ends.
pub(super) fn field_line(
    f: &mut Formatter<'_>,
    field: &RawField,
    before: usize,
) -> core::result::Result<usize, Error> {
    let (name, of, signed) = (name(field.name)?, c_type(field)?, field.kind);
    let signed = u8::from(matches!(signed, kind::SIGNED | kind::SYMBOLIC));
    let size = usize::from(field.size);
    let (offset, size) = match field.count {
        DYNAMIC => {
            write!(f, "\tfield:__data_loc {of}[] {name};")?;
            (before.next_multiple_of(4), 4)
        }
        0 => {
            write!(f, "\tfield:{of} {name};")?;
            (before.next_multiple_of(size), size)
        }
        count => {
            write!(f, "\tfield:{of} {name}[{count}];")?;
            (before.next_multiple_of(size), size * usize::from(count))
        }
    };
    writeln!(f, "\toffset:{offset};\tsize:{size};\tsigned:{signed};")?;
    Ok(offset + size)
}

/// The C type of a field, or of its elements.
fn c_type(field: &RawField) -> core::result::Result<&'static str, Error> {
    Ok(match (field.kind, field.size) {
        (kind::BOOL, 1) => "bool",
        (kind::TEXT, 1) => "char",
        (kind::SYMBOLIC, 8) => "long",
        (kind::FLAGS, 8) => "unsigned long",
        (kind::SIGNED, 1) => "signed char",
        (kind::SIGNED, 2) => "short",
        (kind::SIGNED, 4) => "int",
        (kind::SIGNED, 8) => "long",
        (kind::UNSIGNED | kind::HEX, 1) => "unsigned char",
        (kind::UNSIGNED | kind::HEX, 2) => "unsigned short",
        (kind::UNSIGNED | kind::HEX, 4) => "unsigned int",
        (kind::UNSIGNED | kind::HEX, 8) => "unsigned long",
        _ => return Err(Error),
    })
}

/// The most elements of an array of numbers that are printed one by one. For longer ones there is only
/// `__print_array`, which the kernel prints as `{0x1,0x2}` and libtraceevent as `1 2`.
const LISTED: u16 = 16;

/// How many elements of a field are printed one by one.
fn listed(field: &RawField) -> Option<u16> {
    let is_short = (1..=LISTED).contains(&field.count) && field.size > 1;
    is_short.then_some(field.count)
}

/// What stands for a field in the format string.
fn conversion(f: &mut Formatter<'_>, field: &RawField) -> Result {
    let Some(count) = listed(field) else { return f.write_str(one(field)) };
    for index in 0..count {
        f.write_char(if index == 0 { '{' } else { ',' })?;
        f.write_str(one(&RawField { count: 0, ..*field }))?;
    }
    f.write_char('}')
}

/// What stands for a field that is printed by one conversion.
fn one(field: &RawField) -> &'static str {
    match (field.kind, field.size) {
        _ if field.count != 0 => "%s",
        // libtraceevent takes all numbers for unsigned ones of 64 bits, which these cut off.
        (kind::SIGNED, 1) => "%hhd",
        (kind::SIGNED, 2) => "%hd",
        (kind::SIGNED, 4) => "%d",
        (kind::SIGNED, _) => "%ld",
        (kind::UNSIGNED, 8) => "%lu",
        (kind::UNSIGNED, _) => "%u",
        (kind::HEX, 8) => "0x%lx",
        (kind::HEX, _) => "0x%x",
        _ => "%s",
    }
}

/// The argument for it.
fn argument(f: &mut Formatter<'_>, field: &RawField) -> Result {
    let (name, size) = (name(field.name)?, field.size);
    // SAFETY: the tables of a `SiteFormat` are valid.
    let names: &[RawName] = unsafe { slice(field.names, field.name_count as usize) };
    if let Some(count) = listed(field) {
        return (0..count).try_for_each(|index| write!(f, ", REC->{name}[{index}]"));
    }
    f.write_str(", ")?;
    match (field.kind, field.count) {
        (kind::TEXT, DYNAMIC) => write!(f, "__get_str({name})"),
        (kind::TEXT, _) => write!(f, "REC->{name}"),
        (kind::BOOL, 0) => write!(f, "REC->{name} ? \"true\" : \"false\""),
        (kind::SYMBOLIC, 0) => table(f, format_args!("__print_symbolic(REC->{name}"), names),
        (kind::FLAGS, 0) => table(f, format_args!("__print_flags(REC->{name}, \"|\""), names),
        (_, 0) => write!(f, "REC->{name}"),
        (_, DYNAMIC) if size == 1 => {
            write!(f, "__print_hex(__get_dynamic_array({name}), __get_dynamic_array_len({name}))")
        }
        (_, DYNAMIC) => {
            let len = format_args!("__get_dynamic_array_len({name}) / {size}");
            write!(f, "__print_array(__get_dynamic_array({name}), {len}, {size})")
        }
        (_, count) if size == 1 => write!(f, "__print_hex(REC->{name}, {count})"),
        (_, count) => write!(f, "__print_array(REC->{name}, {count}, {size})"),
    }
}

/// A call with a table of values and their names at its end.
fn table(f: &mut Formatter<'_>, call: core::fmt::Arguments<'_>, names: &[RawName]) -> Result {
    f.write_fmt(call)?;
    for entry in names {
        // Unsigned: libtraceevent finds no values with a sign.
        write!(f, ", {{ {}, {} }}", entry.value as u64, Literal(name(entry.name)?))?;
    }
    f.write_char(')')
}
