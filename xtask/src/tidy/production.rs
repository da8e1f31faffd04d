//! Source that is compiled into what is shipped: no comments, no tests.

use super::code::code;
use super::tree::Repository;

/// The production sources of the crates, each as its path and its code.
pub fn production(tree: &Repository) -> impl Iterator<Item = (&str, String)> {
    tree.rust().filter(|(path, _)| is_production(path)).map(|(path, text)| (path, code_of(text)))
}

/// Whether a file is production source of a crate.
pub fn is_production(path: &str) -> bool {
    path.contains("/src/") && !path.ends_with("tests.rs") && !path.contains("/tests/")
}

/// The code of a source, with blanks in place of comments, strings and items that only tests have. Lines stay
/// lines.
pub fn code_of(text: &str) -> String {
    let code = code(text);
    let mut out = String::with_capacity(code.len());
    let mut rest = code.as_str();
    while let Some(start) = rest.find("#[cfg(") {
        let (before, item) = rest.split_at(start);
        let attribute = item.split(']').next().unwrap_or(item);
        let len = if is_for_tests(attribute) { item_len(item) } else { attribute.len() };
        let (item, after) = item.split_at(len);
        out.push_str(before);
        match is_for_tests(attribute) {
            true => out.extend(item.chars().map(|letter| if letter == '\n' { '\n' } else { ' ' })),
            false => out.push_str(item),
        }
        rest = after;
    }
    out + rest
}

fn is_for_tests(attribute: &str) -> bool {
    attribute == "#[cfg(test)" || attribute.starts_with("#[cfg(all(test,")
}

/// Bytes of an item, up to the end of its braces, or its semicolon.
fn item_len(item: &str) -> usize {
    let mut depth = 0_usize;
    for (at, letter) in item.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 1 => return at + 1,
            '}' => depth = depth.saturating_sub(1),
            ';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    item.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_and_comments_are_no_production() {
        let text = "use a; // b\n#[cfg(test)]\nmod tests {\n    fn f() {}\n}\n#[cfg(test)]\nuse c;\n\
                    #[cfg(unix)]\nuse d;\n";
        let code = code_of(text);
        assert_eq!(code.lines().count(), text.lines().count());
        assert_eq!(code.split_whitespace().collect::<String>(), "usea;#[cfg(unix)]used;");
    }

    #[test]
    fn files_of_tests_are_no_production() {
        assert!(is_production("crates/a/src/b/c.rs"));
        assert!(!is_production("crates/a/src/b/c_tests.rs") && !is_production("crates/a/tests/src.rs"));
    }
}
