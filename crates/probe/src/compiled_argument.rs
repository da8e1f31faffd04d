//! Arguments as words.
//!
//! ```text
//! word 0   source, register, how many dereferences, how it is stored, count, shifts: a byte each
//! word 1   a number, as the source needs one; bytes of its text
//! ...      the text
//! ...      a distance for each dereference
//! ```

use crate::machine_register::MachineRegister;
use crate::stored_form::StoredForm;

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum SourceKind {
    Register = 0,
    StackWord = 1,
    Immediate = 2,
    FileOffset = 3,
    Comm = 4,
    Text = 5,
}

impl SourceKind {
    const ALL: [SourceKind; 6] = [
        SourceKind::Register,
        SourceKind::StackWord,
        SourceKind::Immediate,
        SourceKind::FileOffset,
        SourceKind::Comm,
        SourceKind::Text,
    ];
}

/// How it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum StoredKind {
    Integer = 0,
    BitField = 1,
    Text = 2,
}

impl StoredKind {
    const ALL: [StoredKind; 3] = [StoredKind::Integer, StoredKind::BitField, StoredKind::Text];
}

/// An argument, as words have it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CompiledArgument {
    pub(crate) source: SourceKind,
    pub(crate) register: MachineRegister,
    pub(crate) stored: StoredForm,
    /// How many; 1 where it is no array.
    pub(crate) count: u8,
    /// The source's number.
    pub(crate) value: u64,
    /// The index of the first word of its text.
    pub(crate) text: usize,
    /// That of the first distance, and how many there are.
    pub(crate) distances: usize,
    pub(crate) dereferences: usize,
}

impl CompiledArgument {
    /// The one whose words begin at an index, and where the next one's do. None where there is none.
    pub(crate) fn at(index: usize, word: impl Fn(usize) -> Option<u64>) -> Option<(CompiledArgument, usize)> {
        let [source, register, dereferences, sizes, count, left, right, _] = word(index)?.to_le_bytes();
        let value = word(index.checked_add(1)?)?;
        let bytes = sizes & 15;
        let stored = match *StoredKind::ALL.get(usize::from(sizes >> 4))? {
            StoredKind::Integer => StoredForm::Integer { bytes },
            StoredKind::BitField => StoredForm::BitField { bytes, left, right },
            StoredKind::Text => StoredForm::Text,
        };
        let source = *SourceKind::ALL.get(usize::from(source))?;
        let text = index.checked_add(2)?;
        let text_len = if source == SourceKind::Text { usize::try_from(value).ok()?.div_ceil(8) } else { 0 };
        let distances = text.checked_add(text_len)?;
        let dereferences = usize::from(dereferences);
        let argument = CompiledArgument {
            source,
            register: MachineRegister::of_number(register)?,
            stored,
            count: count.max(1),
            value,
            text,
            distances,
            dereferences,
        };
        Some((argument, distances.checked_add(dereferences)?))
    }
}

/// Up to eight bytes as a word, the first one lowest.
#[cfg(any(test, feature = "compile"))]
pub(crate) fn word_of(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    u64::from_le_bytes(word)
}
