//! Names of Rust, as `-C symbol-mangling-version=legacy` makes them.
//!
//! Source: `rustc_symbol_mangling/src/legacy.rs` of Rust 1.88.

use super::mangled_text::MangledText;
use super::suffix;
use super::text::PathText;

/// Appends the path of a function; `symbol` is its name after `_Z`. None for a name of C++.
pub(super) fn path(symbol: &[u8], text: &mut PathText) -> Option<()> {
    let mut cursor = MangledText::new(symbol);
    cursor.take(b"N").then_some(())?;
    loop {
        let name = cursor.source_name()?;
        if cursor.take(b"E") {
            let is_hash = name.len() == 17
                && name.strip_prefix(b"h").is_some_and(|hash| hash.iter().all(u8::is_ascii_hexdigit));
            return if is_hash { text.push(suffix(cursor.rest())) } else { None };
        }
        component(name, text)?;
    }
}

/// A name of the path. One in angle brackets is of what functions are implemented for:
///
/// ```text
/// <TYPE as TRAIT>    TYPE
/// <impl TYPE>        TYPE, and nothing before it
/// <impl TRAIT for TYPE>
/// ```
fn component(name: &[u8], text: &mut PathText) -> Option<()> {
    // A name may begin with no dollar.
    let name = name.strip_prefix(b"_").filter(|rest| rest.starts_with(b"$")).unwrap_or(name);
    let mut chars = Chars { rest: name, is_in_colons: false };
    let is_type = name.starts_with(b"$LT$");
    text.separate()?;
    let (mut start, mut word) = (text.len(), text.len());
    // How many brackets are open, and how many of them are not in the path.
    let (mut depth, mut hidden) = (0_u32, 0_u32);
    let mut before = 0;
    while let Some(char) = chars.next() {
        let char = char?;
        let is_arrow = matches!(before, b'-' | b'.');
        before = char;
        match char {
            b'<' => {
                depth += 1;
                let is_outermost = is_type && depth == 1;
                hidden += u32::from(!is_outermost && (hidden > 0 || text.len() > start));
            }
            b'>' if !is_arrow => {
                depth = depth.checked_sub(1)?;
                hidden = hidden.saturating_sub(1);
            }
            _ if hidden > 0 => (),
            b' ' => match text.after(word) {
                b"impl" => {
                    text.truncate(0);
                    (start, word) = (0, 0);
                }
                b"for" => {
                    text.truncate(start);
                    word = start;
                }
                b"as" => {
                    text.truncate(word);
                    break;
                }
                b"mut" | b"const" | b"dyn" => text.truncate(word),
                _ => word = text.len(),
            },
            b'&' | b'*' if text.len() == word => (),
            b'[' if is_type && text.len() == word => {
                text.push(b"slice")?;
                pass_over(&mut chars, b'[', b']')?;
            }
            b'(' if is_type && text.len() == word => {
                text.push(b"tuple")?;
                pass_over(&mut chars, b'(', b')')?;
            }
            _ => text.push(&[char])?,
        }
    }
    Some(())
}

/// Passes over what comes before the bracket that closes the one which was just read.
fn pass_over(chars: &mut Chars<'_>, open: u8, close: u8) -> Option<()> {
    let mut depth = 1_u32;
    while depth > 0 {
        let char = chars.next()??;
        depth = depth.saturating_add(u32::from(char == open)).saturating_sub(u32::from(char == close));
    }
    Some(())
}

/// The characters of a name. None in place of one that is no ASCII.
struct Chars<'a> {
    rest: &'a [u8],
    /// Whether the first half of `..` was read, which stands for `::`.
    is_in_colons: bool,
}

impl Iterator for Chars<'_> {
    type Item = Option<u8>;

    fn next(&mut self) -> Option<Option<u8>> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        if *first == b'.' {
            let is_second = self.is_in_colons;
            self.is_in_colons = !is_second && rest.first() == Some(&b'.');
            return Some(Some(if is_second || self.is_in_colons { b':' } else { b'.' }));
        }
        if *first != b'$' {
            return Some(Some(*first));
        }
        let end = rest.iter().position(|byte| *byte == b'$')?;
        let code = rest.get(..end)?;
        self.rest = rest.get(end + 1..)?;
        Some(escaped(code))
    }
}

/// What stands for a character that linkers don't take.
fn escaped(code: &[u8]) -> Option<u8> {
    Some(match code {
        b"SP" => b'@',
        b"BP" => b'*',
        b"RF" => b'&',
        b"LT" => b'<',
        b"GT" => b'>',
        b"LP" => b'(',
        b"RP" => b')',
        b"C" => b',',
        [b'u', high, low] => hex(*high)? << 4 | hex(*low)?,
        _ => return None,
    })
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|digit| digit as u8)
}
