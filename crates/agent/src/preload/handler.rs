//! Handlers of signals: an event where one is entered.
//!
//! The kernel gets a thunk of ours in place of the program's handler. The thunk records and jumps: the
//! handler runs on the kernel's own frame, returns to where libc has said, may be interrupted by itself and
//! left by longjmp as it could be without us.
//!
//! A thunk stands for one handler with one set of flags, for good. So what the kernel says that it has, by
//! whomever it was set, always tells the program's own handler, and nothing here has to agree with the
//! kernel about what is set just now. When all thunks are taken, a handler is set as it is, and not seen.
//!
//! Handlers are set with `SA_SIGINFO`, whatever the program says: only then the kernel tells the signal's
//! code. What the program is told that it has set is what it has set.
//!
//! # Safety
//!
//! Functions that take the place of libc's have the contract of the calls that they stand for. The thunks are
//! called by the kernel, or by who handles signals between us and it, as a handler with `SA_SIGINFO` is.

use crate::preload::argument::Value;
use crate::preload::frame::{Frame, Hooks};
use crate::preload::real::real;
use crate::preload::record;
use crate::preload::running;
use crate::preload::stub::stub;
use core::arch::naked_asm;
use core::mem::MaybeUninit;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use events::Call;
use events::SA_RESTORER;
use events::signal;
use libc::sigaction as SignalAction;
use libc::{SA_RESTART, SA_SIGINFO, SIG_DFL, SIG_ERR, SIG_IGN, siginfo_t, ucontext_t};
use ring_buffer::Record;
use trace_event::{enter, is_enabled, session};

/// How many handlers with their flags are told apart.
const THUNKS: usize = 128;

/// Bytes of a thunk's code.
const THUNK_SIZE: usize = 16;

/// Bytes of an alternate stack that recording leaves to the handler. With less it is not recorded: the
/// program may have made its stack as large as it needs it itself.
const ROOM: usize = 3072;

/// The handler of each thunk, see [`Action::packed`]; 0 for one that is free.
#[unsafe(link_section = ".bss.lookback_large_handlers")]
static HANDLERS: [AtomicU64; THUNKS] = [const { AtomicU64::new(0) }; THUNKS];

/// A handler and the flags that it was set with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Action {
    handler: usize,
    flags: u32,
}

impl Action {
    /// In one word: the address in 48 bits, the flags that there are above. None when that doesn't fit.
    fn packed(self) -> Option<u64> {
        let flags = self.flags & 7 | self.flags >> 10 << 3 & 0x18 | self.flags >> 26 << 5;
        let packed = self.handler as u64 | u64::from(flags) << 48;
        (Action::unpacked(packed) == self).then_some(packed)
    }

    fn unpacked(packed: u64) -> Action {
        let flags = (packed >> 48) as u32;
        let flags = flags & 7 | (flags & 0x18) << 7 | flags >> 5 << 26;
        Action { handler: (packed & 0xffff_ffff_ffff) as usize, flags }
    }

    /// The thunk that stands for it, if it needs one and there is one.
    fn thunk(self) -> Option<usize> {
        if [SIG_DFL, SIG_IGN, SIG_ERR].contains(&self.handler) || session().is_none() {
            return None;
        }
        let packed = self.packed()?;
        let is_its = |word: &AtomicU64| {
            let taken = word.compare_exchange(0, packed, AcqRel, Acquire);
            taken.is_ok() || taken == Err(packed)
        };
        let index = HANDLERS.iter().position(is_its)?;
        Some(thunks as *const () as usize + index * THUNK_SIZE)
    }

    /// What the thunk at `address` stands for, if there is one.
    fn of(address: usize) -> Option<Action> {
        let offset = address.wrapping_sub(thunks as *const () as usize);
        let word = HANDLERS.get(offset / THUNK_SIZE)?;
        Some(Action::unpacked(word.load(Acquire)))
    }
}

/// What the program has set where the kernel has `handler`.
fn own(handler: usize) -> usize {
    Action::of(handler).map_or(handler, |action| action.handler)
}

/// The thunks, each with its number in eax.
#[unsafe(naked)]
unsafe extern "C" fn thunks() {
    naked_asm!(
        ".cfi_startproc",
        ".set lookback_thunk, 0",
        ".rept {THUNKS}",
        ".byte 0xb8",               // mov eax,
        ".long lookback_thunk",
        ".byte 0xe9",               // jmp
        ".long {deliver} - . - 4",
        ".balign {SIZE}",
        ".set lookback_thunk, lookback_thunk + 1",
        ".endr",
        ".cfi_endproc",
        THUNKS = const THUNKS,
        SIZE = const THUNK_SIZE,
        deliver = sym deliver,
    )
}

/// What all thunks jump to. The handler gets the registers and the stack that the kernel has made for it.
#[unsafe(naked)]
unsafe extern "C" fn deliver() {
    naked_asm!(
        ".cfi_startproc",
        "push rdi",
        ".cfi_adjust_cfa_offset 8",
        "push rsi",
        ".cfi_adjust_cfa_offset 8",
        "push rdx",
        ".cfi_adjust_cfa_offset 8",
        "mov ecx, eax",
        "call {delivered}",     // rax: the program's handler
        "pop rdx",
        ".cfi_adjust_cfa_offset -8",
        "pop rsi",
        ".cfi_adjust_cfa_offset -8",
        "pop rdi",
        ".cfi_adjust_cfa_offset -8",
        "mov r11, rax",
        "xor eax, eax",
        "jmp r11",
        ".cfi_endproc",
        delivered = sym delivered,
    )
}

/// Records that a handler is entered, and gives it.
unsafe extern "C" fn delivered(
    number: i32,
    info: *const siginfo_t,
    context: *const ucontext_t,
    thunk: usize,
) -> usize {
    let action = Action::unpacked(HANDLERS.get(thunk).map_or(0, |word| word.load(Relaxed)));
    // SAFETY: the kernel has put it on the stack.
    unsafe { running::begins(context) };
    // SAFETY: the kernel has put both on the stack.
    if is_enabled(signal::DELIVER_ID) && unsafe { has_room(context) } {
        // SAFETY: as above.
        record(action, number, unsafe { &*info });
    }
    action.handler
}

/// Whether there is room on the stack to record.
///
/// # Safety
///
/// The context is that of a handler's thread.
unsafe fn has_room(context: *const ucontext_t) -> bool {
    // SAFETY: the caller's promise.
    let stack = unsafe { (*context).uc_stack };
    let here = (&raw const stack).addr();
    let below = here.wrapping_sub(stack.ss_sp.addr());
    below >= stack.ss_size || below >= ROOM
}

#[inline(never)]
fn record(action: Action, number: i32, info: &siginfo_t) {
    let Some(entered) = enter() else { return };
    let mut record = Record::<5>::new();
    record.push(entered.common(signal::DELIVER_ID));
    for half in [number, info.si_errno, info.si_code, 0] {
        record.push_half(half as u32);
    }
    record.push(action.handler as u64);
    record.push(u64::from(action.flags | SA_RESTORER as u32));
    entered.write(record.event());
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
    let values = [Value::Half(number as u32), Value::Word(new as u64), Value::Word(old as u64)];
    record_entry(Call::sigaction, values, caller);
    let mut ours = MaybeUninit::uninit();
    // SAFETY: the program's own call. libc reads the action of such a signal at once, too.
    let result = unsafe {
        let new = match new.is_null() || !is_signal(number) {
            true => new,
            false => with_thunk(&*new, &mut ours).unwrap_or(new),
        };
        real_sigaction()(number, new, old)
    };
    if result == 0 && !old.is_null() {
        // SAFETY: libc has filled it.
        let old = unsafe { &mut *old };
        if let Some(action) = Action::of(old.sa_sigaction) {
            old.sa_sigaction = action.handler;
            old.sa_flags &= !SA_SIGINFO | action.flags as i32;
        }
    }
    record_exit(Call::sigaction, Value::Half(result as u32), result == -1);
    result
}

/// The same action with a thunk, in `ours`.
fn with_thunk(new: &SignalAction, ours: &mut MaybeUninit<SignalAction>) -> Option<*const SignalAction> {
    let thunk = Action { handler: new.sa_sigaction, flags: new.sa_flags as u32 }.thunk()?;
    let ours = ours.write(*new);
    ours.sa_sigaction = thunk;
    ours.sa_flags |= SA_SIGINFO;
    Some(ours)
}

stub!(sigaction, sigaction_body, number new old);
stub!(__sigaction, sigaction_body, number new old);

/// Signals that interrupt calls although signal(2) has set their handlers, a bit for each: what libc keeps
/// for siginterrupt(3).
static INTERRUPTING: AtomicU64 = AtomicU64::new(0);

fn bit(number: i32) -> u64 {
    1u64.wrapping_shl(number as u32 - 1)
}

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
struct Kind {
    flags: i32,
    /// Whether the signal waits while it is handled.
    blocks: bool,
}

/// Sets a handler by sigaction, which takes the flags that a thunk needs. None when it needs no thunk.
fn set(number: i32, handler: usize, kind: Kind) -> Option<usize> {
    if !is_signal(number) {
        return None;
    }
    let thunk = Action { handler, flags: kind.flags as u32 }.thunk()?;
    // SAFETY: an action of zeros is a valid one.
    let (mut new, mut old): (SignalAction, SignalAction) = unsafe { core::mem::zeroed() };
    new.sa_sigaction = thunk;
    new.sa_flags = kind.flags | SA_SIGINFO;
    if kind.blocks {
        // SAFETY: a set of signals starts with a word that has a bit for each.
        unsafe { (&raw mut new.sa_mask).cast::<u64>().write(bit(number)) };
    }
    // SAFETY: what the program has asked for.
    let result = unsafe { real_sigaction()(number, &raw const new, &raw mut old) };
    Some(if result == 0 { own(old.sa_sigaction) } else { SIG_ERR })
}

/// Defines a body for signal(2), or what is called so elsewhere.
macro_rules! signal {
    ($body:ident, $real:literal, |$number:ident| $kind:expr) => {
        unsafe extern "C" fn $body($number: i32, handler: usize, caller: usize) -> usize {
            let values = [Value::Half($number as u32), Value::Word(handler as u64), Value::Nothing];
            record_entry(Call::signal, values, caller);
            // SAFETY: the function has this type; the program's own call.
            let result = unsafe {
                let real: unsafe extern "C" fn(i32, usize) -> usize = core::mem::transmute(real!($real));
                set($number, handler, $kind).unwrap_or_else(|| own(real($number, handler)))
            };
            record_exit(Call::signal, Value::Word(result as u64), result == SIG_ERR);
            result
        }
    };
}

signal!(signal_body, c"signal", |number| {
    let interrupts = INTERRUPTING.load(Relaxed) & bit(number) != 0;
    Kind { flags: if interrupts { 0 } else { SA_RESTART }, blocks: true }
});
signal!(sysv_signal_body, c"sysv_signal", |number| {
    Kind { flags: libc::SA_RESETHAND | libc::SA_NODEFER, blocks: false }
});

stub!(signal, signal_body, number handler);
stub!(bsd_signal, signal_body, number handler);
stub!(ssignal, signal_body, number handler);
stub!(sysv_signal, sysv_signal_body, number handler);
stub!(__sysv_signal, sysv_signal_body, number handler);

/// sigset(3): libc sets the handler as it is, and tells which one it was before.
pub(crate) const SIGSET: Hooks = Hooks { before: |_| (), after: after_sigset };

unsafe fn after_sigset(frame: &mut Frame) {
    frame.result = own(frame.result as usize) as u64;
}

fn record_entry(call: Call, [first, second, third]: [Value; 3], caller: usize) {
    // SAFETY: no value is followed.
    unsafe { record::write(call.entry(), &[first, second, third, Value::Word(caller as u64)]) };
}

fn record_exit(call: Call, result: Value, failed: bool) {
    // SAFETY: libc's word for the calling thread.
    let error = if failed { unsafe { *libc::__errno_location() } } else { 0 };
    // SAFETY: no value is followed.
    unsafe { record::write(call.exit(), &[result, Value::Half(error as u32)]) };
}
