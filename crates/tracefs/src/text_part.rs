//! Parts of texts, as read(2) asks for them.

/// Up to `len` bytes of a text from `offset` on.
pub(crate) fn text_part(text: &[u8], offset: u64, len: usize) -> Vec<u8> {
    let from = usize::try_from(offset).unwrap_or(usize::MAX).min(text.len());
    let rest = text.get(from..).unwrap_or_default();
    rest.get(..len).unwrap_or(rest).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_end_with_the_text() {
        assert_eq!(text_part(b"0123", 1, 2), b"12");
        assert_eq!(text_part(b"0123", 3, 9), b"3");
        assert_eq!(text_part(b"0123", 4, 9), b"");
        assert_eq!(text_part(b"0123", u64::MAX, 9), b"");
    }
}
