//! That a thread calls the kernel, or has called it: what is recorded.

use super::call::SavedRegisters;
use super::moved_site;
use crate::preload::record::system_call::{record_enter, record_exit, try_record as try_write};
use crate::preload::thread::end::end_calling_thread;
use core::sync::atomic::AtomicBool;
use trace_event::{CallRecord, FrameRecord, call_time, enter_in_libc, enter_known_in_libc, thread_words};

/// What moved code knows of a system call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SystemCallWord {
    /// Its number, if that is known.
    pub(super) number: Option<u32>,
    pub(super) is_exit: bool,
}

impl SystemCallWord {
    const EXIT: u64 = 1 << 32;
    const UNKNOWN: u64 = 1 << 33;

    pub(super) fn to_word(self) -> u64 {
        let number = self.number.map_or(SystemCallWord::UNKNOWN, u64::from);
        number | if self.is_exit { SystemCallWord::EXIT } else { 0 }
    }

    #[inline(always)]
    pub(super) fn of_word(word: u64) -> SystemCallWord {
        let number = (word & SystemCallWord::UNKNOWN == 0).then_some(word as u32);
        SystemCallWord { number, is_exit: word & SystemCallWord::EXIT != 0 }
    }
}

/// What the entry has on the stack: registers, and the frame.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct SavedSystemCall {
    /// Where the entry returns to in moved code.
    moved: u64,
    registers: SavedRegisters,
    flags: u64,
    /// As if the function had called something at the instruction.
    frame: FrameRecord,
}

/// The call that a thread is in whose number isn't known beforehand.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(16))]
struct UnnumberedCall {
    /// Where its frame is: one that a handler makes has another one.
    frame: u64,
    number: u64,
}

thread_words!(fn begun() -> *mut UnnumberedCall, "lookback_thread_system_call");

/// Whether system calls are wanted, for libc's function that makes one of any number.
pub(crate) static ARE_SEEN: AtomicBool = AtomicBool::new(false);

/// Records that a call begins, or ends, whose instructions were moved.
pub(crate) extern "C" fn record_system_call(saved: &SavedSystemCall) {
    let word = moved_site::word_before(saved.moved);
    record_by_word(SystemCallWord::of_word(word), &saved.registers, &raw const saved.frame);
}

/// Records that a call begins or ends, as the word of its moved code says.
pub(super) fn record_by_word(word: SystemCallWord, registers: &SavedRegisters, frame: *const FrameRecord) {
    if word.is_exit {
        if let Some(number) = word.number.or_else(|| begun_at(frame)) {
            record_system_call_exit(number, registers.system_call().cast_signed(), frame);
        }
        return;
    }
    let number = word.number.unwrap_or(registers.system_call() as u32);
    if word.number.is_none() {
        begin(frame, number);
    }
    record_system_call_enter(number, &registers.system_call_arguments(), frame);
    // Nobody else says that a thread of a static program ends.
    if cfg!(feature = "static_program") && i64::from(number) == libc::SYS_exit {
        end_calling_thread();
    }
}

/// As [`record_system_call`], of a call whose number the code has, if that is a common case. None, and
/// nothing recorded, if not. Nothing is called for it.
#[inline(always)]
pub(super) fn try_record(saved: &SavedSystemCall) -> Option<()> {
    let word = SystemCallWord::of_word(moved_site::word_before(saved.moved));
    let (number, known) = (word.number?, enter_known_in_libc()?);
    let registers = &saved.registers;
    let arguments = match word.is_exit {
        true => [registers.system_call(), 0, 0, 0, 0, 0],
        false => registers.system_call_arguments(),
    };
    try_write(known, (number, word.is_exit), &arguments)
}

/// Records that a call begins. The frame is that of a function which returns after this.
pub(crate) fn record_system_call_enter(number: u32, arguments: &[u64; 6], frame: *const FrameRecord) {
    let time = call_time();
    if let Some(entered) = enter_in_libc() {
        record_enter(entered, number, arguments, CallRecord { frame, time });
    }
}

/// Records that one has ended, as [`record_system_call_enter`].
pub(crate) fn record_system_call_exit(number: u32, result: i64, frame: *const FrameRecord) {
    let time = call_time();
    if let Some(entered) = enter_in_libc() {
        record_exit(entered, number, result, CallRecord { frame, time });
    }
}

/// Notes that a call begins.
fn begin(frame: *const FrameRecord, number: u32) {
    // SAFETY: the words are the thread's own.
    unsafe { begun().write_volatile(UnnumberedCall { frame: frame.addr() as u64, number: number.into() }) };
}

/// The number of the call that has begun at this frame; None where a handler's calls have come in between.
fn begun_at(frame: *const FrameRecord) -> Option<u32> {
    // SAFETY: the words are the thread's own.
    let UnnumberedCall { frame: begun, number } = unsafe { begun().read_volatile() };
    (begun == frame.addr() as u64).then_some(number as u32)
}
