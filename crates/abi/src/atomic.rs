//! The atomics that shared words are made of: core's.
//!
//! Under `--cfg shuttle` they are wrapped, and each access first lets a scheduler choose who goes on. The
//! layout is the same, so files are, too. Only tests of that name are built so.

#[cfg(not(shuttle))]
pub use core::sync::atomic::{AtomicU32, AtomicU64};
#[cfg(shuttle)]
pub use scheduled::{AtomicU32, AtomicU64, is_torn, schedule_by, tear};

/// Stands before an access to a shared word that is not made through an atomic. Costs nothing.
#[inline(always)]
pub fn before_access() {
    #[cfg(shuttle)]
    scheduled::before_access();
}

#[cfg(shuttle)]
mod scheduled {
    extern crate std;

    use core::cell::{Cell, RefCell};
    use core::ops::Range;
    use core::sync::atomic::{self, Ordering};
    use std::thread_local;

    thread_local! {
        /// What chooses who goes on; nothing where there is no one else.
        static SCHEDULER: Cell<Option<fn()>> = const { Cell::new(None) };
        /// The addresses of words whose changes are torn.
        static TORN: RefCell<[Range<usize>; 2]> = const { RefCell::new([0..0, 0..0]) };
    }

    /// Has `scheduler` called before each access that the calling thread makes.
    pub fn schedule_by(scheduler: Option<fn()>) {
        SCHEDULER.set(scheduler);
    }

    /// A mistake, to see that it is found: from now on what the calling thread does by one atomic instruction
    /// to words at these addresses, in two mappings of a file, is a load and, later, a store.
    pub fn tear(addresses: [Range<usize>; 2]) {
        TORN.set(addresses);
    }

    /// Whether changes of the word at an address are torn.
    pub fn is_torn(address: usize) -> bool {
        TORN.with_borrow(|torn| torn.iter().any(|addresses| addresses.contains(&address)))
    }

    pub fn before_access() {
        if let Some(scheduler) = SCHEDULER.get() {
            scheduler();
        }
    }

    macro_rules! wrap {
        ($name:ident, $word:ty) => {
            /// Core's atomic of this name, with a choice of who goes on before each access.
            #[derive(Debug, Default)]
            #[repr(transparent)]
            pub struct $name(atomic::$name);

            #[allow(missing_docs, reason = "they are those of core's")]
            impl $name {
                pub const fn new(word: $word) -> $name {
                    $name(atomic::$name::new(word))
                }

                pub const fn as_ptr(&self) -> *mut $word {
                    self.0.as_ptr()
                }

                pub fn load(&self, order: Ordering) -> $word {
                    before_access();
                    self.0.load(order)
                }

                pub fn store(&self, word: $word, order: Ordering) {
                    before_access();
                    self.0.store(word, order);
                }

                pub fn compare_exchange(
                    &self,
                    expected: $word,
                    new: $word,
                    success: Ordering,
                    failure: Ordering,
                ) -> Result<$word, $word> {
                    before_access();
                    if is_torn(self.as_ptr().addr()) {
                        let found = self.0.load(failure);
                        if found != expected {
                            return Err(found);
                        }
                        self.store(new, Ordering::Relaxed);
                        return Ok(found);
                    }
                    self.0.compare_exchange(expected, new, success, failure)
                }

                pub fn fetch_update(
                    &self,
                    success: Ordering,
                    failure: Ordering,
                    mut change: impl FnMut($word) -> Option<$word>,
                ) -> Result<$word, $word> {
                    let mut word = self.load(failure);
                    while let Some(new) = change(word) {
                        match self.compare_exchange(word, new, success, failure) {
                            Ok(word) => return Ok(word),
                            Err(found) => word = found,
                        }
                    }
                    Err(word)
                }

                fn change(&self, order: Ordering, change: impl Fn($word) -> $word) -> $word {
                    match self.fetch_update(order, Ordering::Relaxed, |word| Some(change(word))) {
                        Ok(word) | Err(word) => word,
                    }
                }

                pub fn fetch_add(&self, more: $word, order: Ordering) -> $word {
                    self.change(order, |word| word.wrapping_add(more))
                }

                pub fn fetch_or(&self, bits: $word, order: Ordering) -> $word {
                    self.change(order, |word| word | bits)
                }

                pub fn fetch_and(&self, bits: $word, order: Ordering) -> $word {
                    self.change(order, |word| word & bits)
                }
            }
        };
    }

    wrap!(AtomicU32, u32);
    wrap!(AtomicU64, u64);
}
