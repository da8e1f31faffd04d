//! Handlers of signals: an event where one is entered.
//!
//! The kernel gets a thunk of ours in place of the program's handler. The thunk records and jumps: the
//! handler runs on the kernel's own frame, returns to where libc has said, may be interrupted by itself and
//! left by longjmp as it could be without us.
//!
//! A thunk stands for one handler with one set of flags, for good. So what the kernel says that it has, by
//! whomever it was set, always identifies the program's own handler, and nothing here has to agree with the
//! kernel about what is set just now. When all thunks are taken, a handler is set as it is, and not seen.
//!
//! Handlers are set with `SA_SIGINFO`, whatever the program says: only then the kernel reports the signal's
//! code. When the program asks, it gets what it has set.
//!
//! # Safety
//!
//! Functions that take the place of libc's have the contract of the calls that they stand for. The thunks are
//! called by the kernel, or by who handles signals between us and it, as a handler with `SA_SIGINFO` is.

use crate::preload::arch::stub::stub;
use crate::preload::record;
use crate::preload::record::start::CallStart;
use crate::preload::record::value::FieldValue;
use crate::preload::signal::action::HandlerAction;
use crate::preload::signal::blocked::{SignalMask, bit};
use crate::preload::signal::deliver::note_mask;
use crate::preload::signal::{fatal, mask};
use crate::preload::wrapper::frame::{CallFrame, CallHooks};
use crate::preload::wrapper::real::real;
use core::mem::MaybeUninit;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;
use events::{Call, SA_RESTORER};
use libc::sigaction as SignalAction;
use libc::{SA_ONSTACK, SA_RESTART, SA_SIGINFO, SIG_DFL, SIG_ERR, SIG_IGN};

impl HandlerAction {
    /// What a program sets for a signal: the agent's own handler in place of the default disposition, where
    /// errors of this kind are to be seen.
    fn set_by_program(number: i32, handler: usize, flags: u32) -> Option<HandlerAction> {
        match handler {
            // libc adds the flag to what is set by it.
            SIG_DFL => fatal::is_wanted(number).then(|| HandlerAction::fatal(flags | SA_RESTORER as u32)),
            SIG_IGN | SIG_ERR => None,
            _ => Some(HandlerAction { handler, flags }),
        }
    }

    /// Makes of the action that the kernel has with its thunk the one that the program has set.
    fn show_instead(self, action: &mut SignalAction) {
        action.sa_sigaction = self.known_handler();
        if self.is_fatal() {
            action.sa_flags &= !(SA_SIGINFO | SA_ONSTACK | SA_RESTORER) | self.flags as i32;
            if self.flags & SA_RESTORER as u32 == 0 {
                action.sa_restorer = None;
            }
        } else {
            action.sa_flags &= !SA_SIGINFO | self.flags as i32;
        }
    }
}

/// Has the kernel have the program's own handlers in place of thunks. Where another thread sets one just
/// then, that one stays.
pub(crate) fn give_back() {
    for number in (1..=64).filter(|number| is_signal(*number)) {
        // SAFETY: actions of zeros are valid ones.
        let (mut found, mut before): (SignalAction, SignalAction) = unsafe { core::mem::zeroed() };
        // SAFETY: asks what is set.
        let is_known = unsafe { real_sigaction()(number, core::ptr::null(), &raw mut found) } == 0;
        let action = HandlerAction::of(found.sa_sigaction).filter(|action| is_known && !action.is_fatal());
        let Some(action) = action else { continue };
        let thunk = found.sa_sigaction;
        action.show_instead(&mut found);
        // SAFETY: what the program has set.
        unsafe {
            real_sigaction()(number, &raw const found, &raw mut before);
            if before.sa_sigaction != thunk {
                real_sigaction()(number, &raw const before, core::ptr::null_mut());
            }
        }
    }
}

/// What the program has set where the kernel has `handler`.
fn own(handler: usize) -> usize {
    HandlerAction::of(handler).map_or(handler, HandlerAction::known_handler)
}

/// Whether libc lets a program handle this signal, as far as its number says.
fn is_signal(number: i32) -> bool {
    // Two are libc's own.
    (1..=64).contains(&number) && !(32..34).contains(&number)
}

type Sigaction = unsafe extern "C" fn(i32, *const SignalAction, *mut SignalAction) -> i32;

fn real_sigaction() -> Sigaction {
    // SAFETY: the function has this type.
    unsafe { core::mem::transmute(real!(c"sigaction")) }
}

unsafe extern "C" fn sigaction_body(
    number: i32,
    new: *const SignalAction,
    old: *mut SignalAction,
    caller: usize,
) -> i32 {
    let values =
        [FieldValue::Half(number as u32), FieldValue::Word(new as u64), FieldValue::Word(old as u64)];
    let start = record_entry(Call::sigaction, values, caller);
    let mut ours = MaybeUninit::uninit();
    // SAFETY: the program's own call. libc reads the action of such a signal at once, too.
    let result = unsafe {
        let new = match new.is_null() || !is_signal(number) {
            true => new,
            false => with_thunk(number, &*new, &mut ours).unwrap_or(new),
        };
        let is_set = !new.is_null() && is_signal(number);
        // `old` may be in its place.
        let mask = if is_set { (&raw const (*new).sa_mask).cast::<SignalMask>().read() } else { 0 };
        let result = real_sigaction()(number, new, old);
        if result == 0 && is_set {
            note_mask(number, mask);
        }
        result
    };
    if result == 0 && !old.is_null() {
        // SAFETY: libc has filled it.
        let old = unsafe { &mut *old };
        if let Some(action) = HandlerAction::of(old.sa_sigaction) {
            action.show_instead(old);
        }
    }
    record_exit(start, FieldValue::Half(result as u32), result == -1);
    result
}

/// An action with a thunk for the handler of `new`, in `ours`.
fn with_thunk(
    number: i32,
    new: &SignalAction,
    ours: &mut MaybeUninit<SignalAction>,
) -> Option<*const SignalAction> {
    let action = HandlerAction::set_by_program(number, new.sa_sigaction, new.sa_flags as u32)?;
    let thunk = action.thunk()?;
    let ours = ours.write(*new);
    ours.sa_sigaction = thunk;
    ours.sa_flags |= action.kernel_flags();
    Some(ours)
}

stub!(sigaction, sigaction_body, number new old);
stub!(__sigaction, sigaction_body, number new old);

/// Signals that interrupt calls although signal(2) has set their handlers, a bit for each: what libc keeps
/// for siginterrupt(3).
static INTERRUPTING: AtomicU64 = AtomicU64::new(0);

unsafe extern "C" fn siginterrupt_body(number: i32, interrupts: i32, _caller: usize) -> i32 {
    // SAFETY: the function has this type.
    let real: unsafe extern "C" fn(i32, i32) -> i32 = unsafe { core::mem::transmute(real!(c"siginterrupt")) };
    // SAFETY: the program's own call.
    let result = unsafe { real(number, interrupts) };
    if result == 0 && interrupts != 0 {
        INTERRUPTING.fetch_or(bit(number), Relaxed);
    } else if result == 0 {
        INTERRUPTING.fetch_and(!bit(number), Relaxed);
    }
    result
}

stub!(siginterrupt, siginterrupt_body, number interrupts);

/// What signal(2) and its System V kind ask of the kernel.
struct HandlerKind {
    flags: i32,
    /// Whether the signal waits while it is handled.
    blocks: bool,
}

/// Sets a handler by sigaction, which takes the flags that a thunk needs. None when it needs no thunk.
fn set(number: i32, handler: usize, kind: HandlerKind) -> Option<usize> {
    if !is_signal(number) {
        return None;
    }
    let action = HandlerAction::set_by_program(number, handler, kind.flags as u32)?;
    let thunk = action.thunk()?;
    // SAFETY: an action of zeros is a valid one.
    let (mut new, mut old): (SignalAction, SignalAction) = unsafe { core::mem::zeroed() };
    new.sa_sigaction = thunk;
    new.sa_flags = action.kernel_flags() & !SA_RESTORER;
    if kind.blocks {
        // SAFETY: a set of signals starts with a word that has a bit for each.
        unsafe { (&raw mut new.sa_mask).cast::<u64>().write(bit(number)) };
    }
    // SAFETY: what the program has asked for.
    let result = unsafe { real_sigaction()(number, &raw const new, &raw mut old) };
    if result == 0 {
        note_mask(number, 0);
    }
    Some(if result == 0 { own(old.sa_sigaction) } else { SIG_ERR })
}

/// Defines a body for signal(2), or what is called so elsewhere.
macro_rules! signal {
    ($body:ident, $real:literal, |$number:ident| $kind:expr) => {
        unsafe extern "C" fn $body($number: i32, handler: usize, caller: usize) -> usize {
            let values =
                [FieldValue::Half($number as u32), FieldValue::Word(handler as u64), FieldValue::Nothing];
            let start = record_entry(Call::signal, values, caller);
            // SAFETY: the function has this type; the program's own call.
            let result = unsafe {
                let real: unsafe extern "C" fn(i32, usize) -> usize = core::mem::transmute(real!($real));
                set($number, handler, $kind).unwrap_or_else(|| own(real($number, handler)))
            };
            record_exit(start, FieldValue::Word(result as u64), result == SIG_ERR);
            result
        }
    };
}

signal!(signal_body, c"signal", |number| {
    let interrupts = INTERRUPTING.load(Relaxed) & bit(number) != 0;
    HandlerKind { flags: if interrupts { 0 } else { SA_RESTART }, blocks: true }
});
signal!(sysv_signal_body, c"sysv_signal", |number| {
    HandlerKind { flags: libc::SA_RESETHAND | libc::SA_NODEFER, blocks: false }
});

stub!(signal, signal_body, number handler);
stub!(bsd_signal, signal_body, number handler);
stub!(ssignal, signal_body, number handler);
stub!(sysv_signal, sysv_signal_body, number handler);
stub!(__sysv_signal, sysv_signal_body, number handler);

/// sigset(3): libc sets the handler as it is, blocks the signal or not, and returns which handler was set
/// before.
pub(crate) const SIGSET: CallHooks = CallHooks { before: |_| (), after: after_sigset };

unsafe fn after_sigset(frame: &mut CallFrame) {
    frame.result = own(frame.result as usize) as u64;
    mask::ask_again(frame.wrapped.real());
    let [number, handler, ..] = frame.arguments;
    if handler as usize == SIG_DFL {
        fatal::put_back(number as i32);
    }
}

fn record_entry(call: Call, [first, second, third]: [FieldValue; 3], caller: usize) -> CallStart {
    let start = CallStart::of(call);
    // SAFETY: no value is followed.
    unsafe { record::write(call.entry(), &[first, second, third, FieldValue::Word(caller as u64)]) };
    start
}

fn record_exit(start: CallStart, result: FieldValue, failed: bool) {
    let Some(duration) = start.duration() else { return };
    // SAFETY: libc's word for the calling thread.
    let error = if failed { unsafe { *libc::__errno_location() } } else { 0 };
    // SAFETY: no value is followed.
    unsafe { record::write(start.call.exit(), &[result, FieldValue::Half(error as u32), duration]) };
}
