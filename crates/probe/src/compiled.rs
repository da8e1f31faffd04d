//! Probes as words.
//!
//! ```text
//! word 0   how many words, flags, how many arguments
//! word 1   id of the event, number of the counter
//! word 2   offset in the file
//! word 3   offset of the reference counter
//! word 4   what the file is known by: three words
//! word 7   bytes of a record's fixed part, registers that are needed
//! ...      arguments
//! ```

use crate::file_identity::FileIdentity;

/// When a probe is hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbeKind {
    /// When the instruction is about to be executed.
    Entry,
    /// When the function that begins there returns.
    Return,
}

impl ProbeKind {
    /// Where arguments begin in a record: after the common fields and one address, or two.
    pub fn record_start(self) -> usize {
        match self {
            ProbeKind::Entry => 16,
            ProbeKind::Return => 24,
        }
    }
}

pub(crate) const IS_RETURN: u64 = 1 << 32;
pub(crate) const IS_BUILD_ID: u64 = 1 << 33;

/// Words before the arguments.
const HEAD: usize = 8;

/// Words with probes.
#[derive(Debug, Clone, Copy)]
pub struct CompiledProbes<F> {
    word: F,
}

/// A probe among them.
#[derive(Debug, Clone, Copy)]
pub struct CompiledProbe<F> {
    /// The id of its event.
    pub event: u16,
    /// The number of what counts how often it was hit.
    pub counter: u16,
    /// When it is hit.
    pub kind: ProbeKind,
    /// Where it is in that.
    pub offset: u64,
    /// Where the file has a word that says how many trace there; 0 for none.
    pub reference_counter: u64,
    /// The index of its first word.
    pub index: usize,
    /// Bytes of a record's fixed part.
    pub(crate) fixed: u32,
    /// The registers that arguments are in.
    pub(crate) needed: u32,
    pub(crate) arguments: usize,
    pub(crate) argument_count: u16,
    pub(crate) word: F,
}

impl<F: Fn(usize) -> Option<u64> + Copy> CompiledProbes<F> {
    /// Those that `word` gives the words of, by index: None after the last.
    pub fn new(word: F) -> CompiledProbes<F> {
        CompiledProbes { word }
    }

    /// The one whose words begin at an index. None where none does.
    pub fn at(&self, index: usize) -> Option<CompiledProbe<F>> {
        self.with_len(index).map(|(probe, _)| probe)
    }

    /// All of them, in their order.
    pub fn iter(self) -> impl Iterator<Item = CompiledProbe<F>> + use<F> {
        let mut next = 0;
        core::iter::from_fn(move || {
            let (probe, len) = self.with_len(next)?;
            next += len;
            Some(probe)
        })
    }

    #[inline(always)]
    fn with_len(&self, index: usize) -> Option<(CompiledProbe<F>, usize)> {
        let of = |offset: usize| (self.word)(index.checked_add(offset)?);
        let head = of(0)?;
        let ids = of(1)?;
        let len = head as u32 as usize;
        let kind = if head & IS_RETURN == 0 { ProbeKind::Entry } else { ProbeKind::Return };
        let probe = CompiledProbe {
            event: ids as u16,
            counter: (ids >> 16) as u16,
            kind,
            offset: of(2)?,
            reference_counter: of(3)?,
            index,
            fixed: of(7)? as u32,
            needed: (of(7)? >> 32) as u32,
            arguments: index.checked_add(HEAD)?,
            argument_count: (head >> 48) as u16,
            word: self.word,
        };
        (len >= HEAD).then_some((probe, len))
    }
}

impl<F: Fn(usize) -> Option<u64> + Copy> CompiledProbe<F> {
    /// The file that it is in. None where it has no words any more.
    pub fn file(&self) -> Option<FileIdentity> {
        let of = |offset: usize| (self.word)(self.index.checked_add(offset)?);
        Some(FileIdentity::of_words(of(0)? & IS_BUILD_ID != 0, [of(4)?, of(5)?, of(6)?]))
    }
}
