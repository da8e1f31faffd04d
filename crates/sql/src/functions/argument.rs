//! `arg(args, name)`: a value of the column `args`.

use super::scalar::{of_arrays, text, texts};
use datafusion::arrow::array::{Array, StringArray};
use datafusion::arrow::datatypes::DataType;
use datafusion::logical_expr::{ScalarUDF, Volatility, create_udf};
use std::sync::Arc;

/// A value of an object in JSON, as text.
pub(super) fn arg() -> ScalarUDF {
    let function = of_arrays(|arguments| {
        let (objects, names) = (texts(&arguments[0])?, texts(&arguments[1])?);
        let value = |row| member(text(&objects, row)?, text(&names, row)?);
        Ok(Arc::new((0..objects.len()).map(value).collect::<StringArray>()))
    });
    create_udf("arg", vec![DataType::Utf8, DataType::Utf8], DataType::Utf8, Volatility::Immutable, function)
}

/// A member of a flat object: `{"name":1,"other":"text"}`.
fn member(object: &str, name: &str) -> Option<String> {
    let mut rest = object.strip_prefix('{')?;
    loop {
        let (key, after) = string(rest)?;
        let after = after.strip_prefix(':')?;
        let (value, after) = match after.starts_with('"') {
            true => string(after)?,
            false => {
                let end = after.find([',', '}'])?;
                (after[..end].to_owned(), &after[end..])
            }
        };
        if key == name {
            return Some(value);
        }
        rest = after.strip_prefix(',')?;
    }
}

/// A string at the start of a text, and what follows it.
fn string(text: &str) -> Option<(String, &str)> {
    let mut letters = text.strip_prefix('"')?.chars();
    let mut found = String::new();
    loop {
        match letters.next()? {
            '"' => return Some((found, letters.as_str())),
            '\\' => match letters.next()? {
                'n' => found.push('\n'),
                't' => found.push('\t'),
                'u' => {
                    let code = letters.as_str().get(..4)?;
                    found.push(char::from_u32(u32::from_str_radix(code, 16).ok()?)?);
                    letters = letters.as_str()[4..].chars();
                }
                other => found.push(other),
            },
            other => found.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_by_name() {
        let object = r#"{"buf":"0x7f","text":"a \"b\", \\ \n\u0001}","n":-3}"#;
        let found = ["buf", "text", "n", "none"].map(|name| member(object, name));
        let expected = [Some("0x7f"), Some("a \"b\", \\ \n\u{1}}"), Some("-3"), None];
        assert_eq!(found.each_ref().map(Option::as_deref), expected);
        assert_eq!(member("{\"a\"", "a"), None, "it is cut");
    }
}
