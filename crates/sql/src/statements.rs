//! Several queries in one text.

use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::tokenizer::{Token, Tokenizer};

/// The queries between semicolons. A text that is no SQL is one query: the engine says what is wrong.
pub fn split(text: &str) -> Vec<String> {
    let Ok(tokens) = Tokenizer::new(&GenericDialect {}, text).with_unescape(false).tokenize() else {
        return vec![text.to_owned()];
    };
    let mut queries = vec![String::new()];
    for token in tokens {
        match token {
            Token::SemiColon => queries.push(String::new()),
            token => {
                if let Some(query) = queries.last_mut() {
                    query.push_str(&token.to_string());
                }
            }
        }
    }
    queries.retain(|query| !is_blank(query));
    queries
}

/// Whether there is nothing but comments.
fn is_blank(query: &str) -> bool {
    let tokens = Tokenizer::new(&GenericDialect {}, query).tokenize();
    tokens.is_ok_and(|tokens| tokens.iter().all(|token| matches!(token, Token::Whitespace(_))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn semicolons_in_strings_end_nothing() {
        let text = "SELECT ';' AS a; -- one; two\n SELECT 'it''s', \"x;y\" FROM t;\n-- end\n";
        let queries = split(text);
        assert_eq!(queries.len(), 2, "{queries:?}");
        assert_eq!(queries[0], "SELECT ';' AS a");
        assert!(queries[1].contains("SELECT 'it''s', \"x;y\" FROM t"), "{queries:?}");
        assert_eq!(split(" ;; ").len(), 0);
        assert_eq!(split("SELECT 'open"), ["SELECT 'open"]);
    }
}
