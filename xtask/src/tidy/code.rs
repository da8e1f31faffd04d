//! Rust source without what is no code: comments, and what strings and characters hold.

/// What the walk over a source is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LexerState {
    Code,
    LineComment,
    /// How many are open.
    BlockComment(usize),
    String,
    /// How many `#` end it.
    RawString(usize),
}

/// The numbers, from 0, of the lines that begin within a string.
pub fn lines_in_strings(text: &str) -> Vec<usize> {
    let letters: Vec<char> = text.chars().collect();
    let (mut state, mut at, mut line) = (LexerState::Code, 0, 0);
    let mut found = Vec::new();
    while at < letters.len() {
        let (next, len) = step(state, &letters, at);
        for _ in letters[at..].iter().take(len).filter(|letter| **letter == '\n') {
            line += 1;
            if matches!(next, LexerState::String | LexerState::RawString(_)) {
                found.push(line);
            }
        }
        (state, at) = (next, at + len);
    }
    found
}

/// The source with blanks in place of what is no code. Lines stay lines.
pub fn code(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut state = LexerState::Code;
    let mut at = 0;
    while at < letters.len() {
        let (next, len) = step(state, &letters, at);
        let keeps = state == LexerState::Code && next == LexerState::Code && len == 1;
        for letter in &letters[at..(at + len).min(letters.len())] {
            out.push(if keeps || *letter == '\n' { *letter } else { ' ' });
        }
        state = next;
        at += len;
    }
    out
}

/// The state after the next letters, and how many of them that are.
fn step(state: LexerState, letters: &[char], at: usize) -> (LexerState, usize) {
    let rest = &letters[at..];
    match (state, rest) {
        (LexerState::Code, ['/', '/', ..]) => (LexerState::LineComment, 2),
        (LexerState::Code, ['/', '*', ..]) => (LexerState::BlockComment(1), 2),
        (LexerState::Code, ['"', ..]) => (LexerState::String, 1),
        (LexerState::Code, ['r', ..]) if !is_in_name(letters, at) => raw_string(rest),
        (LexerState::Code, ['\'', ..]) => (LexerState::Code, character(rest)),
        (LexerState::LineComment, ['\n', ..]) => (LexerState::Code, 1),
        (LexerState::BlockComment(depth), ['/', '*', ..]) => (LexerState::BlockComment(depth + 1), 2),
        (LexerState::BlockComment(1), ['*', '/', ..]) => (LexerState::Code, 2),
        (LexerState::BlockComment(depth), ['*', '/', ..]) => (LexerState::BlockComment(depth - 1), 2),
        (LexerState::String, ['\\', _, ..]) => (LexerState::String, 2),
        (LexerState::String, ['"', ..]) => (LexerState::Code, 1),
        (LexerState::RawString(marks), ['"', after @ ..]) if count_marks(after) >= marks => {
            (LexerState::Code, 1 + marks)
        }
        _ => (state, 1),
    }
}

/// Whether the letter at `at` goes on a name. `br"..."` and `cr"..."` are raw strings, too.
fn is_in_name(letters: &[char], at: usize) -> bool {
    let is_part =
        |index: usize| letters.get(index).is_some_and(|letter| letter.is_alphanumeric() || *letter == '_');
    let Some(before) = at.checked_sub(1).filter(|before| is_part(*before)) else { return false };
    !matches!(letters[before], 'b' | 'c') || before.checked_sub(1).is_some_and(is_part)
}

/// What an `r` starts: a raw string or a name.
fn raw_string(rest: &[char]) -> (LexerState, usize) {
    let marks = count_marks(&rest[1..]);
    if rest.get(1 + marks) == Some(&'"') {
        (LexerState::RawString(marks), 2 + marks)
    } else {
        (LexerState::Code, 1)
    }
}

fn count_marks(letters: &[char]) -> usize {
    letters.iter().take_while(|letter| **letter == '#').count()
}

/// Letters of what a `'` starts: a character, or a lifetime of which only the quote is taken.
fn character(rest: &[char]) -> usize {
    match rest {
        ['\'', '\\', _, after @ ..] => {
            3 + after.iter().position(|letter| *letter == '\'').map_or(0, |end| end + 1)
        }
        ['\'', _, '\'', ..] => 3,
        _ => 1,
    }
}

/// The comments and attributes directly above line `index`, the nearest first, without what they are indented
/// by.
pub fn comments_above<'a>(lines: &'a [&'a str], index: usize) -> impl Iterator<Item = &'a str> {
    let above = lines[..index].iter().rev().map(|line| line.trim_start());
    above.take_while(|line| line.starts_with("//") || line.starts_with("#["))
}

/// Where a line of code has `word`, as a word of its own.
pub fn has_word(line: &str, word: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    line.match_indices(word).any(|(place, _)| {
        !line[..place].chars().next_back().is_some_and(is_part)
            && !line[place + word.len()..].chars().next().is_some_and(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_code_is_left() {
        let cases = [
            ("a // b", "a     "),
            ("a /* b /* c */ d */ e", "a                   e"),
            ("a(\"b \\\" c\")", "a(         )".trim_end()),
            ("r#\"a \"b\" \"# c", "            c"),
            ("br\"a\" 'b' '\\'' &'a c", "b                &'a c"),
        ];
        for (source, expected) in cases {
            let found = code(source);
            assert_eq!(found.len(), source.len(), "{source}");
            assert_eq!(found.replace([' ', '"'], ""), expected.replace([' ', '"'], ""), "{source}");
        }
    }

    #[test]
    fn lines_stay() {
        let source = "let a = \"x\n unsafe y\";\n/* unsafe\n */ unsafe {}\n";
        let found = code(source);
        let lines: Vec<bool> = found.lines().map(|line| has_word(line, "unsafe")).collect();
        assert_eq!(lines, [false, false, false, true]);
    }

    #[test]
    fn lines_of_data_are_known() {
        assert_eq!(lines_in_strings("a(\n\"b\nc\", r#\"\nd\"\n\"#);\n\"e\"\n"), [2, 3, 4]);
        assert_eq!(lines_in_strings("\"a \\\n b\";\n"), [1]);
    }

    #[test]
    fn a_word_is_not_a_part_of_one() {
        assert!(has_word("x unsafe{", "unsafe"));
        assert!(!has_word("forbid(unsafe_code)", "unsafe") && !has_word("notunsafe", "unsafe"));
    }
}
