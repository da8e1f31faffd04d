//! Changes the code of the running process: call sites that compilers leave become calls, and nops again,
//! with any number of threads in them.
//!
//! # Before, after, and the order of stores
//!
//! Off, a site is an instruction that does nothing; on, it is a call of as many bytes. Between the two lies
//! one store. What a compiler leaves is not always one of the two, so some sites are prepared first.
//!
//! | found | off | on | prepared |
//! |---|---|---|---|
//! | `nop5`, in one word | as found | `call X` | not at all |
//! | `nop5`, in two words | `test eax, X` | `call X` | guarded |
//! | `nop6` to `nop8`, in one word | as found | `call X`, as long, by prefixes | not at all |
//! | other nops of five bytes and more | `nop5` or `test eax, X`, and nops | `call X`, and nops | alone |
//! | `call M`, in one word | `nop5` | as found | not at all |
//! | `call M`, in two words | `test eax, M` | as found | not at all |
//! | `call M`, to call X instead | `nop5` or `test eax, X` | `call X` | by one store, or guarded |
//! | `call [M]`, in one word | `nop6` | as found | not at all |
//! | `call [M]`, in two words | `test [M], edx` | as found | not at all |
//! | an instruction, in one word | as found | `jmp X` | not at all |
//! | XRay's `jmp +9` and nine bytes | `jmp +9; call X; nop4` | `nop2; call X; nop4` | unexecuted |
//!
//! A *word* is eight bytes at a multiple of eight. X is code of the caller of this crate; M is `mcount` or
//! `__fentry__`; a number that an instruction ends in is a distance from there.
//!
//! `test eax, imm32` is `a9` and four bytes, `call rel32` is `e8` and four bytes, `call [rip + disp32]` is
//! `ff 15` and four bytes, `test [rip + disp32], edx` is `85 15` and four bytes. So a switch changes the
//! first byte alone, which lies in one word wherever the site lies. The tests change flags, and nothing looks
//! at flags at the start of a function, nor after a call of `mcount`. What the second one reads is the
//! pointer that the call would have read.
//!
//! *Guarded* is how `nop5` becomes `test eax, X` while threads run: first its first byte becomes `a9`, then
//! all threads have to see that, then the other four bytes are stored. Whatever mixture of old and new ones
//! a thread sees, it is a number that `eax` is compared with.
//!
//! *Unexecuted* are the bytes that a jump in front of them keeps every thread from, until the first two
//! change, which are in one word as sleds are at even addresses.
//!
//! *Alone* is for sites of several instructions: a thread that has lost its CPU between two of them would go
//! on in the middle of the call. They are rewritten before there are other threads, or before anybody can
//! call the object that they are in. Later they are refused.
//!
//! Five one-byte nops have another way, without preparation: their first byte becomes `e8`, and the others
//! are the distance. They lead 1.87 GB below the site ([`plan::entry::punned_target`]); who has memory there,
//! and code for each site, uses it. A thread between two nops goes on through the others.
//!
//! *An instruction* is any one of a function that was not built for tracing. One that is shorter than the
//! jump is followed by the jump's last bytes, which stay: so X is where they say. X executes what the
//! instruction was and jumps to the one after it; a thread is before it or after it, never in it.
//!
//! # Invariants
//!
//! * **T1** A store changes bytes of one word, all at once, and only if the site's bytes in it are what they
//!   should be: it is a compare-exchange of the word. Other bytes of the word are left as they are.
//! * **T2** Between off and on lies one such store, for every plan.
//! * **T3** Where a step takes several stores, their order doesn't matter: nobody executes what they change,
//!   or it is the operand of a `test eax`.
//! * **T4** All threads see a step before the next is taken. There are three at most, for all sites together.
//! * **T5** Wherever a thread can be in the code before a step, an instruction begins there afterwards, too.
//! * **T6** A site whose bytes are none of its plan's is left alone and named.
//! * **T7** Text can be written only while [`apply`] runs.
//!
//! # Why each interleaving is safe
//!
//! A thread executes an instruction of the site either as it was before a step, or as it is afterwards, or,
//! by T3, as a mixture that does nothing. The first two are whole instructions of the same length (T5), so
//! the thread goes on at an instruction. It doesn't matter which one it executes while the switch happens:
//! the call that has just been stored may be made or not. T4 says when that ends: `membarrier` with
//! `PRIVATE_EXPEDITED_SYNC_CORE` returns when each other thread of the process has executed a serializing
//! instruction or will do so before the program's next; then all execute what was stored.
//!
//! A signal handler is a thread that begins anywhere. A child of fork has its parent's text as it was between
//! two stores, and no other threads. A process that shares the memory (vfork) is one more thread, which
//! membarrier knows. Nothing here stops or interrupts a thread's system call.
//!
//! Intel's manual wants the executing processor to serialize before it executes code that another one has
//! changed, and has an erratum ("unsynchronized cross-modifying code") for those that don't. Its exceptions
//! by word of mouth are the first byte of an instruction and `int3`. `int3` is no way here: a thread that
//! blocks SIGTRAP would die. Sites in two words, and punned ones, are switched by their first byte. The
//! others, and the operand of a guard, change within a word, or two, while they may be executed. So do
//! virtual machines with methods that run, on all processors that they support: HotSpot's entry barriers
//! change the operand of a `cmp`, LLVM's XRay the two bytes that a sled begins with. `tests/model` has all
//! that a thread can execute; `tests/stress` executes it.
//!
//! # What this crate is not
//!
//! It reads no file and keeps no list of sites: which there are, what they call, and who is allowed to be
//! here at a time, the agent decides. It allocates nothing and keeps nothing: a site's state is in its bytes.
//!
//! ```
//! use text_poke::plan::entry::{self, CallTarget};
//! use text_poke::plan::{Preparation, SiteState, NextStep};
//! use text_poke::SiteCode;
//!
//! // A function at 0x1000 that clang has compiled with -fpatchable-function-entry=5.
//! let found = [0x0f, 0x1f, 0x44, 0x00, 0x08, 0x55];
//! let plan = entry::plan(0x1000, &found, CallTarget::At(0x2000)).unwrap();
//! assert_eq!(plan.preparation(), Preparation::None);
//! let on = SiteCode::new(&[0xe8, 0xfb, 0x0f, 0x00, 0x00]);
//! let now = SiteCode::new(&found[..5]);
//! assert_eq!(plan.step(now, SiteState::On, false), NextStep::Store(on));
//! assert_eq!(plan.returns_to(), 0x1005);
//! ```
#![no_std]

#[cfg(test)]
extern crate std;

mod apply;
mod area;
pub mod plan;
mod site_code;
mod word;

pub use apply::{Applied, NotApplied, Poke, STEPS, SiteFailure, Text, Threads, apply};
pub use area::{CodeArea, JUMP_LEN, jump};
pub use site_code::SiteCode;
pub use word::{WordChange, changes, is_one_word};
