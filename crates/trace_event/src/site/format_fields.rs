//! What fields the arguments of a printf format make, and how the recorder lays them out.

use super::argument_code::{ArgumentCode, ArgumentUse, UNBOUNDED};
use abi::common;
use abi::site::{ARGUMENTS, DYNAMIC, RawField, WORDS, kind};
use core::ffi::CStr;
use core::ptr::null;
use printf_format::{ArgumentRole, Converted, FormatAmount, FormatConversion, FormatPiece, FormatString};

/// Bytes of an event.
const SIZE: usize = WORDS * 8;

/// Bytes of the place of a text or dump, in the fixed part.
pub(super) const LOCATION: usize = 4;

/// The names of fields, by the argument's place in the call.
const NAMES: [&CStr; ARGUMENTS] = [
    c"arg1", c"arg2", c"arg3", c"arg4", c"arg5", c"arg6", c"arg7", c"arg8", c"arg9", c"arg10", c"arg11",
    c"arg12", c"arg13", c"arg14", c"arg15", c"arg16",
];

/// Why no event can have a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BadFormat {
    /// A conversion that no event can have, at this character.
    Unsupported(char),
    /// More than [`ARGUMENTS`], or more than an event has space for.
    TooManyArguments,
    /// The program has another number of arguments for it.
    OtherArguments,
}

/// The arguments of a format.
#[derive(Debug, Clone, Copy)]
pub(super) struct FormatFields {
    arguments: [Option<ArgumentCode>; ARGUMENTS],
    fields: [Option<RawField>; ARGUMENTS],
    /// Where the fixed part ends.
    pub(super) fixed_end: u16,
    /// Bytes that each of them can have.
    pub(super) share: u16,
}

impl FormatFields {
    /// Those of a format.
    pub(super) fn of(format: FormatString<'_>) -> Result<FormatFields, BadFormat> {
        let mut found =
            FormatFields { arguments: [None; ARGUMENTS], fields: [None; ARGUMENTS], fixed_end: 0, share: 0 };
        let mut count = 0;
        for piece in format.pieces() {
            match piece {
                FormatPiece::Text(_) => {}
                FormatPiece::Conversion(conversion) => found.add(&conversion, &mut count)?,
                FormatPiece::Unsupported(unsupported) => {
                    return Err(BadFormat::Unsupported(unsupported.letter));
                }
            }
        }
        found.lay_out()?;
        Ok(found)
    }

    fn add(&mut self, conversion: &FormatConversion<'_>, count: &mut usize) -> Result<(), BadFormat> {
        for argument in conversion.arguments() {
            let code = match argument {
                ArgumentRole::Nothing => continue,
                ArgumentRole::Column | ArgumentRole::Count => ArgumentCode::new(ArgumentUse::Number(4)),
                ArgumentRole::Length => ArgumentCode::new(ArgumentUse::Length),
                ArgumentRole::Value => value(conversion),
            };
            let field = match argument {
                ArgumentRole::Value => Some(field(conversion, *count)),
                ArgumentRole::Column | ArgumentRole::Count => {
                    Some(RawField { kind: kind::SIGNED, ..number(*count, 4) })
                }
                _ => None,
            };
            *self.arguments.get_mut(*count).ok_or(BadFormat::TooManyArguments)? = Some(code);
            *self.fields.get_mut(*count).ok_or(BadFormat::TooManyArguments)? = field;
            *count += 1;
        }
        Ok(())
    }

    /// Finds out where each field has its place.
    fn lay_out(&mut self) -> Result<(), BadFormat> {
        let (mut end, mut dynamic) = (common::SIZE, 0);
        let mut before: Option<(&mut ArgumentCode, usize)> = None;
        for (code, field) in self.arguments.iter_mut().flatten().zip(&self.fields) {
            let Some(field) = field else { continue };
            let size = if field.count == DYNAMIC { LOCATION } else { usize::from(field.size) };
            let at = aligned(end, size);
            if let Some((code, before)) = before.replace((code, at)) {
                *code = code.placed(before, at / 8 > before / 8);
            }
            end = at + size;
            dynamic += usize::from(field.count == DYNAMIC);
        }
        if let Some((code, at)) = before {
            *code = code.placed(at, true);
        }
        let space = SIZE.checked_sub(aligned(end, 8)).ok_or(BadFormat::TooManyArguments)?;
        let share = space.checked_div(dynamic).unwrap_or(0) & !7;
        if dynamic > 0 && share == 0 {
            return Err(BadFormat::TooManyArguments);
        }
        (self.fixed_end, self.share) = (end as u16, share as u16);
        Ok(())
    }

    /// What its site has of each argument, 0 after the last.
    pub(super) fn words(&self) -> [u16; ARGUMENTS] {
        self.arguments.map(|code| code.map_or(0, ArgumentCode::word))
    }

    /// How many arguments there are.
    pub(super) fn count(&self) -> usize {
        self.arguments.iter().flatten().count()
    }

    /// The fields that they make.
    pub(super) fn fields(&self) -> impl Iterator<Item = &RawField> {
        self.fields.iter().flatten()
    }
}

/// The next multiple of a size, which is a power of 2.
pub(super) fn aligned(offset: usize, size: usize) -> usize {
    (offset + size - 1) & !(size - 1)
}

/// What is converted, as the recorder takes it.
fn value(conversion: &FormatConversion<'_>) -> ArgumentCode {
    ArgumentCode::new(match (conversion.kind, conversion.precision, conversion.width) {
        (Converted::Text, FormatAmount::Fixed(most), _) => ArgumentUse::Text(most.min(UNBOUNDED)),
        (Converted::Text, ..) => ArgumentUse::Text(UNBOUNDED),
        (Converted::Bytes { .. }, _, FormatAmount::Fixed(count)) => ArgumentUse::Bytes(count),
        (Converted::Bytes { .. }, ..) => ArgumentUse::CountedBytes,
        _ => ArgumentUse::Number(u16::from(conversion.size)),
    })
}

/// A number of so many bytes, which is the argument at `index`.
fn number(index: usize, size: u8) -> RawField {
    let name = NAMES.get(index).map_or(null(), |name| name.as_ptr());
    RawField { name, names: null(), name_count: 0, count: 0, size, kind: kind::UNSIGNED }
}

/// The field of what is converted.
fn field(conversion: &FormatConversion<'_>, index: usize) -> RawField {
    let number = number(index, conversion.size);
    match conversion.kind {
        Converted::Signed => RawField { kind: kind::SIGNED, ..number },
        Converted::Pointer => RawField { kind: kind::HEX, ..number },
        Converted::Character => RawField { kind: kind::TEXT, count: 1, ..number },
        Converted::Text => RawField { kind: kind::TEXT, size: 1, count: DYNAMIC, ..number },
        Converted::Bytes { .. } => RawField { size: 1, count: DYNAMIC, ..number },
        _ => number,
    }
}
