//! Functions of files whose symbols were stripped.
//!
//! `.eh_frame` says where they begin, but not everything that begins there is a function. Compilers put parts
//! of functions elsewhere that are seldom executed, or often: who jumps there may have something in flags and
//! below the stack pointer. So only those count that the code calls, or whose address it or its data has; and
//! that begin where compilers have functions begin, at a multiple of 16.

use crate::function_frames::FunctionFrames;
use crate::left_alone::is_of_runtime;
use crate::object_file::{ObjectFile, span};
use elf::abi::{DT_NEEDED, SHT_DYNAMIC};
use elf::dynamic::Dyn;
use elf::section::SectionHeader;

/// What the addresses of functions are multiples of.
const ALIGNMENT: u64 = 16;

/// Functions in a word.
const PER_WORD: u64 = u64::BITS as u64;

impl<'a> ObjectFile<'a> {
    /// Whether functions may be looked for that have no name in `symbols`: not in a file that has all of its
    /// symbols, or sites; and not where some are to be left alone that only a name sets apart: in
    /// libc, an unwinder, the dynamic linker, programs of Go, and those that are static, which have a libc.
    pub fn may_have_unnamed(&self, symbols: &ObjectFile<'_>) -> bool {
        !self.has_all_symbols()
            && !symbols.has_all_symbols()
            && !self.is_of_go()
            && self.needs_libraries()
            && !self.functions().any(|function| is_of_runtime(function.name))
            && self.sites().next().is_none()
    }

    /// How many words [`ObjectFile::mark_unnamed`] needs: none where nothing is to be found.
    ///
    /// Cost: reading all of `.eh_frame`.
    pub fn unnamed_words(&self, symbols: &ObjectFile<'_>) -> usize {
        let is_none = !self.may_have_unnamed(symbols) || self.has_unwinder();
        let bytes = self.section_data(".text").len() as u64;
        if is_none { 0 } else { bytes.div_ceil(ALIGNMENT * PER_WORD) as usize + 1 }
    }

    /// Marks the multiples of 16 in `.text`, a bit for each, that the code calls, or whose address it or its
    /// data has, and that are in no function which `symbols` names. All words are 0 before.
    ///
    /// Cost: a look at each byte of the code, and at each relocation.
    pub fn mark_unnamed(&self, symbols: &ObjectFile<'_>, words: &mut [u64]) {
        let Some(first) = self.first_unnamed() else { return };
        let mut marks = Marks { first, words };
        for (address, code) in self.code_sections() {
            targets(address, code).for_each(|target| marks.set(target, true));
        }
        self.relative_addends(0..u64::MAX).for_each(|pointer| marks.set(pointer, true));
        for function in symbols.functions() {
            let end = function.start.saturating_add(function.size.max(1));
            let aligned = function.start.saturating_add(ALIGNMENT - 1).max(first) & !(ALIGNMENT - 1);
            (aligned..end.min(marks.end()))
                .step_by(ALIGNMENT as usize)
                .for_each(|address| marks.set(address, false));
        }
    }

    /// The file, with such marks.
    pub fn with_unnamed(mut self, words: &'a [u64]) -> ObjectFile<'a> {
        self.unnamed = words;
        self
    }

    /// Where its functions begin that have no name, in their order: those that were marked, if `.eh_frame`
    /// has them begin there.
    pub fn unnamed_functions(&self) -> impl Iterator<Item = u64> + use<'a> {
        let (words, first) = (self.unnamed, self.first_unnamed());
        let frames = first.filter(|_| !words.is_empty()).and_then(|_| self.function_frames());
        let marked = words.iter().zip((0..).step_by((ALIGNMENT * PER_WORD) as usize));
        let marked = marked.filter(|(word, _)| **word != 0).flat_map(move |(word, offset): (&u64, u64)| {
            let bits = (0..PER_WORD).filter(move |bit| word >> bit & 1 == 1);
            bits.filter_map(move |bit| first?.checked_add(offset + bit * ALIGNMENT))
        });
        marked.filter(move |start| frames.is_some_and(|frames| span(frames, *start).is_some()))
    }

    /// Where functions may begin that have no name, as far as `.eh_frame` alone says: more than there are.
    pub fn unnamed_candidates(&self) -> impl Iterator<Item = u64> + use<'a> {
        let frames = self.function_frames().into_iter().flat_map(|frames| frames.from(0));
        let starts = frames.filter_map(|span| Some(span?.start));
        starts.filter(|start| start.is_multiple_of(ALIGNMENT))
    }

    /// What the first mark stands for.
    fn first_unnamed(&self) -> Option<u64> {
        Some(self.section_address(".text")? & !(ALIGNMENT - 1))
    }

    /// Whether the dynamic linker loads libraries for it: a program has its libc there.
    fn needs_libraries(&self) -> bool {
        let is_dynamic = |section: &SectionHeader| section.sh_type == SHT_DYNAMIC;
        let section = self.sections.iter().find(is_dynamic);
        section
            .is_some_and(|section| self.table::<Dyn>(&section).iter().any(|entry| entry.d_tag == DT_NEEDED))
    }

    /// Whether any of its functions may be an unwinder's.
    fn has_unwinder(&self) -> bool {
        let mut frames = self.function_frames().into_iter().flat_map(FunctionFrames::all);
        frames.any(|frame| frame.is_none_or(|frame| !frame.is_understood()))
    }
}

/// A bit for each place where a function may begin.
struct Marks<'a> {
    first: u64,
    words: &'a mut [u64],
}

impl Marks<'_> {
    fn set(&mut self, address: u64, is_one: bool) {
        let Some(offset) = address.checked_sub(self.first).filter(|offset| offset.is_multiple_of(ALIGNMENT))
        else {
            return;
        };
        let place = offset / ALIGNMENT;
        if let Some(word) = self.words.get_mut((place / PER_WORD) as usize) {
            let bit = 1 << (place % PER_WORD);
            *word = if is_one { *word | bit } else { *word & !bit };
        }
    }

    fn end(&self) -> u64 {
        self.first.saturating_add(self.words.len() as u64 * PER_WORD * ALIGNMENT)
    }
}

/// What code at an address calls, and the addresses that it loads: `call` and `lea`, wherever their bytes
/// are. What only looks like one leads to the start of a function by chance once in 2^32.
fn targets(address: u64, code: &[u8]) -> impl Iterator<Item = u64> {
    const CALL: u8 = 0xe8;
    code.windows(7).zip(address..).filter_map(|(bytes, at)| {
        let (len, distance) = match bytes {
            [CALL, a, b, c, d, ..] => (5, [*a, *b, *c, *d]),
            [0x48 | 0x4c, 0x8d, register, a, b, c, d] if register & 0xc7 == 5 => (7, [*a, *b, *c, *d]),
            _ => return None,
        };
        Some(at.wrapping_add(len).wrapping_add_signed(i32::from_le_bytes(distance).into()))
    })
}
