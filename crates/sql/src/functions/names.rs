//! `errno_name(error)` and `flag_names(call, argument, value)`: what numbers are called.

use super::scalar::{numbers, of_arrays, text, texts};
use datafusion::arrow::array::StringArray;
use datafusion::arrow::datatypes::DataType;
use datafusion::logical_expr::{ScalarUDF, Volatility, create_udf};
use events::error_name;
use foldhash::HashMap;
use std::sync::Arc;
use trace_data::format::Format;
use trace_data::print::value_names;

/// The name of an error, `ENOENT`.
pub(super) fn errno_name() -> ScalarUDF {
    let function = of_arrays(|arguments| {
        let name = |error: Option<i64>| error_name(u32::try_from(error?).ok()?);
        let errors = numbers(&arguments[0])?;
        Ok(Arc::new(errors.into_iter().map(name).collect::<StringArray>()))
    });
    create_udf("errno_name", vec![DataType::Int64], DataType::Utf8, Volatility::Immutable, function)
}

/// The names of the flags in an argument of a call, `O_RDWR|O_CLOEXEC`.
pub(super) fn flag_names() -> ScalarUDF {
    let function = of_arrays(|arguments| {
        let (calls, names, values) = (texts(&arguments[0])?, texts(&arguments[1])?, numbers(&arguments[2])?);
        let mut known = HashMap::default();
        let named = |(row, value): (usize, Option<i64>)| {
            let (call, argument) = (text(&calls, row)?, text(&names, row)?);
            let find = || known_names(call, argument);
            named(value?, known.entry((call.to_owned(), argument.to_owned())).or_insert_with(find))
        };
        Ok(Arc::new(values.into_iter().enumerate().map(named).collect::<StringArray>()))
    });
    let arguments = vec![DataType::Utf8, DataType::Utf8, DataType::Int64];
    create_udf("flag_names", arguments, DataType::Utf8, Volatility::Immutable, function)
}

/// The values of an argument that have names. Those of a system call are known from libc's call.
fn known_names(call: &str, argument: &str) -> Vec<(u64, String)> {
    let name = call.strip_prefix("sys_").unwrap_or(call);
    let event = events::selectable().find(|event| event.name == name);
    let format = event.and_then(|event| {
        let text = events::format_file(event.name, event.id, event.own_format()).to_string();
        Format::parse(event.system, &text).ok()
    });
    let names = format.and_then(|format| {
        let place = format.fields.iter().position(|field| field.name == argument)?;
        value_names(&format).into_iter().nth(place)
    });
    names.unwrap_or_default()
}

/// Nothing where no value has a name. What is left of the bits is a number, as in the kernel's text.
fn named(value: i64, names: &[(u64, String)]) -> Option<String> {
    if names.is_empty() {
        return None;
    }
    if let Some((_, name)) = names.iter().find(|(known, _)| *known == value as u64) {
        return Some(name.clone());
    }
    let (mut rest, mut found) = (value as u64, Vec::new());
    for (bits, name) in names.iter().filter(|(bits, _)| *bits != 0) {
        if rest & bits == *bits {
            rest &= !bits;
            found.push(name.clone());
        }
    }
    if rest != 0 || found.is_empty() {
        found.push(format!("{rest:#x}"));
    }
    Some(found.join("|"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_have_the_names_of_the_text() {
        let of = |value| named(value, &known_names("open", "flags"));
        assert_eq!(of(0o2).as_deref(), Some("O_RDWR"));
        assert_eq!(of(0o2000002).as_deref(), Some("O_RDWR|O_CLOEXEC"));
        assert_eq!(named(3, &known_names("read", "fd")), None);
        assert!(!known_names("sys_openat", "flags").is_empty());
    }
}
