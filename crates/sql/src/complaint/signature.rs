//! Arguments that no form of a function takes.

/// What comes before the function with the kinds of its arguments, as the engine says it.
const NONE: &str = "No function matches the given name and argument types '";

/// The name of the function.
pub(super) fn name(text: &str) -> Option<&str> {
    let (_, given) = text.split_once(NONE)?;
    given.split('(').next()
}

/// What it was given and which forms there are, without the engine's own words on each.
pub(super) fn none_fits(text: &str) -> Option<String> {
    let (_, after) = text.split_once(NONE)?;
    let (given, after) = after.split_once('\'')?;
    let forms = after.split_once("Candidate functions:").map_or("", |(_, forms)| forms);
    // It writes a tab as two characters.
    let forms =
        forms.lines().map(|form| form.trim().trim_start_matches("\\t")).filter(|form| !form.is_empty());
    let forms: Vec<&str> = forms.collect();
    Some(format!("no function {given}; there is: {}", forms.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_are_in_one_line() {
        let text = "Failed.. No function matches the given name and argument types 'sum(Utf8)'. You might.\n\
                    \\tCandidate functions:\n\\tsum(Decimal)\n\\tsum(UInt64)";
        assert_eq!(none_fits(text).unwrap(), "no function sum(Utf8); there is: sum(Decimal), sum(UInt64)");
        assert_eq!(name(text), Some("sum"));
        assert_eq!(none_fits("another"), None);
    }
}
