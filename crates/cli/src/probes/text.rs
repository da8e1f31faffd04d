//! Definitions as people write them, as lines of the kernel's grammar.

use super::file;
use crate::failure::{Done, Failure};

/// A definition: what stands before its name, the name, and the rest.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ProbeText {
    /// The first word, if it was given.
    head: Option<String>,
    group: String,
    event: String,
    /// The place, with its file's path, and the arguments.
    rest: String,
}

/// The end of a place that means returns.
const RETURN: &str = "%return";

impl ProbeText {
    /// What somebody has written.
    pub(super) fn parse(text: &str) -> Done<ProbeText> {
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
        let (group, event) = names(&path, inside);
        let rest = format!("{path}:{inside} {}", arguments.trim());
        Ok(ProbeText { head, group, event, rest: rest.trim_end().to_string() })
    }

    /// Whether its event was given a name.
    pub(super) fn is_named(&self) -> bool {
        self.head.is_some()
    }

    /// The line: with a number after the event's name, for another than 0, if it was given none.
    pub(super) fn line(&self, number: usize) -> String {
        let ProbeText { head, group, event, rest } = self;
        match (head, number) {
            (Some(head), _) => format!("{head} {rest}"),
            (None, 0) => format!("p:{group}/{event} {rest}"),
            (None, number) => format!("p:{group}/{event}_{number} {rest}"),
        }
    }
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
fn split(place: &str) -> Option<(&str, &str)> {
    let splits =
        place.match_indices(':').filter_map(|(at, _)| Some((place.get(..at)?, place.get(at + 1..)?)));
    let mut splits = splits.filter(|(file, inside)| !file.is_empty() && !inside.is_empty());
    let first = splits.next()?;
    // A path may have colons, and so may the names of functions.
    let existing =
        std::iter::once(first).chain(splits).find(|(file, _)| std::path::Path::new(file).is_file());
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
    fn a_line_of_the_kernels_begins_with_its_kind() {
        for word in ["p", "p:x", "p:a/b", "r", "r16", "r16:x"] {
            assert!(is_head(word), "{word}");
        }
        for word in ["perl:main", "ps:main", "redis:main", "r2d2:x", "./p:main", "p::x"] {
            assert!(!is_head(word), "{word}");
        }
    }
}
