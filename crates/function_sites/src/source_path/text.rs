//! A path as it is made.

/// The most bytes of a path.
const MOST: usize = 512;

/// A path, and whether what is pushed to it now is passed over.
#[derive(Debug)]
pub(super) struct PathText {
    bytes: [u8; MOST],
    len: usize,
    /// How many parts are open that are not in the path.
    muted: u32,
}

impl PathText {
    /// An empty one.
    pub(super) fn new() -> PathText {
        PathText { bytes: [0; MOST], len: 0, muted: 0 }
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// What it has from a place on.
    pub(super) fn after(&self, start: usize) -> &[u8] {
        self.as_bytes().get(start..).unwrap_or_default()
    }

    /// Forgets what comes after `len` bytes.
    pub(super) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Begins or ends a part that is read but not in the path.
    pub(super) fn mute(&mut self, begins: bool) {
        self.muted = if begins { self.muted.saturating_add(1) } else { self.muted.saturating_sub(1) };
    }

    pub(super) fn is_muted(&self) -> bool {
        self.muted > 0
    }

    /// Appends bytes. None where there is no space, or one of them is no printable ASCII.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Option<()> {
        if self.is_muted() {
            return Some(());
        }
        if !bytes.iter().all(u8::is_ascii_graphic) {
            return None;
        }
        let end = self.len.checked_add(bytes.len())?;
        let space = self.bytes.get_mut(self.len..end)?;
        space.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        self.len = end;
        Some(())
    }

    /// Begins the next name of the path.
    pub(super) fn separate(&mut self) -> Option<()> {
        if self.len == 0 { Some(()) } else { self.push(b"::") }
    }

    /// Appends the next name of the path.
    pub(super) fn component(&mut self, name: &[u8]) -> Option<()> {
        self.separate()?;
        self.push(name)
    }

    /// Appends a number.
    pub(super) fn number(&mut self, number: u64) -> Option<()> {
        let mut digits = [0; 20];
        let (mut rest, mut first) = (number, digits.len());
        for (index, digit) in digits.iter_mut().enumerate().rev() {
            *digit = b'0' + (rest % 10) as u8;
            rest /= 10;
            first = index;
            if rest == 0 {
                break;
            }
        }
        self.push(digits.get(first..)?)
    }

    /// Appends the last name once more, after `sign`: a constructor's or destructor's.
    pub(super) fn repeat_last(&mut self, sign: &[u8]) -> Option<()> {
        if self.is_muted() {
            return Some(());
        }
        let start = self.as_bytes().windows(2).rposition(|two| two == b"::").map_or(0, |at| at + 2);
        let end = self.len;
        self.component(sign)?;
        for index in start..end {
            let byte = *self.bytes.get(index)?;
            self.push(&[byte])?;
        }
        Some(())
    }
}
