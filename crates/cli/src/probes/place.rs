//! Where a probe is to be, as people write it.

/// The end of a place that means returns.
pub(super) const RETURN: &str = "%return";

/// A place in a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PlaceText {
    /// An offset in the file.
    Offset(u64),
    /// An instruction of a function.
    Function { name: String, offset: u64 },
    /// A line of a source file; or of a function, counted from where that is declared.
    Line { of: String, line: u64 },
}

impl PlaceText {
    /// What a text says: without `%return`, and without a reference counter. None for one that is no place.
    pub(super) fn parse(text: &str) -> Option<PlaceText> {
        if text.starts_with(|first: char| first.is_ascii_digit()) {
            return Some(PlaceText::Offset(number(text)?));
        }
        let line = text.rsplit_once(':').filter(|(of, _)| !of.is_empty() && !of.ends_with(':'));
        if let Some((of, line)) = line.and_then(|(of, line)| Some((of, line.parse().ok()?))) {
            return Some(PlaceText::Line { of: of.to_string(), line });
        }
        match text.split_once('+') {
            Some((name, offset)) => {
                Some(PlaceText::Function { name: name.to_string(), offset: number(offset)? })
            }
            None => Some(PlaceText::Function { name: text.to_string(), offset: 0 }),
        }
    }
}

fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_offsets_functions_and_lines() {
        let function = |name: &str, offset| Some(PlaceText::Function { name: name.to_string(), offset });
        let line = |of: &str, line| Some(PlaceText::Line { of: of.to_string(), line });
        assert_eq!(PlaceText::parse("0x10"), Some(PlaceText::Offset(16)));
        assert_eq!(PlaceText::parse("pay"), function("pay", 0));
        assert_eq!(PlaceText::parse("shop::pay+0x12"), function("shop::pay", 18));
        assert_eq!(PlaceText::parse("src/shop.c:14"), line("src/shop.c", 14));
        assert_eq!(PlaceText::parse("shop::pay:3"), line("shop::pay", 3));
        assert_eq!((PlaceText::parse("pay+x"), PlaceText::parse("0xg")), (None, None));
    }
}
