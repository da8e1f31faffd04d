//! A test of what is about to be done to the program: one function of this object is traced, and no other.
//!
//! Done once, before the first site of the process is changed. Where code can't be changed, that is found out
//! here.

use super::off::refused;
use crate::preload::arch::linker;
use crate::preload::object::elf::LoadedObject;
use abi::control::{FunctionsOff, FunctionsOffReason};
use core::arch::naked_asm;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;
use text_poke::plan::SiteState;
use text_poke::plan::entry::{self, CallTarget};
use text_poke::{Poke, Threads, apply};

/// The site of both functions.
const SITE: [u8; 5] = [0x0f, 0x1f, 0x44, 0x00, 0x00];

/// How often [`counted`] was called.
static CALLS: AtomicU32 = AtomicU32::new(0);

/// 1 once the test was passed.
static IS_PASSED: AtomicU32 = AtomicU32::new(0);

/// The function that is traced.
///
/// # Safety
///
/// What its site calls, it calls.
#[unsafe(naked)]
#[unsafe(link_section = ".text.lookback_self_test")]
unsafe extern "C" fn traced() {
    naked_asm!(".byte 0x0f, 0x1f, 0x44, 0x00, 0x00", "ret")
}

/// The function that is not.
///
/// # Safety
///
/// As [`traced`].
#[unsafe(naked)]
#[unsafe(link_section = ".text.lookback_self_test")]
unsafe extern "C" fn untraced() {
    naked_asm!(".byte 0x0f, 0x1f, 0x44, 0x00, 0x00", "ret")
}

/// What the site calls.
///
/// # Safety
///
/// It counts, and does nothing else.
#[unsafe(naked)]
unsafe extern "C" fn counted() {
    naked_asm!("lock inc dword ptr [rip + {calls}]", "ret", calls = sym CALLS)
}

/// How often the two have called it now.
// Relaxed: the same thread has counted.
fn calls() -> u32 {
    CALLS.store(0, Relaxed);
    // SAFETY: these functions, which do nothing; what their sites call counts.
    unsafe {
        traced();
        untraced();
    }
    CALLS.load(Relaxed)
}

/// Makes the test, unless it was passed, for one who has the turn. Errors: it is not passed.
pub(super) fn pass(threads: Threads) -> Result<(), FunctionsOff> {
    if IS_PASSED.load(Relaxed) == 1 {
        return Ok(());
    }
    let functions = [traced as *const () as u64, untraced as *const () as u64];
    let before = calls();
    switch(functions, SiteState::On, threads)?;
    let during = calls();
    switch(functions, SiteState::Found, threads)?;
    if [before, during, calls()] != [0, 1, 0] {
        return Err(FunctionsOff::of(FunctionsOffReason::SelfTest));
    }
    IS_PASSED.store(1, Relaxed);
    Ok(())
}

/// Brings the first of the functions to a state, and leaves the other one as it is.
fn switch(functions: [u64; 2], to: SiteState, threads: Threads) -> Result<(), FunctionsOff> {
    let [first, second] =
        functions.map(|at| entry::plan(at, &SITE, CallTarget::At(counted as *const () as u64)));
    let (Ok(first), Ok(second)) = (first, second) else {
        return Err(FunctionsOff::of(FunctionsOffReason::SelfTest));
    };
    // SAFETY: this object stays.
    let own = unsafe { LoadedObject::at(linker::own_object().start) };
    let Some(text) = own.text().map(|text| [text]) else {
        return Err(FunctionsOff::of(FunctionsOffReason::SelfTest));
    };
    let pokes = [(first, to), (second, SiteState::Found)];
    let pokes = pokes.into_iter().map(|(plan, wanted)| Poke { plan, wanted });
    // SAFETY: our own code, which stays, has this protection, and no other user than this.
    let applied = unsafe { apply(&text, pokes, threads) }.map_err(refused)?;
    if applied.failed > 0 { Err(FunctionsOff::of(FunctionsOffReason::SelfTest)) } else { Ok(()) }
}
