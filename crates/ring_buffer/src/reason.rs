//! Why a snapshot was taken, in the words of the program.

use abi::origin::REASON;

/// A short text, with zeros after it. What doesn't fit is cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reason([u8; REASON]);

impl Default for Reason {
    fn default() -> Reason {
        Reason([0; REASON])
    }
}

impl Reason {
    /// A reason of these parts, one after the other, up to the first zero byte of each.
    pub fn of(parts: &[&[u8]]) -> Reason {
        let mut reason = Reason::default();
        let bytes = parts.iter().flat_map(|part| part.iter().copied().take_while(|byte| *byte != 0));
        reason.0.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte);
        reason
    }

    /// Its bytes, with the zeros.
    pub(crate) fn bytes(&self) -> &[u8; REASON] {
        &self.0
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8; REASON] {
        &mut self.0
    }

    /// Its text: none where the program has said nothing.
    pub fn text(&self) -> Option<&[u8]> {
        let text = self.0.split(|byte| *byte == 0).next()?;
        (!text.is_empty()).then_some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_cut_off() {
        assert_eq!(Reason::of(&[b"file.c", b":", b"12\0x"]).text(), Some(&b"file.c:12"[..]));
        assert_eq!(Reason::of(&[&[b'x'; REASON], b"y"]).text(), Some(&[b'x'; REASON][..]));
        assert_eq!(Reason::default().text(), None);
    }
}
