//! How wide lines of tables may be.

use std::borrow::Cow;

/// The columns of a line on standard output: what `COLUMNS` says, else what the terminal has. `None` where it
/// is none: a file or a pipe gets all of a line.
pub(crate) fn columns() -> Option<usize> {
    let said = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let shown = || rustix::termios::tcgetwinsize(std::io::stdout()).ok().map(|size| usize::from(size.ws_col));
    said.or_else(shown).filter(|columns| *columns > 0)
}

/// What marks the place of what was left out.
const LEFT_OUT: &str = "...";

/// A text without its end where it is longer than `width` characters.
pub(crate) fn without_end(text: &str, width: usize) -> Cow<'_, str> {
    if text.chars().count() <= width || width <= LEFT_OUT.len() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().take(width - LEFT_OUT.len()).chain(LEFT_OUT.chars()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_is_marked() {
        assert_eq!(
            (without_end("abcdefgh", 8), without_end("abcdefgh", 7)),
            ("abcdefgh".into(), "abcd...".into())
        );
        assert_eq!((without_end("ééééé", 4), without_end("abcd", 3)), ("é...".into(), "abcd".into()));
    }
}
