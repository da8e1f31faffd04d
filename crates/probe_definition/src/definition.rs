//! A probe as it is defined.

use crate::argument::ProbeArgument;
use crate::bad_probe::{BadProbe, ProbeError};
use crate::event_name::{self, GROUP, MOST};
use crate::fetch::FetchContext;
use crate::place::DefinedPlace;
use crate::probed_files::ProbedFiles;
use crate::words::DefinitionWords;
use probe::ProbeKind;
use std::fmt::{self, Display, Formatter};

/// The most arguments: the kernel's `MAX_TRACE_ARGS`.
const MOST_ARGUMENTS: usize = 128;

/// A probe's definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeDefinition {
    /// Whether it is at an instruction, or at returns.
    pub kind: ProbeKind,
    /// The system of its event.
    pub group: String,
    /// The name of its event.
    pub event: String,
    /// The path of its file, as it was written.
    pub path: String,
    /// Where it is in the file.
    pub offset: u64,
    /// Where its reference counter is in the file, 0 for none.
    pub reference_counter: u64,
    /// What it fetches.
    pub arguments: Vec<ProbeArgument>,
}

impl ProbeDefinition {
    /// What a line says.
    pub fn parse(line: &str, files: &dyn ProbedFiles) -> Result<ProbeDefinition, BadProbe> {
        let words = DefinitionWords::of(line);
        let no_definition = || words.error(ProbeError::NoDefinition, 0, 0);
        let (first, place) = words.get(0).zip(words.get(1)).ok_or_else(no_definition)?;
        let is_return = match first.as_bytes() {
            [b'r', ..] => true,
            [b'p', ..] => false,
            _ => return Err(no_definition()),
        };
        let place = DefinedPlace::parse(place, files).map_err(|(error, byte)| words.error(error, 1, byte))?;
        let kind = if is_return || place.is_return { ProbeKind::Return } else { ProbeKind::Entry };
        if kind == ProbeKind::Return && place.symbol.as_ref().is_some_and(|(_, offset)| *offset != 0) {
            let at = place.path.len() + 1;
            return Err(words.error(ProbeError::ReturnInside, 1, at));
        }
        // As the kernel has it, whatever else follows the letter is not looked at.
        let name = first.get(1..).and_then(|rest| rest.strip_prefix(':'));
        let (group, event) = match name.map(event_name::parse) {
            None => (None, None),
            Some(parsed) => parsed.map_err(|(error, byte)| words.error(error, 0, 2 + byte))?,
        };
        let event = event.map_or_else(|| default_name(&place, kind), str::to_string);
        let group = group.unwrap_or(GROUP).to_string();
        let is_entry = || files.is_entry(&place.path, place.offset);
        let arguments = parse_arguments(&words, kind, &is_entry)?;
        let DefinedPlace { path, offset, reference_counter, .. } = place;
        Ok(ProbeDefinition { kind, group, event, path, offset, reference_counter, arguments })
    }

    /// The error of a definition that is right by itself, at the argument of a number.
    pub fn refuse_argument(line: &str, error: ProbeError, number: usize) -> BadProbe {
        DefinitionWords::of(line).error(error, number + 2, 0)
    }

    /// The error of a definition that is right by itself.
    pub fn refuse(line: &str, error: ProbeError) -> BadProbe {
        DefinitionWords::of(line).error(error, 0, 0)
    }

    /// The first argument, from 0, in which it differs from another that may have the same event.
    pub fn differing_argument(&self, other: &ProbeDefinition) -> Option<usize> {
        let [own, others] = [&self.arguments, &other.arguments];
        if own.len() != others.len() {
            return Some(own.len().min(others.len()));
        }
        let differs = |(one, other): (&ProbeArgument, &ProbeArgument)| {
            one.name != other.name
                || one.value_type.name != other.value_type.name
                || one.value_type.count != other.value_type.count
        };
        own.iter().zip(others).position(differs)
    }

    /// Whether both fetch what is written in the same way.
    pub fn has_arguments_of(&self, other: &ProbeDefinition) -> bool {
        let [own, others] =
            [self, other].map(|probe| probe.arguments.iter().map(|argument| &argument.expression));
        own.eq(others)
    }
}

fn parse_arguments(
    words: &DefinitionWords<'_>,
    kind: ProbeKind,
    is_entry: &dyn Fn() -> bool,
) -> Result<Vec<ProbeArgument>, BadProbe> {
    if words.arguments().len() > MOST_ARGUMENTS {
        return Err(words.error(ProbeError::TooManyArguments, 2, 0));
    }
    // Only where it matters: the file has to be read for it.
    let is_entry = words.arguments().iter().any(|word| word.contains("$arg")) && is_entry();
    let context = FetchContext { kind, is_entry };
    let mut arguments = Vec::new();
    for (number, word) in words.arguments().iter().enumerate() {
        let argument = ProbeArgument::parse(word, number, &arguments, context);
        arguments.push(argument.map_err(|(error, byte)| words.error(error, 2 + number, byte))?);
    }
    Ok(arguments)
}

/// The name of an event that was given none: of a symbol as the kernel's kprobes have it.
fn default_name(place: &DefinedPlace, kind: ProbeKind) -> String {
    let name = match &place.symbol {
        Some((symbol, offset)) => {
            let letter = if kind == ProbeKind::Return { 'r' } else { 'p' };
            let name = symbol.replace(|letter: char| !letter.is_ascii_alphanumeric(), "_");
            format!("{letter}_{name}_{offset}")
        }
        None => {
            let file = place.path.rsplit('/').next().unwrap_or_default();
            let tail = file.split(['.', '-', '_']).next().unwrap_or_default();
            format!("p_{tail}_{:#x}", place.offset)
        }
    };
    name.chars().take(MOST - 1).collect()
}

impl Display for ProbeDefinition {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let letter = if self.kind == ProbeKind::Return { 'r' } else { 'p' };
        write!(f, "{letter}:{}/{} {}:{:#018x}", self.group, self.event, self.path, self.offset)?;
        if self.reference_counter != 0 {
            write!(f, "({:#x})", self.reference_counter)?;
        }
        self.arguments.iter().try_for_each(|argument| write!(f, " {}={}", argument.name, argument.expression))
    }
}
