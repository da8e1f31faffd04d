//! Which events a pattern means.

/// Whether the event `system`:`name` is one of those that `pattern` means: `SYSTEM:EVENT`, or one of the two,
/// with the shell's `*`, `?` and `[...]`. Nothing in place of either is `*`.
pub fn selects(pattern: &str, system: &str, name: &str) -> bool {
    let fits = |part: &str, name| part.is_empty() || glob(part, name);
    match pattern.split_once(':') {
        Some((of, event)) => fits(of, system) && fits(event, name),
        None => glob(pattern, system) || glob(pattern, name),
    }
}

/// Whether `text` fits a pattern of the shell's: `*`, `?`, `[a-z]`, `[!a-z]`.
///
/// Takes time proportional to the product of their lengths at most.
pub fn glob(pattern: &str, text: &str) -> bool {
    let (mut pattern, mut text) = (pattern.as_bytes(), text.as_bytes());
    // What is after the last star, and the text that it is tried on next.
    let mut again: Option<(&[u8], &[u8])> = None;
    loop {
        if let ([], []) = (pattern, text) {
            return true;
        }
        if let [b'*', rest @ ..] = pattern {
            again = Some((rest, text));
            pattern = rest;
        } else if let Some(rest) = letter(pattern, text) {
            (pattern, text) = rest;
        } else if let Some((rest, [_, more @ ..])) = again {
            again = Some((rest, more));
            (pattern, text) = (rest, more);
        } else {
            return false;
        }
    }
}

/// What remains of both when the pattern's first letter, or set of letters, fits the text's.
fn letter<'p, 't>(pattern: &'p [u8], text: &'t [u8]) -> Option<(&'p [u8], &'t [u8])> {
    let (first, after) = text.split_first()?;
    let (wanted, rest) = pattern.split_first()?;
    // A bracket that is first in a set belongs to it.
    let set_end = || rest.iter().skip(1).position(|end| *end == b']').map(|end| end + 1);
    let (fits, rest) = match wanted {
        b'?' => (true, rest),
        b'[' => match set_end() {
            Some(end) => (is_in(rest.get(..end)?, *first), rest.get(end + 1..)?),
            None => (*first == b'[', rest),
        },
        letter => (letter == first, rest),
    };
    fits.then_some((rest, after))
}

/// Whether a letter is in the set between brackets.
fn is_in(set: &[u8], letter: u8) -> bool {
    let (negated, set) = match set {
        [b'!' | b'^', rest @ ..] => (true, rest),
        set => (false, set),
    };
    let mut rest = set;
    let mut found = false;
    while let [first, others @ ..] = rest {
        if let [b'-', last, after @ ..] = others {
            found |= (*first..=*last).contains(&letter);
            rest = after;
        } else {
            found |= *first == letter;
            rest = others;
        }
    }
    found != negated
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_the_shells() {
        for (pattern, text) in [
            ("", ""),
            ("*", ""),
            ("a*b*c", "aXbbXc"),
            ("*_exit", "read_exit_exit"),
            ("?ead", "read"),
            ("p[or]*ll", "poll"),
            ("*a*b*c", "xaxbxxbxc"),
            ("[a", "[a"),
            ("**a", "aa"),
            ("[!a-c]*", "read"),
            ("[]]", "]"),
            ("[", "["),
        ] {
            assert!(glob(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in
            [("", "a"), ("?", ""), ("a*b", "aXc"), ("[!a-r]*", "read"), ("[a]", ""), ("*a", "b")]
        {
            assert!(!glob(pattern, text), "{pattern} {text}");
        }
        let (pattern, text) = ("*a".repeat(50), "a".repeat(1000) + "b");
        assert!(!glob(&pattern, &text), "in no time");
    }

    #[test]
    fn either_part_may_be_missing() {
        assert!(selects("app", "app", "x") && selects("x", "app", "x") && !selects("y", "app", "x"));
        assert!(selects("app:", "app", "x") && selects(":x", "app", "x") && !selects("app:y", "app", "x"));
    }
}
