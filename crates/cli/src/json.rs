//! JSON, for programs that read what the command prints.

use export::json::quote;
use std::fmt::{self, Display, Formatter, Write};

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Number(u64),
    /// With a fraction; one that is no number is null.
    Decimal(f64),
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
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => f.write_str("null"),
            Json::Bool(value) => write!(f, "{value}"),
            Json::Number(number) => write!(f, "{number}"),
            Json::Decimal(number) if number.is_finite() => write!(f, "{number:.6}"),
            Json::Decimal(_) => f.write_str("null"),
            Json::Text(text) => quote(text, |part| f.write_str(part)),
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
    write: impl Fn(&T, &mut Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            f.write_char(',')?;
        }
        write(value, f)?;
    }
    Ok(())
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
        let text = r#"{"name":"a \"b\"\\\n\u0001ü","list":[18446744073709551615,true,null],"nothing":{}}"#;
        assert_eq!(value.to_string(), text);
    }
}
