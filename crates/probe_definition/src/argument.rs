//! An argument: a field of the event, and what is fetched into it.

use crate::bad_probe::ProbeError;
use crate::event_name::is_c_name;
use crate::fetch::{Fetch, FetchContext};
use crate::value_type::{TypeText, ValueType};
use probe::{FetchArgument, FetchSource, StoredForm};

/// The most bytes of a name: the kernel's `MAX_ARG_NAME_LEN`.
const MOST_NAME: usize = 32;

/// The most bytes of what follows it: the kernel's `MAX_ARGSTR_LEN`.
const MOST: usize = 63;

/// Names that other fields have.
const RESERVED: [&str; 8] = [
    "common_type",
    "common_flags",
    "common_preempt_count",
    "common_pid",
    "common_tgid",
    "__probe_ip",
    "__probe_ret_ip",
    "__probe_func",
];

/// An argument of a probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeArgument {
    /// The name of its field.
    pub name: String,
    /// What is fetched, as it was written.
    pub expression: String,
    /// The type of it.
    pub value_type: ValueType,
    /// What is fetched.
    pub fetch: FetchArgument,
}

impl ProbeArgument {
    /// The argument of this number that a word says; or what is wrong, and at which byte of the word.
    pub(crate) fn parse(
        word: &str,
        number: usize,
        others: &[ProbeArgument],
        context: FetchContext,
    ) -> Result<ProbeArgument, (ProbeError, usize)> {
        let (name, expression) = match word.split_once('=') {
            Some((name, _)) if name.len() > MOST_NAME => return Err((ProbeError::ArgumentNameTooLong, 0)),
            Some(("", _)) => return Err((ProbeError::NoArgumentName, 0)),
            Some((name, expression)) => (name.to_string(), expression),
            None => (format!("arg{}", number + 1), word),
        };
        if !is_c_name(&name) {
            return Err((ProbeError::BadArgumentName, 0));
        }
        if RESERVED.contains(&name.as_str()) || others.iter().any(|other| other.name == name) {
            return Err((ProbeError::UsedArgumentName, 0));
        }
        let at = word.len() - expression.len();
        let found = match expression.len() {
            0 => Err((ProbeError::NoArgument, 0)),
            len if len > MOST => Err((ProbeError::ArgumentTooLong, 0)),
            _ => parse_expression(expression, context),
        };
        let (value_type, fetch) = found.map_err(|(error, byte)| (error, at + byte))?;
        Ok(ProbeArgument { name, expression: expression.to_string(), value_type, fetch })
    }

    /// Bytes of its field.
    pub fn bytes(&self) -> usize {
        usize::from(self.value_type.name.bytes) * self.value_type.count.map_or(1, usize::from)
    }
}

fn parse_expression(
    text: &str,
    context: FetchContext,
) -> Result<(ValueType, FetchArgument), (ProbeError, usize)> {
    let (fetched, type_text) = TypeText::split(text)?;
    let is_text = matches!(fetched, "$comm" | "$COMM") || fetched.starts_with("\\\"");
    let mut found = if is_text { type_text.of_text()? } else { type_text.find()? };
    let Fetch { source, mut dereferences } = context.parse(fetched, 0)?;
    let is_memory = !dereferences.is_empty();
    // Where the string is, is said by the number itself.
    if found.is_text() && !is_memory && matches!(source, FetchSource::Immediate(_)) {
        dereferences.push(0);
    }
    let is_string = is_text || !dereferences.is_empty();
    if found.is_text() && !is_string || found.count.is_some() && !is_memory {
        return Err((ProbeError::BadString, type_text.at));
    }
    // An array of strings is one of pointers to them.
    if found.stored == StoredForm::Text && found.count.is_some() {
        dereferences.push(0);
    }
    found.stored = type_text.stored(found)?;
    let fetch = FetchArgument { source, dereferences, stored: found.stored, count: found.count };
    Ok((found, fetch))
}
