//! Lists as they lie in shared memory.
//!
//! ```text
//! four lists, one after the other: what is traced, and what is not; of the tracer `function_graph`: what
//! it begins with, and what it hides
//! +----------------+ header   bit 0: whether there is such a list; 32..64: patterns
//! | counts         |          0..32: names that are in it; 32..64: names that are not
//! | hashes         |          of the names that are in it, sorted; then of those that are not
//! | pattern        |          bit 0: whether it takes functions in; bit 1: whether those of other objects;
//! | ...            |          8..24: bytes of the pattern; 32..48: bytes of the object's pattern; then
//! |                |          both, filled up to words
//! +----------------+
//! then a word that says how many commands there are, and for each two words of its own and a list
//! ```

use crate::function_name::FunctionName;
use crate::name_hash::name_hash;
use event_filter::glob_words;

/// Lists that were compiled, wherever their words are.
#[derive(Debug, Clone, Copy)]
pub struct CompiledLists<F> {
    word: F,
    /// Whether what isn't named is left out.
    is_naming: bool,
}

/// How many lists stand before the commands.
pub const LISTS: usize = 4;

/// What a function is to the tracer `function_graph`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphRole {
    /// What it calls is traced, and itself: all functions are such roots where none was chosen.
    pub is_root: bool,
    /// It is not traced, nor is what it calls.
    pub is_hidden: bool,
}

/// The header of a list that there is.
pub(crate) const IS_SET: u64 = 1;
/// The header of a pattern that takes functions in.
pub(crate) const TAKES_IN: u64 = 1;
/// The header of a pattern for all objects but those that its object's pattern fits.
pub(crate) const OTHER_OBJECTS: u64 = 2;
/// The longest pattern.
#[cfg(any(test, feature = "compile"))]
pub(crate) const MOST: usize = 0xffff;

impl<F: Fn(usize) -> Option<u64> + Copy> CompiledLists<F> {
    /// Those whose words `word` gives, by their numbers. None where there are no more; another time it may
    /// give others.
    pub fn new(word: F) -> CompiledLists<F> {
        CompiledLists { word, is_naming: false }
    }

    /// These for functions that were not built to be traced: they are traced only where a list names them, by
    /// a name or by a pattern. The pattern `*` for all files names none, nor does a list that isn't there.
    #[must_use]
    pub fn naming(self) -> CompiledLists<F> {
        CompiledLists { is_naming: true, ..self }
    }

    /// Whether a function is traced, by its names and the name of the file that it is in. Without lists all
    /// are; by damaged ones none is.
    ///
    /// Takes time proportional to the number of patterns, and to the logarithm of the number of names.
    pub fn wants(&self, name: FunctionName<'_>, object: &[u8]) -> bool {
        self.evaluate(name, object).unwrap_or(false)
    }

    /// Calls `visit` for each command, in order: with the two words that it was compiled with, and whether a
    /// function is in its list. For none from where on words are damaged.
    pub fn commands(&self, name: FunctionName<'_>, object: &[u8], visit: &mut dyn FnMut([u64; 2], bool)) {
        let _ = self.visit_commands(name, object, visit);
    }

    /// Whether there are lists for the tracer `function_graph`: without any all functions have the same role.
    pub fn has_graph(&self) -> bool {
        self.find_graph().unwrap_or(false)
    }

    /// What a function is to the tracer `function_graph`. By damaged lists it is no root.
    pub fn graph(&self, name: FunctionName<'_>, object: &[u8]) -> GraphRole {
        self.evaluate_graph(name, object).unwrap_or(GraphRole { is_root: false, is_hidden: false })
    }

    fn find_graph(&self) -> Option<bool> {
        let roots = self.after(self.after(0)?)?;
        let hidden = self.after(roots)?;
        Some(((self.word)(roots)? | (self.word)(hidden)?) & IS_SET != 0)
    }

    fn evaluate_graph(&self, name: FunctionName<'_>, object: &[u8]) -> Option<GraphRole> {
        let mut start = self.after(self.after(0)?)?;
        let is_root = self.list(&mut start, name, object)?.unwrap_or(true);
        let is_hidden = self.list(&mut start, name, object)?.unwrap_or(false);
        Some(GraphRole { is_root, is_hidden })
    }

    fn visit_commands(
        &self,
        name: FunctionName<'_>,
        object: &[u8],
        visit: &mut dyn FnMut([u64; 2], bool),
    ) -> Option<()> {
        let mut start = (0..LISTS).try_fold(0, |start, _| self.after(start))?;
        let count = (self.word)(start)?;
        start += 1;
        for _ in 0..count {
            let words = [(self.word)(start)?, (self.word)(start.checked_add(1)?)?];
            start = start.checked_add(2)?;
            let is_meant = self.list(&mut start, name, object)?.unwrap_or(false);
            visit(words, is_meant);
        }
        Some(())
    }

    fn evaluate(&self, name: FunctionName<'_>, object: &[u8]) -> Option<bool> {
        let mut start = 0;
        let traced = self.list(&mut start, name, object)?.unwrap_or(!self.is_naming);
        let not = self.list(&mut start, name, object)?.unwrap_or(false);
        Some(traced && !not)
    }

    /// Where the list ends that starts here. None where it is damaged.
    fn after(&self, start: usize) -> Option<usize> {
        let header = (self.word)(start)?;
        let counts = (self.word)(start.checked_add(1)?)?;
        let names = [counts as u32, (counts >> 32) as u32].map(|count| count as usize);
        let mut next = start.checked_add(2)?.checked_add(names[0])?.checked_add(names[1])?;
        for _ in 0..header >> 32 {
            let pattern = (self.word)(next)?;
            let words = [pattern >> 8, pattern >> 32].map(|len| ((len & 0xffff) as usize).div_ceil(8));
            next = next.checked_add(1 + words[0] + words[1])?;
        }
        Some(next)
    }

    /// Whether a function is in the list at `start`, which becomes the next one's; None where there is no
    /// list. None at all where it is damaged.
    fn list(&self, start: &mut usize, name: FunctionName<'_>, object: &[u8]) -> Option<Option<bool>> {
        let header = (self.word)(*start)?;
        let counts = (self.word)(start.checked_add(1)?)?;
        let (taken_in, left_out) = (counts as u32 as usize, (counts >> 32) as usize);
        let hashes = start.checked_add(2)?;
        let mut found = None;
        let mut next = hashes.checked_add(taken_in)?.checked_add(left_out)?;
        for _ in 0..header >> 32 {
            let pattern = (self.word)(next)?;
            let lens = [pattern >> 8, pattern >> 32].map(|len| (len & 0xffff) as usize);
            let [of_name, of_object] = lens;
            let object_start = next.checked_add(1 + of_name.div_ceil(8))?;
            let names_none = self.is_naming && of_object == 0 && of_name == 1 && {
                let first = (self.word)(next.checked_add(1)?)?;
                first == u64::from(b'*')
            };
            let fits = || {
                name.is(|name| {
                    glob_words(|index| (self.word)(next.checked_add(1)?.checked_add(index)?), of_name, name)
                }) && (of_object == 0
                    || glob_words(|index| (self.word)(object_start.checked_add(index)?), of_object, object)
                        != (pattern & OTHER_OBJECTS != 0))
            };
            // The last that fits counts.
            if !names_none && fits() {
                found = Some(pattern & TAKES_IN != 0);
            }
            next = object_start.checked_add(of_object.div_ceil(8))?;
        }
        *start = next;
        if taken_in > 0 && name.is(|name| self.has(hashes, taken_in, name_hash(name))) {
            found = Some(true);
        } else if left_out > 0 && name.is(|name| self.has(hashes + taken_in, left_out, name_hash(name))) {
            found = Some(false);
        }
        Some((header & IS_SET != 0).then(|| found.unwrap_or(false)))
    }

    /// Whether a hash is among sorted ones. Each step takes either half without a branch, which the processor
    /// could not foresee.
    fn has(&self, start: usize, count: usize, hash: u64) -> bool {
        let (mut place, mut rest) = (start, count);
        while rest > 1 {
            let half = rest / 2;
            let Some(found) = (self.word)(place + half) else { return false };
            place = if found <= hash { place + half } else { place };
            rest -= half;
        }
        rest == 1 && (self.word)(place) == Some(hash)
    }
}
