//! Variables by their names, and lines of source, in the kernel's grammar.

use super::debugged::DebuggedFile;
use super::place::{PlaceText, RETURN};
use crate::failure::{Done, Failure};
use debug_info::{NamedFetch, NoVariable, VariableScope};
use session::{NoSymbol, ProbedFile};
use std::path::Path;

/// A place with its arguments, in the kernel's grammar.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ResolvedProbe {
    /// Where in the file.
    pub(super) inside: String,
    pub(super) arguments: String,
    /// What its event is called after, as the place is written of a function.
    pub(super) named: String,
    /// Where that is in the source, if it isn't where it was written.
    pub(super) source: Option<String>,
}

/// What stands for all variables, and for all that the function was called with.
const ALL: [&str; 2] = ["$vars", "$params"];

/// The probes that are meant at a place of a file: several at a line that several functions have.
pub(super) fn resolve(path: &str, inside: &str, arguments: &str) -> Done<Vec<ResolvedProbe>> {
    let words: Vec<&str> = arguments.split_whitespace().collect();
    let (place, counter) = inside.find('(').map_or((inside, ""), |start| inside.split_at(start));
    let (place, is_return) = place.strip_suffix(RETURN).map_or((place, false), |place| (place, true));
    let parsed = PlaceText::parse(place);
    let has_names = words.iter().any(|word| is_variable(word));
    let is_line = matches!(parsed, Some(PlaceText::Line { .. }));
    let needs_source = |place: &PlaceText| has_names || is_line || is_inlined(path, place);
    let Some(parsed) = parsed.filter(needs_source) else {
        let [inside, named] = [inside, inside].map(str::to_string);
        return Ok(vec![ResolvedProbe { inside, arguments: words.join(" "), named, source: None }]);
    };
    if is_return {
        let why = "at a function's return there are $retval, registers and memory, but no variables: \
                   probe its start, or a line of it";
        return Err(Failure::failed(why));
    }
    let file = DebuggedFile::read(path)?;
    let of_one = |addresses: Vec<u64>| -> Done<ResolvedProbe> {
        let (found, arguments) = place_variables(&file, &addresses, &words)?;
        Ok(ResolvedProbe {
            inside: format!("{:#x}{counter}", file.offset_of(found)?),
            arguments,
            named: event_place(&file, &parsed, place, found)?,
            source: (is_line || !addresses.starts_with(&[found])).then(|| file.describe(found, &parsed)),
        })
    };
    file.addresses(&parsed)?.into_iter().map(of_one).collect()
}

/// Whether a place is a function that has no symbol, and was inlined.
fn is_inlined(path: &str, place: &PlaceText) -> bool {
    let PlaceText::Function { name, offset: 0 } = place else { return false };
    let file = ProbedFile::read(Path::new(path));
    let is_missing = file.is_some_and(|file| file.address_of(name, 0) == Err(NoSymbol::NotFound));
    is_missing && DebuggedFile::read(path).is_ok_and(|file| !file.inlined(name).is_empty())
}

/// What an event at a place is called after, as perf has it.
fn event_place(file: &DebuggedFile, parsed: &PlaceText, place: &str, address: u64) -> Done<String> {
    match parsed {
        PlaceText::Line { of, line } if !of.contains('.') => Ok(format!("{of}_L{line}")),
        PlaceText::Line { .. } => Ok(file.scope(address)?.function_name().unwrap_or_default()),
        PlaceText::Offset(_) | PlaceText::Function { .. } => Ok(place.to_string()),
    }
}

/// The first of some addresses where all variables can be fetched and a probe be placed; else the first where
/// they can be fetched. With the arguments there.
fn place_variables(file: &DebuggedFile, addresses: &[u64], words: &[&str]) -> Done<(u64, String)> {
    let (mut found, mut refused) = (None, None);
    for address in addresses {
        match fetch_all(&file.scope(*address)?, words) {
            Ok(arguments) if file.is_placeable(*address) => return Ok((*address, arguments)),
            Ok(arguments) => found = found.or(Some((*address, arguments))),
            Err(why) => refused = refused.filter(|_| why.is_of_place()).or(Some(why)),
        }
    }
    found.ok_or_else(|| refused.map_or_else(|| Failure::failed("no instruction"), |why| failure(&why)))
}

fn failure(why: &NoVariable) -> Failure {
    let hint = match why {
        NoVariable::NotHere { .. } | NoVariable::NotAtEntry { .. } | NoVariable::Computed { .. } => {
            "; another instruction may have it: `lookback probe --vars` lists what a place has"
        }
        _ => "",
    };
    Failure::failed(format_args!("{why}{hint}"))
}

/// The arguments, with variables as what is to be fetched.
fn fetch_all(scope: &VariableScope<'_>, words: &[&str]) -> Result<String, NoVariable> {
    let mut fields: Vec<NamedFetch> = Vec::new();
    let mut text = String::new();
    for word in words {
        let found = match *word {
            all if ALL.contains(&all) => all_variables(scope, all == "$params"),
            word if is_variable(word) => vec![scope.fetch(word)?],
            word => {
                text = format!("{text} {word}");
                continue;
            }
        };
        for NamedFetch { name, fetch } in found {
            let is_given = word.contains('=');
            let name = if is_given { name } else { free_name(name, &fields) };
            text = format!("{text} {name}={fetch}");
            fields.push(NamedFetch { name, fetch });
        }
    }
    Ok(text.trim_start().to_string())
}

fn all_variables(scope: &VariableScope<'_>, are_parameters: bool) -> Vec<NamedFetch> {
    let variables = scope.variables().into_iter();
    let wanted = variables.filter(|variable| variable.is_parameter || !are_parameters);
    // With arrays a record would soon be full.
    wanted.filter_map(|variable| variable.fetch.ok()).filter(|found| !found.fetch.ends_with(']')).collect()
}

/// A name that no other field has: with a number, if others have it.
fn free_name(name: String, others: &[NamedFetch]) -> String {
    let is_free = |name: &String| others.iter().all(|other| other.name != *name);
    let numbered = (1..=others.len()).map(|number| format!("{name}_{number}"));
    std::iter::once(name.clone()).chain(numbered).find(is_free).unwrap_or(name)
}

/// Whether an argument is a variable by its name: what the kernel's grammar has begins with a mark.
fn is_variable(word: &str) -> bool {
    let value = match word.split_once('=') {
        Some((name, value)) if !name.starts_with('\\') => value,
        _ => word,
    };
    ALL.contains(&word) || value.starts_with(|first: char| first.is_alphabetic() || "_*".contains(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_begin_with_a_letter() {
        for word in ["count", "n=count", "*item", "_x:u8", "item->name:string", "$vars", "$params", "é"] {
            assert!(is_variable(word), "{word}");
        }
        for word in ["%di", "$arg1", "n=$retval", "@0x10", "+8(%di)", "\\5", "\\\"a=b\"", "t=\\\"b\"", ""] {
            assert!(!is_variable(word), "{word}");
        }
    }

    #[test]
    fn fields_without_a_name_get_one_that_is_free() {
        let field = |name: &str| NamedFetch { name: name.to_string(), fetch: String::new() };
        let others = [field("id"), field("id_1")];
        let name = |name: &str| free_name(name.to_string(), &others);
        assert_eq!((name("id"), name("n")), ("id_2".to_string(), "n".to_string()));
    }

    #[test]
    fn what_has_no_names_needs_no_debug_information() {
        let resolved = resolve("/nosuch", "pay+4(0x10)", "%di  x=$arg1").unwrap();
        let [only] = resolved.as_slice() else { panic!("{resolved:?}") };
        assert_eq!((only.inside.as_str(), only.arguments.as_str()), ("pay+4(0x10)", "%di x=$arg1"));
    }
}
