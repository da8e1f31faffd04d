//! What the recorder keeps for each thread.
//!
//! The words are thread-local in the initial-exec model, declared in assembly because stable Rust has no
//! other way to that model: reaching them is one instruction, never a call that might allocate. They are
//! part of the static TLS block, so they are there from a thread's first instruction to its last.

use crate::process::{self, Parent};
use crate::recorder::{self, Entered};
use crate::shared::Shared;
use control::NewTask;
use core::arch::{asm, global_asm};
use core::sync::atomic::AtomicIsize;
use core::sync::atomic::Ordering::Relaxed;
use rseq::Area;
use rustix::process::getpid;
use rustix::thread::gettid;

global_asm!(
    ".pushsection .tbss, \"awT\", @nobits",
    ".balign 16",
    ".hidden lookback_thread_state",
    ".globl lookback_thread_state",
    ".type lookback_thread_state, @object",
    "lookback_thread_state: .zero 32",
    ".size lookback_thread_state, 32",
    ".popsection",
);

/// A thread's words. All zero in a thread that has recorded nothing yet.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub struct ThreadState {
    /// The common fields of the thread's events without the event's id: the TID in the upper half. 0 sends
    /// a writer to where that is found out.
    pub common: u64,
    /// The entry in the table of threads + 1; 0 when it has none. The first thread of a process is in the
    /// process's entry instead.
    pub task: u32,
    /// What libc had as the thread's TID when `common` was set. In the child of a fork it has another.
    pub libc_tid: u32,
    /// Not 0 while these words may be in use by a child that shares its parent's memory, as vfork and clone
    /// make them. Such a child has no rseq although its parent's lies where it would look for it, and the
    /// parent's TID would be here. So who makes one sets these words aside, to all zero but this one, which
    /// says who that is: its common fields, + 1. Whoever finds this has to ask the kernel who it is, child or
    /// parent, and writes to a lane. The parent takes its words back once the child is gone from its memory;
    /// a handler that interrupts it before that finds them aside, too.
    pub aside: u64,
    /// What such a child is in common fields, once it is known.
    pub aside_common: u64,
}

impl ThreadState {
    /// What `aside` is to be while the words of `maker` are set aside.
    pub fn aside_for(maker: Option<Entered>) -> u64 {
        maker.map_or(0, |maker| maker.common(0)) + 1
    }
}

/// Sets the calling thread's words aside, and gives what they were.
///
/// In this order, word by word: a handler that comes in between must not take them for those of a new thread.
pub fn set_aside() -> ThreadState {
    let aside = ThreadState::aside_for(recorder::enter());
    let (words, before) = (thread_state(), load());
    // SAFETY: the words are the thread's own.
    unsafe {
        (&raw mut (*words).aside).write_volatile(aside);
        (&raw mut (*words).aside_common).write_volatile(0);
        (&raw mut (*words).common).write_volatile(0);
        (&raw mut (*words).task).write_volatile(0);
        (&raw mut (*words).libc_tid).write_volatile(0);
    }
    before
}

/// Takes the words back that were set aside, in the other order.
pub fn take_back(before: ThreadState) {
    let words = thread_state();
    // SAFETY: as above.
    unsafe {
        (&raw mut (*words).aside_common).write_volatile(before.aside_common);
        (&raw mut (*words).common).write_volatile(before.common);
        (&raw mut (*words).task).write_volatile(before.task);
        (&raw mut (*words).libc_tid).write_volatile(before.libc_tid);
        (&raw mut (*words).aside).write_volatile(before.aside);
    }
}

/// The thread that has set the calling thread's words aside.
pub fn maker_aside() -> u32 {
    abi::common::pid(load().aside.wrapping_sub(1)) as u32
}

/// The calling thread's words. They are nobody else's, but see [`ThreadState::aside`].
#[inline(always)]
pub fn thread_state() -> *mut ThreadState {
    let address: *mut ThreadState;
    // SAFETY: computes the address of the thread's own copy of the words above.
    unsafe {
        asm!(
            "mov {0}, qword ptr [rip + lookback_thread_state@GOTTPOFF]",
            "add {0}, fs:[0]",
            out(reg) address,
            options(pure, readonly, nostack),
        );
    }
    address
}

/// Reads the calling thread's words.
#[inline(always)]
pub(crate) fn load() -> ThreadState {
    // SAFETY: the words are the thread's own; see `thread_state`.
    unsafe { thread_state().read_volatile() }
}

/// The calling thread's rseq area; None where it may not use it, see [`ThreadState::aside`].
#[inline(always)]
pub(crate) fn area(shared: &Shared) -> Option<Area> {
    // SAFETY: the words are the thread's own.
    let aside = unsafe { (&raw const (*thread_state()).aside).read_volatile() };
    if aside != 0 { None } else { shared.area() }
}

fn store(state: ThreadState) {
    // SAFETY: as above.
    unsafe { thread_state().write_volatile(state) }
}

/// Whether the caller is a child in its parent's memory, see [`ThreadState::aside`].
pub fn is_aside() -> bool {
    load().aside != 0
}

/// Where libc keeps a thread's TID, counted from the thread pointer.
static TID_OFFSET: AtomicIsize = AtomicIsize::new(0);

pub(crate) fn use_tid_offset(offset: isize) {
    TID_OFFSET.store(offset, Relaxed);
}

/// The calling thread's TID, as libc has it. Only once the process is attached.
#[inline(always)]
pub(crate) fn libc_tid() -> u32 {
    // SAFETY: a TID was found there when the process was attached.
    unsafe { tid_at(TID_OFFSET.load(Relaxed)) }
}

/// Where libc keeps a thread's TID, as it was found when the process was attached.
pub fn tid_offset() -> isize {
    TID_OFFSET.load(Relaxed)
}

/// Where the calling thread's TID is, from the kernel, which is to clear it when the thread ends. None where
/// the kernel doesn't tell, or where libc has it clear something else. Cost: two system calls.
pub fn find_tid_offset() -> Option<isize> {
    let place = clear_tid_address().filter(|place| *place != 0)?;
    // SAFETY: an area at offset 0 is the thread pointer itself.
    let thread = unsafe { Area::at(0) }.address();
    let offset = place.wrapping_sub(thread.addr()).cast_signed();
    is_tid_at(offset).then_some(offset)
}

/// The address of the word that the kernel clears at the calling thread's end: prctl(2).
fn clear_tid_address() -> Option<usize> {
    const PRCTL: usize = 157;
    const PR_GET_TID_ADDRESS: usize = 40;
    // Set before: valgrind doesn't know that the call fills it in.
    let mut place = 0_usize;
    let mut result = PRCTL;
    // SAFETY: the kernel writes to the one word; the call's other effects are on the registers named.
    unsafe {
        asm!(
            "syscall",
            inout("rax") result,
            in("rdi") PR_GET_TID_ADDRESS,
            in("rsi") &raw mut place,
            in("rdx") 0,
            in("r10") 0,
            in("r8") 0,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    (result == 0).then_some(place)
}

/// Whether the calling thread's TID is where it is said to be.
pub(crate) fn is_tid_at(offset: isize) -> bool {
    // SAFETY: who says so knows libc: the word is within the thread's own block.
    (unsafe { tid_at(offset) }) == gettid().as_raw_nonzero().get() as u32
}

/// The word `offset` behind the thread pointer.
///
/// # Safety
///
/// 4 bytes there are readable.
#[inline(always)]
unsafe fn tid_at(offset: isize) -> u32 {
    // SAFETY: the caller's promise. An area at offset 0 is the thread pointer itself.
    unsafe { Area::at(0).address().wrapping_offset(offset).cast::<u32>().read_volatile() }
}

/// Finds out who the calling thread is, enters it into the session's table and gives its common fields.
pub(crate) fn start(shared: &Shared) -> u64 {
    let state = load();
    if state.aside != 0 {
        return start_aside(shared, state);
    }
    if getpid().as_raw_nonzero().get() as u32 != shared.pid() {
        forked();
        return load().common;
    }
    let tid = libc_tid();
    let task = if tid == shared.pid() { None } else { shared.add_task(tid) };
    let common = abi::common::word(0, 0, 0, tid as i32);
    store(ThreadState { common, task: task.map_or(0, |task| task + 1), libc_tid: tid, ..state });
    (shared.hooks.thread_started)();
    common
}

/// The same while the words are set aside: they keep `common` at 0, so that whoever uses them comes here each
/// time. A child in its parent's memory is a process of its own to the session.
fn start_aside(shared: &Shared, state: ThreadState) -> u64 {
    let pid = gettid().as_raw_nonzero().get();
    let common = abi::common::word(0, 0, 0, pid);
    if common != state.aside.wrapping_sub(1) && common != state.aside_common {
        shared.enter_child(pid as u32);
        shared.control.pid_forked(maker_aside(), pid as u32);
        store(ThreadState { aside_common: common, ..state });
    }
    common
}

/// The entry of the calling thread in the table of threads, if it has one there.
pub(crate) fn current_task() -> Option<u32> {
    load().task.checked_sub(1)
}

/// Says that the calling thread ends. What it still records it records as who it was: it is not entered
/// again, its end would not be noticed.
pub fn end_thread() {
    if let (Some(shared), Some(task)) = (process::shared(), current_task()) {
        shared.control.end_task(task, shared.now());
        shared.control.pid_ended(libc_tid());
    }
    store(ThreadState { task: 0, ..load() });
}

/// Tells the recorder that it is in the child of a fork, in the only thread of a new process. When libc has
/// forked, the thread finds out by itself at its next event; not so when the kernel was asked directly.
pub fn forked() {
    let Some(shared) = process::shared() else { return };
    let pid = getpid().as_raw_nonzero().get() as u32;
    let parent_pid = shared.pid();
    // What the thread knows of itself is still its parent's; if it has recorded anything there. A handler
    // that comes in between changes that once the process is known to be new.
    let state = load();
    let known = if state.aside == 0 { state.common } else { state.aside_common };
    if !shared.is_new_process(pid) {
        return;
    }
    let tid = match abi::common::pid(known) {
        0 => parent_pid,
        tid => tid as u32,
    };
    let parent = Parent { tid, comm: shared.thread_comm() };
    shared.enter_process();
    // Before anything is recorded of the child.
    shared.control.pid_forked(tid, pid);
    let common = abi::common::word(0, 0, 0, pid as i32);
    store(ThreadState { common, libc_tid: libc_tid(), ..ThreadState::default() });
    (shared.hooks.thread_started)();
    (shared.hooks.forked)(parent);
}

impl Shared {
    /// Enters a thread of this process. It has the first thread's name; in the kernel its maker's.
    fn add_task(&self, tid: u32) -> Option<u32> {
        let process = self.process();
        let task = NewTask { tid, tgid: self.pid(), process, comm: self.comm(), time: self.now() };
        self.control.add_task(&task)
    }

    /// The calling thread's name.
    pub(crate) fn thread_comm(&self) -> [u8; 16] {
        let task = current_task().and_then(|task| self.control.task(task));
        task.map_or(self.comm(), |task| task.comm)
    }
}
