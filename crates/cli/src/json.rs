//! JSON, for programs that read what the command prints.

use std::fmt::{Display, Formatter, Result, Write};

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Number(u64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(&'static str, Json)>),
}

impl Json {
    /// A text, or nothing.
    pub(crate) fn text(text: Option<impl Display>) -> Json {
        text.map_or(Json::Null, |text| Json::Text(text.to_string()))
    }

    /// A number, or nothing.
    pub(crate) fn number(number: Option<u64>) -> Json {
        number.map_or(Json::Null, Json::Number)
    }
}

impl Display for Json {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Json::Null => f.write_str("null"),
            Json::Bool(value) => write!(f, "{value}"),
            Json::Number(number) => write!(f, "{number}"),
            Json::Text(text) => quote(text, f),
            Json::List(values) => {
                f.write_char('[')?;
                separated(values, f, |value, f| value.fmt(f))?;
                f.write_char(']')
            }
            Json::Object(members) => {
                f.write_char('{')?;
                separated(members, f, |(name, value), f| write!(f, "\"{name}\":{value}"))?;
                f.write_char('}')
            }
        }
    }
}

fn separated<T>(
    values: &[T],
    f: &mut Formatter<'_>,
    write: impl Fn(&T, &mut Formatter<'_>) -> Result,
) -> Result {
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            f.write_char(',')?;
        }
        write(value, f)?;
    }
    Ok(())
}

fn quote(text: &str, f: &mut Formatter<'_>) -> Result {
    f.write_char('"')?;
    for letter in text.chars() {
        match letter {
            '"' | '\\' => write!(f, "\\{letter}")?,
            control if control.is_control() => write!(f, "\\u{:04x}", u32::from(control))?,
            other => f.write_char(other)?,
        }
    }
    f.write_char('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_others_read_them() {
        let value = Json::Object(vec![
            ("name", Json::Text("a \"b\"\\\n\u{1}ü".into())),
            ("list", Json::List(vec![Json::Number(u64::MAX), Json::Bool(true), Json::number(None)])),
            ("nothing", Json::Object(Vec::new())),
        ]);
        let text =
            r#"{"name":"a \"b\"\\\u000a\u0001ü","list":[18446744073709551615,true,null],"nothing":{}}"#;
        assert_eq!(value.to_string(), text);
    }
}
