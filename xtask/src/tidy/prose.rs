//! The words of a source or a document, one after the other.

/// A word.
#[derive(Debug, PartialEq, Eq)]
pub struct Word {
    /// Its letters, in lower case, or [`MARK`].
    pub text: String,
    /// The line, counted from 1.
    pub line: usize,
}

/// What is in place of punctuation: no phrase goes on over it.
const MARK: &str = ".";

/// What stands at the beginning of lines of comments, lists and quotations, and belongs to no sentence.
const MARGIN: [char; 6] = ['/', '!', '*', '#', '>', '-'];

/// The words of a text. Names are split into theirs (`is_here`, `IsHere`), and sentences go on over the
/// ends of lines, also in comments.
pub fn words(text: &str) -> Vec<Word> {
    let lines = text.lines().enumerate();
    lines
        .flat_map(|(index, line)| words_of_line(line).map(move |text| Word { text, line: index + 1 }))
        .collect()
}

fn words_of_line(line: &str) -> impl Iterator<Item = String> {
    let mut words = vec![String::new()];
    let mut letters = line.trim_start().trim_start_matches(MARGIN).chars().peekable();
    while let Some(letter) = letters.next() {
        let is_in_word = words.last().is_some_and(|word| !word.is_empty());
        let next = letters.peek().copied().unwrap_or(' ');
        match letter {
            _ if letter.is_alphanumeric() || (letter == '\'' && is_in_word && next.is_alphabetic()) => {
                words.last_mut().expect("one is there").extend(letter.to_lowercase());
                if letter.is_lowercase() && next.is_uppercase() {
                    words.push(String::new());
                }
            }
            '_' | '`' | '*' => words.push(String::new()),
            _ if letter.is_whitespace() => words.push(String::new()),
            _ => words.extend([MARK.to_string(), String::new()]),
        }
    }
    words.into_iter().filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> String {
        words(text).into_iter().map(|word| word.text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn names_and_comments_are_words() {
        assert_eq!(texts("fn is_here(isThere"), "fn is here . is there");
        assert_eq!(texts("    /// It isn't\n    /// there, 'a"), "it isn't there . . a");
        assert_eq!(texts("* **one** `two`\n  MORE_WORDS"), "one two more words");
    }

    #[test]
    fn lines_are_known() {
        let lines: Vec<usize> = words("a b\n\nc").iter().map(|word| word.line).collect();
        assert_eq!(lines, [1, 1, 3]);
    }
}
