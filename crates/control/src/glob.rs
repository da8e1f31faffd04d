//! Patterns of the shell, as the kernel's `set_event` takes them.

/// Whether `text` fits a pattern of the shell's: `*`, `?`, `[a-z]`, `[!a-z]`.
///
/// Async-signal-safe. Cost: at most the product of both lengths.
pub fn glob(pattern: &[u8], text: &[u8]) -> bool {
    let (mut pattern, mut text) = (pattern, text);
    // Where to go on when what is behind the last `*` does not fit: that, and the text that it was to fit.
    let mut again: Option<(&[u8], &[u8])> = None;
    while !(pattern.is_empty() && text.is_empty()) {
        if let [b'*', rest @ ..] = pattern {
            (pattern, again) = (rest, Some((rest, text)));
        } else if let Some(behind) = step(pattern, text) {
            (pattern, text) = behind;
        } else {
            // The `*` takes one letter more.
            let Some((rest, [_, shorter @ ..])) = again else { return false };
            (pattern, text, again) = (rest, shorter, Some((rest, shorter)));
        }
    }
    true
}

/// What is left of both behind the first letter, if it fits.
fn step<'a>(pattern: &'a [u8], text: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
    let (letter, text) = text.split_first()?;
    let (first, rest) = pattern.split_first()?;
    // A `]` right at the start belongs to the set.
    let end = rest.iter().skip(1).position(|byte| *byte == b']').filter(|_| *first == b'[');
    if let Some(end) = end {
        let behind = rest.get(end + 2..)?;
        return is_in(rest.get(..=end)?, *letter).then_some((behind, text));
    }
    (*first == b'?' || first == letter).then_some((rest, text))
}

/// Whether a letter is in the set between brackets.
fn is_in(set: &[u8], letter: u8) -> bool {
    let (negated, mut rest) = match set {
        [b'!' | b'^', rest @ ..] => (true, rest),
        set => (false, set),
    };
    let mut found = false;
    while let [first, others @ ..] = rest {
        if let [b'-', last, behind @ ..] = others {
            found |= (*first..=*last).contains(&letter);
            rest = behind;
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

    fn fits(pattern: &str, text: &str) -> bool {
        glob(pattern.as_bytes(), text.as_bytes())
    }

    #[test]
    fn patterns_fit_as_in_the_shell() {
        for (pattern, fitting, other) in [
            ("open*", "openat", "reopen"),
            ("*exit", "exit", "exits"),
            ("*a*b*c", "xaxbxxbxc", "xaxcxb"),
            ("?ead", "read", "ead"),
            ("p[or]*ll", "poll", "pull"),
            ("[!a-c]x", "dx", "bx"),
            ("[]x]y", "]y", "ay"),
            ("[a", "[a", "a"),
            ("", "", "a"),
            ("**a", "aa", "ab"),
        ] {
            assert!(fits(pattern, fitting), "{pattern} {fitting}");
            assert!(!fits(pattern, other), "{pattern} {other}");
        }
    }

    #[test]
    fn many_stars_take_no_time() {
        let pattern = "*a".repeat(50);
        assert!(!fits(&pattern, &"a".repeat(49)));
        assert!(fits(&pattern, &"a".repeat(3000)));
    }
}
