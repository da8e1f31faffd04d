//! Where what an entry has saved has which register.

use core::marker::PhantomData;

/// Of each register, by its number, the index of its word in `T`, which is nothing but words; `T`'s size in
/// words or more for one that isn't there.
///
/// A table rather than a choice: what reads it may have no indirect jump.
#[derive(Debug)]
pub(super) struct RegisterWords<T>([u8; REGISTERS], PhantomData<fn(T)>);

/// How many a probe can name.
const REGISTERS: usize = 18;

impl<T> RegisterWords<T> {
    /// Those of registers that are at these offsets.
    ///
    /// # Safety
    ///
    /// `T` is nothing but words of 8 bytes.
    pub(super) const unsafe fn new(offsets: &[(usize, usize)]) -> RegisterWords<T> {
        let (mut words, mut at) = ([u8::MAX; REGISTERS], 0);
        while at < offsets.len() {
            let (register, offset) = offsets[at];
            words[register] = (offset / 8) as u8;
            at += 1;
        }
        RegisterWords(words, PhantomData)
    }

    /// A register, by its number. None of one that isn't there.
    #[inline(always)]
    pub(super) fn get(&self, saved: &T, register: u8) -> Option<u64> {
        let word = usize::from(*self.0.get(usize::from(register))?);
        let words = (&raw const *saved).cast::<u64>();
        // SAFETY: `T` is nothing but words, and has this one.
        (word < size_of::<T>() / 8).then(|| unsafe { words.add(word).read() })
    }
}
