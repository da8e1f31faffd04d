//! A call of a function, as its site has made it.

use super::moved_site::{self, MovedStack};
use super::register_words::RegisterWords;
use core::mem::offset_of;
use core::ptr::with_exposed_provenance;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;
use trace_event::{Entered, FrameRecord, KnownThread};

/// Bytes of the call at a site.
const CALL: u64 = 5;

/// Registers as the entry has saved them on the stack.
#[derive(Debug)]
#[repr(C)]
pub(super) struct SavedRegisters {
    r11: u64,
    r10: u64,
    r9: u64,
    r8: u64,
    rdi: u64,
    rsi: u64,
    rdx: u64,
    rcx: u64,
    rax: u64,
}

/// Those that arguments are in, by the numbers of the registers.
// SAFETY: the registers are nothing but words.
static ARGUMENTS: RegisterWords<SavedRegisters> = unsafe {
    RegisterWords::new(&[
        (1, offset_of!(SavedRegisters, rcx)),
        (2, offset_of!(SavedRegisters, rdx)),
        (6, offset_of!(SavedRegisters, rsi)),
        (7, offset_of!(SavedRegisters, rdi)),
        (8, offset_of!(SavedRegisters, r8)),
        (9, offset_of!(SavedRegisters, r9)),
    ])
};

impl SavedRegisters {
    /// Those that arguments are in, in the order of the calling convention.
    fn arguments(&self) -> [u64; 6] {
        [self.rdi, self.rsi, self.rdx, self.rcx, self.r8, self.r9]
    }

    /// Those that a system call's arguments are in, in their order.
    pub(super) fn system_call_arguments(&self) -> [u64; 6] {
        [self.rdi, self.rsi, self.rdx, self.r10, self.r8, self.r9]
    }

    /// The one that the number of a system call is in, and its result.
    pub(super) fn system_call(&self) -> u64 {
        self.rax
    }
}

/// What the entry has on the stack.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct SavedCall {
    registers: SavedRegisters,
    /// As if the function had called something at its site: it ends with the address after that.
    frame: FrameRecord,
    /// What the function returns to, if the site is at its first instruction. Where its return is to be seen,
    /// the address of a call slot's code takes its place.
    place: AtomicU64,
}

/// What the entry of moved code has on the stack.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct SavedMovedCall {
    /// Where the moved instruction is, to which the entry returns.
    moved: u64,
    /// As if the function had called something at the instruction that was moved: the address in the frame is
    /// within that, as unwinders expect it.
    pub(super) call: SavedCall,
}

/// A call as an entry has saved it, of a function whose site is executed once for each call.
pub(super) trait OnceCalled {
    /// The call.
    fn call(&self) -> FunctionCall<'_>;

    /// Finds out which thread calls it.
    fn enter(&self) -> Option<Entered>;

    /// As [`OnceCalled::enter`], of a thread that is known: None of any other. Nothing is called for it.
    fn enter_known(&self) -> Option<KnownThread>;
}

/// A call of a function that has come to an instruction that was moved, after its first one.
pub(super) struct BegunCall<'a>(pub(super) &'a SavedMovedCall);

/// What a traced function is known to do when it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FunctionEnd {
    /// It returns, and has not done anything yet: it can be entered again, at this address.
    Reentered(u64),
    /// It returns.
    Returned,
    /// It comes to another site, with the stack as it is now.
    Site,
}

/// A function that is called.
#[derive(Debug, Clone, Copy)]
pub(super) struct FunctionCall<'a> {
    saved: &'a SavedCall,
    /// What it is known by.
    site: u64,
    /// Where its return address is. None where nobody knows.
    pub(super) place: Option<&'a AtomicU64>,
    pub(super) end: FunctionEnd,
    /// Whether its arguments are still in their registers.
    pub(super) has_arguments: bool,
}

impl SavedCall {
    /// The site.
    #[inline(always)]
    pub(super) fn site(&self) -> u64 {
        let [_, returns_to] = self.frame;
        returns_to.wrapping_sub(CALL)
    }

    /// The function's frame pointer, if it has one.
    pub(super) fn frame_pointer(&self) -> u64 {
        let [frame_pointer, _] = self.frame;
        frame_pointer
    }

    /// The function's stack pointer at its site.
    pub(super) fn stack_pointer(&self) -> u64 {
        (&raw const self.place).addr() as u64
    }

    /// The registers.
    #[cfg(feature = "static_program")]
    pub(super) fn registers(&self) -> &SavedRegisters {
        &self.registers
    }

    /// As if the function had called something at its site.
    #[cfg(feature = "static_program")]
    pub(super) fn frame(&self) -> *const FrameRecord {
        &raw const self.frame
    }

    /// The call of a function whose stack is elsewhere, with its return address at a place there.
    #[cfg(feature = "static_program")]
    pub(super) fn on_other_stack<'a>(&'a self, site: u64, place: &'a AtomicU64) -> FunctionCall<'a> {
        let (place, end) = (Some(place), FunctionEnd::Site);
        FunctionCall { saved: self, site, place, end, has_arguments: false }
    }

    /// The call of a function that has begun.
    pub(super) fn in_body<'a>(
        &'a self,
        place: Option<&'a AtomicU64>,
        end: FunctionEnd,
        has_arguments: bool,
    ) -> FunctionCall<'a> {
        FunctionCall { saved: self, site: self.site(), place, end, has_arguments }
    }
}

impl OnceCalled for SavedCall {
    #[inline(always)]
    fn enter(&self) -> Option<Entered> {
        trace_event::enter()
    }

    #[inline(always)]
    fn enter_known(&self) -> Option<KnownThread> {
        trace_event::enter_known()
    }

    #[inline(always)]
    fn call(&self) -> FunctionCall<'_> {
        let [_, body] = self.frame;
        let end = FunctionEnd::Reentered(body);
        FunctionCall { saved: self, site: self.site(), place: Some(&self.place), end, has_arguments: true }
    }
}

impl SavedMovedCall {
    /// The function.
    #[inline(always)]
    pub(super) fn site(&self) -> u64 {
        moved_site::function_before(self.moved)
    }
}

impl OnceCalled for BegunCall<'_> {
    #[inline(always)]
    fn enter(&self) -> Option<Entered> {
        self.0.enter()
    }

    #[inline(always)]
    fn enter_known(&self) -> Option<KnownThread> {
        self.0.enter_known()
    }

    #[inline(always)]
    fn call(&self) -> FunctionCall<'_> {
        let BegunCall(saved) = self;
        let MovedStack { depth, has_arguments, .. } = moved_site::stack_before(saved.moved);
        let place = saved.call.stack_pointer().wrapping_add(depth.into());
        // SAFETY: that is how far the function's own instructions have moved the stack pointer.
        let place = unsafe { &*with_exposed_provenance::<AtomicU64>(place as usize) };
        let end = FunctionEnd::Returned;
        FunctionCall { saved: &saved.call, site: saved.site(), place: Some(place), end, has_arguments }
    }
}

impl OnceCalled for SavedMovedCall {
    #[inline(always)]
    fn enter(&self) -> Option<Entered> {
        moved_site::stack_before(self.moved).enter()
    }

    #[inline(always)]
    fn enter_known(&self) -> Option<KnownThread> {
        moved_site::stack_before(self.moved).enter_known()
    }

    #[inline(always)]
    fn call(&self) -> FunctionCall<'_> {
        let end = FunctionEnd::Reentered(self.moved);
        let place = Some(&self.call.place);
        FunctionCall { saved: &self.call, site: self.site(), place, end, has_arguments: true }
    }
}

impl FunctionCall<'_> {
    /// The function, by its site.
    #[inline(always)]
    pub(super) fn site(self) -> u64 {
        self.site
    }

    /// Its stack pointer at the site.
    pub(super) fn stack_pointer(self) -> u64 {
        self.saved.stack_pointer()
    }

    /// Its return address; 0 where nobody knows.
    // Relaxed: the thread's own stack.
    #[inline(always)]
    pub(super) fn caller(self) -> u64 {
        self.place.map_or(0, |place| place.load(Relaxed))
    }

    /// A register by its number, where one of the first arguments still is in it.
    #[inline(always)]
    pub(super) fn argument_in(self, register: u8) -> Option<u64> {
        ARGUMENTS.get(&self.saved.registers, register).filter(|_| self.has_arguments)
    }

    /// The registers that arguments are in, in the order of the calling convention, where they still are.
    pub(super) fn arguments(self) -> Option<[u64; 6]> {
        self.has_arguments.then(|| self.saved.registers.arguments())
    }

    /// As if it had called something at its site.
    pub(super) fn frame(self) -> *const FrameRecord {
        &raw const self.saved.frame
    }
}
