//! How wide lines of tables may be.

use std::borrow::Cow;
use std::sync::OnceLock;

/// The columns of a line on standard output: what `COLUMNS` says, else what the terminal has. `None` where it
/// is none: a file or a pipe gets all of a line.
pub(crate) fn columns() -> Option<usize> {
    *COLUMNS.get_or_init(shown_columns)
}

/// What [`columns`] says: asked for once, as a pager may be between the terminal and us later.
static COLUMNS: OnceLock<Option<usize>> = OnceLock::new();

fn shown_columns() -> Option<usize> {
    let said = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let shown = || rustix::termios::tcgetwinsize(std::io::stdout()).ok().map(|size| usize::from(size.ws_col));
    said.or_else(shown).filter(|columns| *columns > 0)
}

/// What marks the place of what was left out.
const LEFT_OUT: &str = "...";

/// The characters that a shortened text has at least, on however narrow a terminal.
const MOST_NARROW: usize = 10;

/// Shortens the widest columns until the line is no longer than it may be; `rest` is what else is in it.
pub(crate) fn fit(widths: &mut [usize], rest: usize) {
    let Some(columns) = columns() else { return };
    let available = columns.saturating_sub(rest);
    while widths.iter().sum::<usize>() > available
        && let Some(widest) = widths.iter_mut().max().filter(|widest| **widest > MOST_NARROW)
    {
        *widest -= 1;
    }
}

/// A text without its end where it is longer than `width` characters.
pub(crate) fn without_end(text: &str, width: usize) -> Cow<'_, str> {
    shortened(text, width, width.saturating_sub(LEFT_OUT.len()))
}

/// A text without its middle where it is longer than `width` characters.
pub(crate) fn without_middle(text: &str, width: usize) -> Cow<'_, str> {
    shortened(text, width, width.saturating_sub(LEFT_OUT.len()).div_ceil(2))
}

/// With `first` characters of the start, and of the end as many as fit.
fn shortened(text: &str, width: usize, first: usize) -> Cow<'_, str> {
    let length = text.chars().count();
    if length <= width || width <= LEFT_OUT.len() {
        return Cow::Borrowed(text);
    }
    let last = width - LEFT_OUT.len() - first;
    let start = text.chars().take(first);
    Cow::Owned(start.chain(LEFT_OUT.chars()).chain(text.chars().skip(length - last)).collect())
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
        assert_eq!(without_middle("abcdefgh", 7), "ab...gh");
        assert_eq!(without_middle("abcdefgh", 8), "abcdefgh");
        assert_eq!((without_end("ééééé", 4), without_end("abcd", 3)), ("é...".into(), "abcd".into()));
    }
}
