//! The `format` text of a tracepoint with a format of printf(3).
//!
//! Its print format is that format, but for what libtraceevent or the kernel don't know: lengths are `hh`,
//! `h` and `l`, texts have no precision, because they are recorded with it, characters are texts of one, and
//! dumps are `__print_hex`, and `...` after one that has not as many bytes as were to be dumped.

use super::format::{field_line, name};
use super::format_fields::FormatFields;
use super::literal::{Literal, escaped, plain_parts};
use abi::common;
use abi::site::{DYNAMIC, RawField};
use core::fmt::{Display, Formatter, Result, Write};
use printf_format::{ArgumentRole, Converted, FormatAmount, FormatConversion, FormatPiece, FormatString};

/// A format and the fields of its arguments, as the `format` text from the first field that is not common on.
pub(super) struct PrintfFormat<'a> {
    format: &'a str,
    fields: &'a FormatFields,
}

impl<'a> PrintfFormat<'a> {
    /// The text of a format. A line end at its end is no part of the event's text.
    pub(super) fn of(format: &'a str, fields: &'a FormatFields) -> PrintfFormat<'a> {
        PrintfFormat { format: format.strip_suffix('\n').unwrap_or(format), fields }
    }

    fn pieces(&self) -> impl Iterator<Item = (FormatPiece<'a>, bool)> + use<'a> {
        let mut rest = FormatString::new(self.format);
        core::iter::from_fn(move || {
            let (piece, after) = rest.next()?;
            rest = after;
            Some((piece, after.next().is_none()))
        })
    }

    fn message(&self, f: &mut Formatter<'_>) -> Result {
        self.pieces().try_for_each(|(piece, is_last)| match piece {
            FormatPiece::Text(text) => plain_parts(text, is_last)
                .try_for_each(|(part, is_plain)| if is_plain { escaped(f, part) } else { f.write_str("%s") }),
            FormatPiece::Conversion(conversion) => converted(f, &conversion),
            FormatPiece::Unsupported(_) => Ok(()),
        })
    }

    fn arguments(&self, f: &mut Formatter<'_>) -> Result {
        let mut fields = self.fields.fields();
        self.pieces().try_for_each(|(piece, is_last)| match piece {
            FormatPiece::Text(text) => plain_parts(text, is_last)
                .filter(|(_, is_plain)| !is_plain)
                .try_for_each(|(part, _)| write!(f, ", {}", Literal(part))),
            FormatPiece::Conversion(conversion) => {
                let mut count = None;
                for role in conversion.arguments() {
                    match role {
                        ArgumentRole::Nothing | ArgumentRole::Length => {}
                        ArgumentRole::Count => count = fields.next(),
                        ArgumentRole::Column | ArgumentRole::Value => {
                            argument(f, &conversion, count, fields.next().ok_or(core::fmt::Error)?)?;
                        }
                    }
                }
                Ok(())
            }
            FormatPiece::Unsupported(_) => Ok(()),
        })
    }
}

impl Display for PrintfFormat<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        self.fields.fields().try_fold(common::SIZE, |end, field| field_line(f, field, end))?;
        f.write_str("\nprint fmt: \"")?;
        self.message(f)?;
        f.write_char('"')?;
        self.arguments(f)?;
        f.write_char('\n')
    }
}

/// A conversion, as readers know it.
fn converted(f: &mut Formatter<'_>, conversion: &FormatConversion<'_>) -> Result {
    if let Converted::Bytes { .. } = conversion.kind {
        return f.write_str("%s%s");
    }
    f.write_char('%')?;
    f.write_str(conversion.flags)?;
    amount(f, "", conversion.width)?;
    if conversion.kind != Converted::Text {
        amount(f, ".", conversion.precision)?;
    }
    f.write_str(match (conversion.kind, conversion.size) {
        (Converted::Character | Converted::Pointer | Converted::Text, _) => "",
        (_, 1) => "hh",
        (_, 2) => "h",
        (_, 8) => "l",
        _ => "",
    })?;
    f.write_char(match conversion.kind {
        Converted::Signed => 'd',
        Converted::Unsigned => 'u',
        Converted::Hex => 'x',
        Converted::UpperHex => 'X',
        Converted::Octal => 'o',
        Converted::Pointer => 'p',
        Converted::Character | Converted::Text | Converted::Bytes { .. } => 's',
    })
}

/// A width or a precision, with a sign in front.
fn amount(f: &mut Formatter<'_>, sign: &str, amount: FormatAmount) -> Result {
    match amount {
        FormatAmount::None => Ok(()),
        FormatAmount::Fixed(number) => write!(f, "{sign}{number}"),
        FormatAmount::ArgumentRole => write!(f, "{sign}*"),
    }
}

/// An argument of a conversion. Of a dump with the field that says how many bytes it was to have, if there is
/// one.
fn argument(
    f: &mut Formatter<'_>,
    conversion: &FormatConversion<'_>,
    count: Option<&RawField>,
    field: &RawField,
) -> Result {
    let name = name(field.name)?;
    match conversion.kind {
        Converted::Bytes { blanks } => {
            let function = if blanks { "__print_hex" } else { "__print_hex_str" };
            write!(f, ", {function}(__get_dynamic_array({name}), __get_dynamic_array_len({name}))")?;
            write!(f, ", (__get_dynamic_array_len({name}) < ")?;
            match (count, conversion.width) {
                (Some(count), _) => write!(f, "REC->{}", self::name(count.name)?)?,
                (None, FormatAmount::Fixed(count)) => write!(f, "{count}")?,
                (None, _) => f.write_char('0')?,
            }
            f.write_str(") ? \"...\" : \"\"")
        }
        Converted::Text if field.count == DYNAMIC => write!(f, ", __get_str({name})"),
        _ => write!(f, ", REC->{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::format_fields::BadFormat;
    use super::*;
    use std::string::{String, ToString};

    fn text(format: &str) -> String {
        let fields = FormatFields::of(FormatString::new(format)).unwrap();
        PrintfFormat::of(format, &fields).to_string()
    }

    #[test]
    fn arguments_are_fields_in_their_order() {
        let expected = "\tfield:short arg1;\toffset:8;\tsize:2;\tsigned:1;\n\
             \tfield:__data_loc char[] arg3;\toffset:12;\tsize:4;\tsigned:0;\n\
             \tfield:unsigned long arg4;\toffset:16;\tsize:8;\tsigned:0;\n\
             \nprint fmt: \"%hd of %-9s: 100%% \\\"%#lx\\\"\", REC->arg1, __get_str(arg3), REC->arg4\n";
        assert_eq!(text("%hi of %-9.*s: 100%% \"%#zx\"\n"), expected);
    }

    #[test]
    fn widths_are_fields_and_dumps_say_whether_they_were_cut() {
        let found = text("%*d %*phN %8ph");
        assert!(found.ends_with(
            "print fmt: \"%*d %s%s %s%s\", REC->arg1, REC->arg2, \
             __print_hex_str(__get_dynamic_array(arg4), __get_dynamic_array_len(arg4)), \
             (__get_dynamic_array_len(arg4) < REC->arg3) ? \"...\" : \"\", \
             __print_hex(__get_dynamic_array(arg5), __get_dynamic_array_len(arg5)), \
             (__get_dynamic_array_len(arg5) < 8) ? \"...\" : \"\"\n"
        ));
    }

    #[test]
    fn what_readers_stop_at_is_an_argument() {
        assert!(
            text("caf\u{e9}: %c\\")
                .ends_with("print fmt: \"caf%s: %s%s\", \"\\303\\251\", REC->arg1, \"\\134\"\n")
        );
    }

    #[test]
    fn what_no_event_can_have_is_refused() {
        let refused = |format: &str| FormatFields::of(FormatString::new(format)).map(drop);
        assert_eq!(refused("%d %f"), Err(BadFormat::Unsupported('f')));
        assert_eq!(refused(&"%c".repeat(16)), Ok(()));
        assert_eq!(refused(&"%c".repeat(17)), Err(BadFormat::TooManyArguments));
        assert_eq!(refused(&"%s".repeat(16)), Ok(()));
    }
}
