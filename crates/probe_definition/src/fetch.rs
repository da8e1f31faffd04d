//! What is fetched: registers, memory, and what is reached from there.

use crate::bad_probe::ProbeError;
use crate::integer::{signed, unsigned};
use probe::{FetchSource, MachineRegister, ProbeKind};

/// Operations that the kernel has space for: its `FETCH_INSN_MAX`, without the end.
const MOST: usize = 15;

/// The most words of the stack: the kernel's `PARAM_MAX_STACK`, which is a thread's stack there.
const MOST_ARGUMENTS: u64 = 2048;

/// Where a probe is, as far as what it can fetch depends on it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FetchContext {
    pub(crate) kind: ProbeKind,
    /// Whether the place is a function's first instruction.
    pub(crate) is_entry: bool,
}

/// Something to fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fetch {
    pub(crate) source: FetchSource,
    /// Offsets, the innermost first.
    pub(crate) dereferences: Vec<i64>,
}

impl Fetch {
    fn of(source: FetchSource) -> Fetch {
        Fetch { source, dereferences: Vec::new() }
    }

    /// Whether it is a string, or where one is not.
    pub(crate) fn is_text(&self) -> bool {
        matches!(self.source, FetchSource::Comm | FetchSource::Text(_)) && self.dereferences.is_empty()
    }
}

/// What is wrong, and at which byte.
type FetchRefused = (ProbeError, usize);

impl FetchContext {
    /// What a text that begins at a byte of an argument says.
    pub(crate) fn parse(self, text: &str, at: usize) -> Result<Fetch, FetchRefused> {
        let refused = |error| Err((error, at));
        match text.as_bytes() {
            [b'$', ..] => {
                self.variable(text.get(1..).unwrap_or_default()).map(Fetch::of).map_err(|error| (error, at))
            }
            [b'%', ..] => {
                let register = text.get(1..).and_then(MachineRegister::named);
                register
                    .map(|register| Fetch::of(FetchSource::Register(register)))
                    .ok_or((ProbeError::BadRegister, at))
            }
            [b'@', ..] => memory(text.get(1..).unwrap_or_default()).map_err(|error| (error, at)),
            [b'+' | b'-', ..] => self.dereference(text, at),
            [b'\\', b'"', ..] => literal(text, at),
            [b'\\', ..] => {
                let value = text.get(1..).and_then(immediate);
                value
                    .map(|value| Fetch::of(FetchSource::Immediate(value)))
                    .ok_or((ProbeError::BadImmediate, at + 1))
            }
            [b'a'..=b'z' | b'A'..=b'Z' | b'_', ..] => refused(ProbeError::NoVariables),
            _ => refused(ProbeError::BadFetch),
        }
    }

    fn variable(self, name: &str) -> Result<FetchSource, ProbeError> {
        let is_return = self.kind == ProbeKind::Return;
        if name == "retval" {
            return if is_return {
                Ok(FetchSource::ReturnValue)
            } else {
                Err(ProbeError::ReturnValueAtEntry)
            };
        }
        if matches!(name, "comm" | "COMM") {
            return Ok(FetchSource::Comm);
        }
        if let Some(number) = name.strip_prefix("stack") {
            let word = || unsigned(number, 10).and_then(|number| u16::try_from(number).ok());
            return match number {
                "" => Ok(FetchSource::Stack),
                _ => word().map(FetchSource::StackWord).ok_or(ProbeError::BadVariable),
            };
        }
        let number = name.strip_prefix("arg").and_then(|number| unsigned(number, 10));
        match number.ok_or(ProbeError::BadVariable)? {
            number if number == 0 || number > MOST_ARGUMENTS => Err(ProbeError::BadArgumentNumber),
            _ if is_return || !self.is_entry => Err(ProbeError::ArgumentInside),
            number => Ok(argument(number as usize - 1)),
        }
    }

    /// `+OFFSET(FETCH)`.
    fn dereference(self, text: &str, at: usize) -> Result<Fetch, FetchRefused> {
        // Without the sign that the kernel's functions don't take, and the mark of user memory.
        let sign = if text.starts_with('-') { "-" } else { "" };
        let rest = text.get(1..).unwrap_or_default();
        let rest = rest.strip_prefix('u').unwrap_or(rest);
        let (offset, inner) = rest.split_once('(').ok_or((ProbeError::NoBrace, at))?;
        let start = at + text.len() - inner.len();
        let offset = match offset.starts_with(['+', '-']) {
            true => None,
            false => signed(&format!("{sign}{offset}")),
        };
        let offset = offset.ok_or((ProbeError::BadDereference, at))?;
        let (inner, _) = inner.rsplit_once(')').ok_or((ProbeError::BraceOpen, start + inner.len()))?;
        let mut fetch = self.parse(inner, start)?;
        if fetch.is_text() {
            return Err((ProbeError::TextAsAddress, start));
        }
        fetch.dereferences.push(offset);
        if fetch.dereferences.len() >= MOST { Err((ProbeError::TooDeep, start)) } else { Ok(fetch) }
    }
}

/// Where a function's argument is when it begins: the first is 0.
fn argument(number: usize) -> FetchSource {
    let registers = MachineRegister::ARGUMENTS;
    // After the return address.
    let word = (number + 1).saturating_sub(registers.len()) as u16;
    registers.get(number).map_or(FetchSource::StackWord(word), |register| FetchSource::Register(*register))
}

/// `@ADDRESS` or `@+OFFSET`.
fn memory(text: &str) -> Result<Fetch, ProbeError> {
    let source = match text.as_bytes() {
        [b'0'..=b'9', ..] => unsigned(text, 0).map(FetchSource::Address).ok_or(ProbeError::BadAddress)?,
        [b'+', ..] => {
            let offset = text.get(1..).and_then(signed).ok_or(ProbeError::BadFileOffset)?;
            FetchSource::FileOffset(offset.cast_unsigned())
        }
        _ => return Err(ProbeError::SymbolAsAddress),
    };
    Ok(Fetch { source, dereferences: vec![0] })
}

fn immediate(text: &str) -> Option<u64> {
    match text.as_bytes() {
        [b'0'..=b'9', ..] => unsigned(text, 0),
        [b'-', ..] => signed(text).map(i64::cast_unsigned),
        [b'+', ..] => text.get(1..).and_then(signed).map(i64::cast_unsigned),
        _ => None,
    }
}

/// `\"TEXT"`.
fn literal(text: &str, at: usize) -> Result<Fetch, FetchRefused> {
    let inner = text.get(2..).unwrap_or_default();
    let literal = inner.strip_suffix('"').ok_or((ProbeError::StringOpen, at + text.len()))?;
    Ok(Fetch::of(FetchSource::Text(literal.to_string())))
}
