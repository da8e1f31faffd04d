//! The tokens of a print format.

use super::{PrintError, unescape};

/// A token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A name or keyword.
    Name(&'a str),
    /// An integer constant, and what its suffix says.
    Number { value: u64, unsigned: bool, long: bool },
    /// A string, its escapes replaced.
    Text(String),
    /// An operator or another sign, `->` and `<<` being one each.
    Sign(&'static str),
    /// After the last token.
    End,
}

/// Signs, longer ones before those they start with.
const SIGNS: [&str; 31] = [
    "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "(", ")", "[", "]", "{", "}", ",", "?", ":", "+",
    "-", "*", "/", "%", "&", "|", "^", "~", "!", "<", ">", ".",
];

/// Takes tokens off a text.
#[derive(Debug, Clone)]
pub(super) struct Tokens<'a> {
    text: &'a str,
    position: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str) -> Tokens<'a> {
        Tokens { text, position: 0 }
    }

    /// The next token, without taking it.
    pub(super) fn peek(&self) -> Result<Token<'a>, PrintError> {
        self.clone().next()
    }

    /// Takes the next token.
    pub(super) fn next(&mut self) -> Result<Token<'a>, PrintError> {
        let rest = self.text[self.position..].trim_start();
        self.position = self.text.len() - rest.len();
        let Some(first) = rest.chars().next() else {
            return Ok(Token::End);
        };
        match first {
            '"' => self.text_token(rest).map(Token::Text),
            '\'' => self.character(rest),
            '0'..='9' => self.number(rest),
            _ if first.is_alphanumeric() || first == '_' => Ok(Token::Name(self.word(rest))),
            _ => self.sign(rest),
        }
    }

    /// An error at the current place.
    pub(super) fn error(&self, reason: impl Into<String>) -> PrintError {
        PrintError { position: self.position, reason: reason.into() }
    }

    fn word(&mut self, rest: &'a str) -> &'a str {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        self.position += end;
        &rest[..end]
    }

    fn sign(&mut self, rest: &'a str) -> Result<Token<'a>, PrintError> {
        let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) else {
            return Err(self.error("a character that C doesn't know"));
        };
        self.position += sign.len();
        Ok(Token::Sign(sign))
    }

    fn text_token(&mut self, rest: &'a str) -> Result<String, PrintError> {
        let inside = &rest[1..];
        let mut escaped = false;
        let end = inside.find(|c: char| {
            let found = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            found
        });
        let end = end.ok_or_else(|| self.error("a string without an end"))?;
        self.position += end + 2;
        Ok(unescape(&inside[..end]))
    }

    /// A character constant is a number. More between single quotes is a string without escapes, as
    /// libtraceevent has it: so names can have double quotes.
    fn character(&mut self, rest: &'a str) -> Result<Token<'a>, PrintError> {
        let inside = &rest[1..];
        let length = if inside.starts_with('\\') { 2 } else { 1 };
        let Some(value) = inside.get(..length).filter(|_| inside[length..].starts_with('\'')) else {
            let end = inside.find('\'').filter(|end| *end > 0);
            let end = end.ok_or_else(|| self.error("a single quote without another"))?;
            self.position += end + 2;
            return Ok(Token::Text(inside[..end].to_string()));
        };
        let value = unescape(value);
        self.position += length + 2;
        Ok(Token::Number { value: u64::from(value.as_bytes()[0]), unsigned: false, long: false })
    }

    fn number(&mut self, rest: &'a str) -> Result<Token<'a>, PrintError> {
        let word = self.word(rest);
        let digits = word.trim_end_matches(['u', 'U', 'l', 'L']);
        let suffix = &word[digits.len()..];
        let value = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
            Some(hex) => u64::from_str_radix(hex, 16),
            None if digits.len() > 1 && digits.starts_with('0') => u64::from_str_radix(digits, 8),
            None => digits.parse(),
        };
        let value = value.map_err(|_| self.error(format!("no number: {word}")))?;
        let unsigned = suffix.contains(['u', 'U']);
        Ok(Token::Number { value, unsigned, long: suffix.contains(['l', 'L']) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Result<Vec<Token<'_>>, PrintError> {
        let mut tokens = Tokens::new(text);
        let mut all = Vec::new();
        loop {
            match tokens.next()? {
                Token::End => return Ok(all),
                token => all.push(token),
            }
        }
    }

    fn number(value: u64, unsigned: bool, long: bool) -> Token<'static> {
        Token::Number { value, unsigned, long }
    }

    #[test]
    fn single_quotes_have_a_character_or_a_string() {
        let found = tokens(r#"'a' 'paid "twice"' 'C:\temp' "\303\251\042""#).unwrap();
        let text = |text: &str| Token::Text(text.to_string());
        let character = Token::Number { value: 97, unsigned: false, long: false };
        assert_eq!(found, [character, text("paid \"twice\""), text(r"C:\temp"), text("\u{e9}\"")]);
        assert!(tokens("''").is_err() && tokens("'ab").is_err());
    }

    #[test]
    fn tokens_of_a_print_format() {
        let found = tokens("\"a\\n\\\"\", REC->x>>010 & 0x1fUL, 'c' '\\n'").unwrap();
        let expected = [
            Token::Text("a\n\"".to_owned()),
            Token::Sign(","),
            Token::Name("REC"),
            Token::Sign("->"),
            Token::Name("x"),
            Token::Sign(">>"),
            number(8, false, false),
            Token::Sign("&"),
            number(31, true, true),
            Token::Sign(","),
            number(99, false, false),
            number(10, false, false),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn errors_have_a_place() {
        assert_eq!(tokens("a \"b").unwrap_err().position, 2);
        assert_eq!(tokens("a @").unwrap_err().position, 2);
        assert!(tokens("0x").is_err());
        assert!(tokens("'").is_err());
    }
}
