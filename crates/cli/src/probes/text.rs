//! Definitions as people write them, as lines of the kernel's grammar.

use super::file;
use super::place::RETURN;
use super::variables::{ResolvedProbe, resolve};
use crate::failure::{Done, Failure};
use session::UsdtPlace;
use std::fmt::Write;
use std::path::Path;

/// A definition: what stands before its name, the name, and the rest.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ProbeText {
    /// The first word, if it was given.
    head: Option<String>,
    group: String,
    event: String,
    /// The place, with its file's path, and the arguments.
    rest: String,
    /// Where that is in the source, if it isn't where it was written.
    source: Option<String>,
}

/// What a place begins with that is one of USDT.
const USDT: &str = "sdt_";

impl ProbeText {
    /// What somebody has written: several where that names places of USDT.
    pub(super) fn all(text: &str) -> Done<Vec<ProbeText>> {
        match usdt(text.trim()) {
            Some((file, provider, name)) => ProbeText::of_usdt(&file::find(file)?, provider, name),
            None => ProbeText::parse(text),
        }
    }

    /// The places of this name in a file, with all arguments that can be recorded.
    fn of_usdt(path: &str, provider: &str, name: &str) -> Done<Vec<ProbeText>> {
        let places = UsdtPlace::all(Path::new(path)).unwrap_or_default();
        let is_meant = |place: &UsdtPlace| (place.provider.as_str(), place.name.as_str()) == (provider, name);
        let of_place = |place: UsdtPlace| {
            let mut rest = format!("{path}:{:#x}", place.offset);
            if place.reference_counter != 0 {
                let _ = write!(rest, "({:#x})", place.reference_counter);
            }
            for (argument, number) in place.arguments.iter().zip(1..) {
                // One that can't be said has no field: its number is left out.
                let _ = argument.iter().try_for_each(|argument| write!(rest, " arg{number}={argument}"));
            }
            ProbeText {
                head: None,
                group: format!("{USDT}{provider}"),
                event: place.name,
                rest,
                source: None,
            }
        };
        let found: Vec<ProbeText> = places.into_iter().filter(is_meant).map(of_place).collect();
        if found.is_empty() {
            let why = format_args!(
                "no place {USDT}{provider}:{name} in {path}; `lookback list --usdt` lists those that there are"
            );
            return Err(Failure::failed(why));
        }
        Ok(found)
    }

    fn parse(text: &str) -> Done<Vec<ProbeText>> {
        let text = text.trim();
        let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let (head, place, arguments) = match is_head(first) {
            true => {
                let rest = rest.trim_start();
                let (place, arguments) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
                (Some(first.to_string()), place, arguments)
            }
            false => (None, first, rest),
        };
        let (name, inside) = split(place).ok_or_else(|| {
            Failure::failed(format_args!("{place:?} is no place: expected FILE:FUNC, or FILE:OFFSET"))
        })?;
        let path = file::find(name)?;
        let of_one = |ResolvedProbe { inside, arguments, named, source }: ResolvedProbe| {
            let (group, event) = names(&path, &named);
            let rest = format!("{path}:{inside} {arguments}").trim_end().to_string();
            ProbeText { head: head.clone(), group, event, rest, source }
        };
        Ok(resolve(&path, inside, arguments)?.into_iter().map(of_one).collect())
    }

    /// Where it is in the source, if it isn't where it was written.
    pub(super) fn source(&self) -> Option<&str> {
        self.source.as_deref()
    }

    /// Whether its event was given a name.
    pub(super) fn is_named(&self) -> bool {
        self.head.is_some()
    }

    /// The line: with a number after the event's name, for another than 0, if it was given none.
    pub(super) fn line(&self, number: usize) -> String {
        let ProbeText { head, group, event, rest, .. } = self;
        match (head, number) {
            (Some(head), _) => format!("{head} {rest}"),
            (None, 0) => format!("p:{group}/{event} {rest}"),
            (None, number) => format!("p:{group}/{event}_{number} {rest}"),
        }
    }
}

/// The file, provider and name of `FILE:sdt_PROVIDER:NAME`. None for anything else.
fn usdt(text: &str) -> Option<(&str, &str, &str)> {
    let (place, name) = text.rsplit_once(':')?;
    let (file, provider) = place.rsplit_once(':')?;
    let provider = provider.strip_prefix(USDT).filter(|_| !text.contains(char::is_whitespace))?;
    (!file.is_empty() && !name.is_empty()).then_some((file, provider, name))
}

/// Whether a word is the first one of a line of the kernel's grammar.
fn is_head(word: &str) -> bool {
    let name = |rest: &str| rest.is_empty() || rest.starts_with(':') && !rest.starts_with("::");
    let after = word.strip_prefix('p').or_else(|| {
        word.strip_prefix('r').map(|rest| rest.trim_start_matches(|letter: char| letter.is_ascii_digit()))
    });
    after.is_some_and(name)
}

/// The file of a place, and where in it.
pub(super) fn split(place: &str) -> Option<(&str, &str)> {
    let splits =
        place.match_indices(':').filter_map(|(at, _)| Some((place.get(..at)?, place.get(at + 1..)?)));
    let mut splits = splits.filter(|(file, inside)| !file.is_empty() && !inside.is_empty());
    let first = splits.next()?;
    // A path may have colons, and so may the names of functions.
    let existing = std::iter::once(first).chain(splits).find(|(file, _)| Path::new(file).is_file());
    Some(existing.unwrap_or(first))
}

/// The group and the event of a probe without a name, as perf names them.
fn names(path: &str, inside: &str) -> (String, String) {
    let plain = |text: &str| text.replace(|letter: char| !letter.is_ascii_alphanumeric(), "_");
    let file = path.rsplit('/').next().unwrap_or_default();
    let stem = file.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').next();
    let place = inside.split('(').next().unwrap_or_default();
    let (place, is_return) = place.strip_suffix(RETURN).map_or((place, false), |place| (place, true));
    let function = place.split('+').next().unwrap_or_default();
    let event = match function.starts_with(|first: char| first.is_ascii_digit()) {
        true => format!("abs_{}", plain(function.trim_start_matches("0x"))),
        false => plain(function),
    };
    let end = if is_return { "__return" } else { "" };
    // Names have 63 bytes at most, and a number may follow.
    let (group, event): (String, String) =
        (stem.unwrap_or_default().chars().take(50).collect(), event.chars().take(50).collect());
    (format!("probe_{group}"), format!("{event}{end}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_perf() {
        let names = |path, inside| {
            let (group, event) = names(path, inside);
            format!("{group}:{event}")
        };
        assert_eq!(names("/lib/libc.so.6", "malloc"), "probe_libc:malloc");
        assert_eq!(names("/lib/libc-2.36.so", "malloc%return"), "probe_libc:malloc__return");
        assert_eq!(names("/bin/shop", "0x113e(0x6182)"), "probe_shop:abs_113e");
        assert_eq!(names("/bin/shop", "pay+4"), "probe_shop:pay");
        assert_eq!(names("/bin/shop", "shop::pay"), "probe_shop:shop__pay");
    }

    #[test]
    fn a_place_of_usdt_has_a_file_a_provider_and_a_name() {
        assert_eq!(usdt("/bin/shop:sdt_shop:paid"), Some(("/bin/shop", "shop", "paid")));
        for text in
            ["sdt_shop:paid", "shop:pay", "shop::sdt_pay", "shop:sdt_shop: x", "p:a shop:sdt_shop:paid"]
        {
            assert_eq!(usdt(text), None, "{text}");
        }
    }

    #[test]
    fn a_line_of_the_kernels_begins_with_its_kind() {
        for word in ["p", "p:x", "p:a/b", "r", "r16", "r16:x"] {
            assert!(is_head(word), "{word}");
        }
        for word in ["perl:main", "ps:main", "redis:main", "r2d2:x", "./p:main", "p::x"] {
            assert!(!is_head(word), "{word}");
        }
    }
}
