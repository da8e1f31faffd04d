//! Control characters in what programs have named, so that it can be shown on a terminal.
//!
//! The kernel's text has them as they are: a thread's name with a line end in it makes a second line, which
//! looks like an event. `ls -b` shows them as C does.

use std::borrow::Cow;
use std::io::Write;

/// `text`, with control characters as C writes them: `\n`, `\t`, `\r`, others as `\033`.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(is_suspect) {
        return Cow::Borrowed(text);
    }
    let mut bytes = text.as_bytes().to_vec();
    escape(&mut bytes, 0);
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

/// Makes all bytes from `start` on printable; some of them may be no text.
///
/// Cost: a look at each byte, where all are ASCII.
pub(super) fn escape(line: &mut Vec<u8>, start: usize) {
    if !line[start..].iter().copied().any(is_suspect) {
        return;
    }
    let raw = line.split_off(start);
    for chunk in raw.utf8_chunks() {
        for letter in chunk.valid().chars() {
            put(letter, line);
        }
        for byte in chunk.invalid() {
            match byte {
                // A terminal that takes each byte for a letter obeys these.
                0x80..=0x9f => octal(*byte, line),
                _ => line.push(*byte),
            }
        }
    }
}

/// Whether it may be part of a control character.
fn is_suspect(byte: u8) -> bool {
    !(b' '..0x7f).contains(&byte)
}

fn put(letter: char, line: &mut Vec<u8>) {
    let mut bytes = [0; 4];
    let text = letter.encode_utf8(&mut bytes);
    match letter {
        '\n' => line.extend_from_slice(b"\\n"),
        '\t' => line.extend_from_slice(b"\\t"),
        '\r' => line.extend_from_slice(b"\\r"),
        _ if letter.is_control() => text.bytes().for_each(|byte| octal(byte, line)),
        _ => line.extend_from_slice(text.as_bytes()),
    }
}

fn octal(byte: u8, line: &mut Vec<u8>) {
    // Writing into a vector can't fail.
    let _ = write!(line, "\\{byte:03o}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        assert_eq!(printable("cat"), "cat");
        assert_eq!(printable("a\nb\tc\rd\x1b[31m\x7f"), "a\\nb\\tc\\rd\\033[31m\\177");
        assert_eq!(printable("h\u{e9}llo \u{2713} \\"), "h\u{e9}llo \u{2713} \\");
        assert_eq!(printable("\u{9b}31m"), "\\302\\23331m");
        let mut line = b"\nx: \xff\x9b\xc3\xa9\n".to_vec();
        escape(&mut line, 1);
        assert_eq!(line, b"\nx: \xff\\233\xc3\xa9\\n");
    }
}
