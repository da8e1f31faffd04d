//! Signals that end the process.
//!
//! Where the program has the default disposition, the kernel gets a thunk of ours, if the session wants
//! snapshots of such errors. It records, takes the snapshot, and lets the process end as it would have: the
//! disposition becomes the default, and then the instruction faults again, or the signal is sent again with
//! what the kernel has said of it, and arrives once the handler has returned. So the core dump, its registers
//! and its `siginfo_t`, and the status are those of a process that is not traced.
//!
//! The handler may run on any stack and in any code, ours included. All signals are blocked in it: a fault of
//! its own makes the kernel end the process at once. It makes system calls, so there is none where a filter
//! of system calls may be: before the program installs one, the default dispositions are put back.
//!
//! # Safety
//!
//! What is here is called by the thunks, with what the kernel has given to them, and by who sets handlers.

use crate::preload::arch::system_call;
use crate::preload::object::symbols;
use crate::preload::object::tables::SymbolName;
use crate::preload::process::sandbox;
use crate::preload::signal::action::HandlerAction;
use crate::preload::signal::running::has_space;
use abi::control::ErrorSet;
use core::mem::{transmute, zeroed};
use core::ptr::{null, null_mut};
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU32, AtomicUsize};
use events::exceptions;
use libc::sigaction as SignalAction;
use libc::{
    BUS_MCEERR_AO, SIG_BLOCK, SIG_DFL, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP, SYS_getpid,
    SYS_gettid, SYS_getuid, SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_tgsigqueueinfo, siginfo_t,
    ucontext_t,
};
use ring_buffer::{Reason, RecordBuffer, SnapshotCause};
use trace_event::{SeenError, chooses_errors, enter, is_enabled};

/// The signals whose default disposition ends the process with a core dump, and that programs get for errors.
const SIGNALS: [i32; 7] = [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS, SIGTRAP, SIGABRT];

/// Bytes of the kernel's sets of signals.
const SET_SIZE: u64 = 8;

/// The thread that has said already why it is about to end by SIGABRT.
static ABORTING: AtomicU32 = AtomicU32::new(0);

/// Makes a system call with up to four arguments.
///
/// # Safety
///
/// As the call itself has it.
unsafe fn call(number: i64, [a, b, c, d]: [u64; 4]) -> i64 {
    // SAFETY: the caller's promise.
    unsafe { system_call::call(number, [a, b, c, d, 0, 0]) }
}

/// libc's sigaction(2).
///
/// # Safety
///
/// As the call itself has it.
unsafe fn sigaction(number: i32, new: *const SignalAction, old: *mut SignalAction) -> i32 {
    const NAME: SymbolName<'_> = SymbolName::new(b"sigaction\0");
    type Sigaction = unsafe extern "C" fn(i32, *const SignalAction, *mut SignalAction) -> i32;
    static FOUND: AtomicUsize = AtomicUsize::new(0);
    if FOUND.load(Relaxed) == 0 {
        let Some(found) = symbols::find_libc(NAME) else { return -1 };
        FOUND.store(found, Relaxed);
    }
    // SAFETY: the function has this type; the caller's promise.
    unsafe { transmute::<usize, Sigaction>(FOUND.load(Relaxed))(number, new, old) }
}

fn own_pid() -> i32 {
    // SAFETY: asks a number.
    unsafe { call(SYS_getpid, [0; 4]) as i32 }
}

fn own_tid() -> i32 {
    // SAFETY: asks a number.
    unsafe { call(SYS_gettid, [0; 4]) as i32 }
}

/// The user of the process, where that may be asked for.
fn own_uid() -> Option<u32> {
    // SAFETY: asks a number.
    (!sandbox::may_be_there()).then(|| unsafe { call(SYS_getuid, [0; 4]) as u32 })
}

/// Takes a snapshot for an error of the calling thread's, or of another process, if such errors are to take
/// one.
pub(crate) fn take_snapshot(kind: ErrorSet, tid: Option<u32>, cause: SnapshotCause, reason: Reason) {
    if chooses_errors(kind) {
        SeenError { kind, tid, uid: own_uid(), cause, reason }.take_snapshot();
    }
}

/// What a signal counts as.
pub(crate) fn kind(number: i32) -> ErrorSet {
    if SIGNALS.contains(&number) { ErrorSet::of_signal(number as u32) } else { ErrorSet::NONE }
}

/// Whether the default disposition of this signal is to be replaced.
pub(crate) fn is_wanted(number: i32) -> bool {
    chooses_errors(kind(number)) && !sandbox::may_be_there()
}

/// Replaces the default dispositions. Where the program has another, that stays.
pub(crate) fn install() {
    SIGNALS.into_iter().filter(|number| is_wanted(*number)).for_each(put_back);
}

/// Replaces the disposition of a signal, if that is the default.
pub(crate) fn put_back(number: i32) {
    if !is_wanted(number) {
        return;
    }
    // SAFETY: an action of zeros is a valid one.
    let mut found: SignalAction = unsafe { zeroed() };
    // SAFETY: asks what is set.
    let is_known = unsafe { sigaction(number, null(), &raw mut found) } == 0;
    let action = HandlerAction::fatal(found.sa_flags as u32);
    if is_known
        && found.sa_sigaction == SIG_DFL
        && let Some(thunk) = action.thunk()
    {
        found.sa_sigaction = thunk;
        found.sa_flags = action.kernel_flags();
        // SAFETY: the handler does what the default does.
        unsafe { sigaction(number, &raw const found, null_mut()) };
    }
}

/// Puts the default dispositions back.
pub(crate) fn remove() {
    for number in SIGNALS {
        // SAFETY: an action of zeros is a valid one.
        let mut found: SignalAction = unsafe { zeroed() };
        // SAFETY: asks what is set.
        let is_known = unsafe { sigaction(number, null(), &raw mut found) } == 0;
        if is_known
            && let Some(action) = HandlerAction::of(found.sa_sigaction).filter(|found| found.is_fatal())
        {
            found.sa_sigaction = SIG_DFL;
            found.sa_flags = action.flags as i32;
            // SAFETY: what the program has set.
            unsafe { sigaction(number, &raw const found, null_mut()) };
        }
    }
}

/// Makes a call that may install a filter of system calls: the handler would make some that it forbids.
pub(crate) fn installing_filter<T: Copy>(
    call: impl FnOnce() -> T,
    has_succeeded: impl FnOnce(T) -> bool,
) -> T {
    let had_none = !sandbox::may_be_there();
    let result = sandbox::installing(
        || {
            if had_none {
                remove();
            }
            call()
        },
        has_succeeded,
    );
    install();
    result
}

/// Records a page fault, if that is what the thread is here for.
pub(crate) fn record_fault(context: &ucontext_t) {
    const PAGE_FAULT: i64 = 14;
    let register = |index: i32| context.uc_mcontext.gregs.get(index as usize).map_or(0, |word| *word);
    if register(libc::REG_TRAPNO) != PAGE_FAULT || !is_enabled(exceptions::PAGE_FAULT_ID) {
        return;
    }
    let Some(entered) = enter() else { return };
    let mut record = RecordBuffer::<4>::new();
    record.push(entered.common(exceptions::PAGE_FAULT_ID));
    for index in [libc::REG_CR2, libc::REG_RIP, libc::REG_ERR] {
        record.push(register(index) as u64);
    }
    entered.write(record.event());
}

/// Says that the calling thread has taken a snapshot, and is about to end by SIGABRT.
pub(crate) fn is_aborting() {
    ABORTING.store(own_tid() as u32, Relaxed);
}

/// Whether it has said so.
pub(crate) fn is_aborting_already() -> bool {
    ABORTING.load(Relaxed) == own_tid() as u32
}

/// The handler.
pub(crate) unsafe extern "C" fn end(number: i32, info: *const siginfo_t, context: *const ucontext_t) {
    let all = u64::MAX;
    // SAFETY: until the handler returns nothing else runs in this thread.
    unsafe {
        call(SYS_rt_sigprocmask, [SIG_BLOCK as u64, (&raw const all).addr() as u64, 0, SET_SIZE]);
    }
    // SAFETY: the kernel has put it on the stack.
    let code = unsafe { (*info).si_code };
    let pid = own_pid();
    if pid == 1 && code <= 0 {
        // The kernel drops signals that are sent to the first process of a namespace and not handled.
        return;
    }
    // SAFETY: the kernel has put it on the stack.
    if unsafe { has_space(context) } {
        keep(number);
    }
    let default = [0_u64; 4];
    // SAFETY: an action of zeros is the default; what is queued is what the kernel has said.
    unsafe {
        call(SYS_rt_sigaction, [number as u64, (&raw const default).addr() as u64, 0, SET_SIZE]);
        if !faults_again(number, code) {
            let info = info.addr() as u64;
            call(SYS_rt_tgsigqueueinfo, [pid as u64, own_tid() as u64, number as u64, info]);
        }
    }
}

/// Whether the instruction that the thread goes on with has caused the signal, and will do so again.
fn faults_again(number: i32, code: i32) -> bool {
    code > 0
        && match number {
            SIGSEGV | SIGFPE | SIGILL => true,
            SIGBUS => code != BUS_MCEERR_AO,
            _ => false,
        }
}

#[inline(never)]
fn keep(number: i32) {
    if number == SIGABRT && is_aborting_already() {
        return;
    }
    let cause = SnapshotCause::Signal { number: number as u16 };
    take_snapshot(kind(number), None, cause, Reason::default());
}
