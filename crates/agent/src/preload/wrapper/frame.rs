//! The frame between the program and libc's function.
//!
//! It is in assembly (`arch/x86_64/frame.rs`): exceptions, thread cancellation and longjmp leave through it
//! by its unwind information, and no Rust frame is ever between the two. While neither of a call's events is
//! on there is no frame at all, only a jump.
//!
//! # Safety
//!
//! The frame calls what is here with pointers to the words that it has kept on the stack.

use crate::preload::function;
use crate::preload::wrapper::real;
use core::ffi::CStr;
use core::mem::transmute;
use core::ptr::with_exposed_provenance;
use core::sync::atomic::AtomicUsize;
use text_poke::Threads;
use trace_event::{BegunWaits, EnteredCall, FrameRecord, OuterCall, enter_call, leave_call};

/// A symbol that is wrapped.
///
/// Made by the assembly of its stub, with distances from its own address instead of addresses: so it is
/// constant, and the dynamic linker has nothing to do for it when a process starts.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Wrapped {
    /// To where the address of libc's function is kept, once it is known.
    pub(crate) found: i32,
    /// To the word that says whether the entry's event is on, as long as there is no session, see
    /// [`trace_event::ENABLED_SHIFT`]. The word of the exit's event follows.
    pub(crate) enabled: i32,
    /// To the call's [`Around`].
    pub(crate) around: i32,
    /// To the symbol's name.
    pub(crate) name: i32,
    /// 1 if there are hooks, which have to be called in any case.
    pub(crate) hooked: u32,
    /// 1 if there are parameters on the stack. Else nothing above the return address need be there.
    pub(crate) stacked: u32,
    /// 1 if the call's return is seen. Else libc's function is jumped to: it sees its caller.
    pub(crate) returns: u32,
    /// 1 if it is no reason to attach: such a call may be made, by the dynamic linker for one, before
    /// anything else is ready.
    pub(crate) early: u32,
    /// The index of the entry's event, by which threads say that they are in the call; 0 if its return is not
    /// seen.
    pub(crate) shown: u32,
    /// What the call adds to the locks that the thread holds when it succeeds: 1, -1 or nothing. Where it is
    /// something that is all that its hooks do.
    pub(crate) locks: i32,
}

/// What is done around a call: hooks, and events as far as they are on.
pub(crate) type Around = unsafe fn(&mut CallFrame, CallPhase);

/// When something is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallPhase {
    Before,
    After,
}

/// What is done around a call besides recording.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallHooks {
    /// Before; it may change the arguments.
    pub(crate) before: unsafe fn(&mut CallFrame),
    /// After.
    pub(crate) after: unsafe fn(&mut CallFrame),
}

/// A call under way: what is kept of it on the stack.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct CallFrame {
    /// The arguments: six from registers, two from the stack, if the call has any there.
    pub(crate) arguments: [u64; 8],
    /// What the call has returned.
    pub(crate) result: u64,
    /// For hooks.
    pub(crate) scratch: u64,
    /// Where the call comes from.
    pub(crate) caller: u64,
    /// Libc's function.
    pub(crate) real: usize,
    pub(crate) wrapped: &'static Wrapped,
    /// What a variadic call has in rax.
    pub(crate) rax: u64,
    /// When it was made: a reading of [`call_time`](trace_event::call_time), or 0 if none of its events was
    /// enabled then.
    pub(crate) start: u64,
    /// What it waits for as far as wake-ups are measured, see `wakeup.rs`.
    pub(crate) waits: BegunWaits,
    /// What the thread was in before. Nothing where the call has no start, or doesn't return.
    outer: OuterCall,
}

const _: () = assert!(size_of::<CallFrame>().is_multiple_of(16));

impl CallFrame {
    /// Has another function called than libc's, with the same contract: for hooks before the call.
    pub(crate) fn call_instead(&mut self, function: usize) {
        self.real = function;
    }

    /// Whether the thread says of itself that it is in this call: while it has events.
    fn is_shown(&self) -> bool {
        self.start != 0 && self.wrapped.shown != 0
    }

    /// What the assembly has pushed before it: the program's rbp, and above it is where the call returns to.
    #[inline(always)]
    pub(crate) fn record(&self) -> *const FrameRecord {
        with_exposed_provenance((&raw const *self).wrapping_add(1).addr())
    }
}

/// What is done before libc's function is called.
pub(crate) unsafe extern "C" fn before(frame: &mut CallFrame) {
    function::keep_up((&raw const *frame).addr(), Threads::Running);
    frame.real = frame.wrapped.real();
    frame.caller = function::real_caller(frame.caller);
    // SAFETY: the frame of a call to this symbol.
    unsafe { (frame.wrapped.around())(frame, CallPhase::Before) };
    if frame.is_shown() {
        let entered = EnteredCall {
            index: frame.wrapped.shown,
            argument: frame.arguments[0],
            start: frame.start,
            frame: (&raw const *frame).addr(),
        };
        enter_call(entered, &mut frame.outer);
    }
}

/// What is done after it has returned.
pub(crate) unsafe extern "C" fn after(frame: &mut CallFrame) {
    // SAFETY: the frame of a call to this symbol.
    unsafe { (frame.wrapped.around())(frame, CallPhase::After) };
    if frame.is_shown() {
        leave_call((&raw const *frame).addr(), &frame.outer);
    }
    function::keep_up((&raw const *frame).addr(), Threads::Running);
}

impl Wrapped {
    /// Libc's function.
    pub(crate) fn real(&self) -> usize {
        // SAFETY: the stub's assembly has put a word there.
        let found = unsafe { &*self.at::<AtomicUsize>(self.found) };
        // SAFETY: the stub's assembly has put a text with a zero byte there.
        let name = || unsafe { CStr::from_ptr(self.at(self.name)) };
        real::known(found, name, self.early == 0)
    }

    /// Whether it is this function.
    pub(crate) fn is_called(&self, name: &CStr) -> bool {
        // SAFETY: the stub's assembly has put a text with a zero byte there.
        unsafe { CStr::from_ptr(self.at(self.name)) == name }
    }

    /// Whether it is a function that `-D_FORTIFY_SOURCE` puts in place of another, as `__syslog_chk`.
    pub(crate) fn is_checked(&self) -> bool {
        // SAFETY: the stub's assembly has put a text with a zero byte there.
        unsafe { CStr::from_ptr(self.at(self.name)) }.to_bytes().starts_with(b"__")
    }

    fn around(&self) -> Around {
        // SAFETY: the stub's assembly has put such a function there.
        unsafe { transmute(self.at::<()>(self.around)) }
    }

    fn at<T>(&self, distance: i32) -> *const T {
        (&raw const *self).cast::<u8>().wrapping_offset(distance as isize).cast()
    }
}
