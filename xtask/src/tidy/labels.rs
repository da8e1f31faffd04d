//! Labels of instructions that a file has outside of functions are global: the compiler may put what names
//! them into another unit, as it does in release builds, and the linker would not find them there.

use super::finding::Finding;
use super::tree::Repository;

/// Labels of `global_asm!` that are not.
pub fn check(tree: &Repository) -> Vec<Finding> {
    tree.rust()
        .filter(|(_, text)| text.contains("global_asm!("))
        .flat_map(|(path, text)| check_file(path, text))
        .collect()
}

fn check_file(path: &str, text: &str) -> Vec<Finding> {
    let labels = text.lines().enumerate().filter_map(|(index, line)| Some((index, label(line)?)));
    labels
        .filter(|(_, label)| !is_global(text, label))
        .map(|(index, label)| Finding::new(path, index + 1, format!("{label} needs .globl")))
        .collect()
}

/// The name of the label that a line of instructions begins with, if one does that is no number.
fn label(line: &str) -> Option<&str> {
    let (name, _) = line.trim_start().strip_prefix('"')?.split_once(':')?;
    let is_letter = |letter: char| letter == '_' || letter.is_ascii_alphanumeric();
    (name.chars().all(is_letter) && name.starts_with(|first: char| !first.is_ascii_digit())).then_some(name)
}

fn is_global(text: &str, label: &str) -> bool {
    let globals = text.lines().filter_map(|line| line.trim_start().strip_prefix("\".globl "));
    globals.flat_map(|names| names.split([',', '"', ' '])).any(|name| name == label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_that_is_not_global_is_found() {
        let text = "global_asm!(\n    \".globl a, b\",\n    \"a:\",\n    \"b: ret\",\n    \"c: ret\",\n\
                    \"2:\",\n);";
        let found = check(&Repository::of(&[("a.rs", text)]));
        assert_eq!(found, [Finding::new("a.rs", 5, "c needs .globl")]);
    }
}
