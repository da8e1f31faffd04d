//! What the recorder keeps for each thread, in [`thread_words!`].

use crate::attachment::Parent;
use crate::current;
use crate::given_names;
use crate::innermost::{forget_place, say_none, use_place};
use crate::libc_tid::libc_tid;
use crate::replaced::replaces;
use crate::shared::SharedSession;
use crate::site;
use crate::{thread_words, two_thread_words};
use control::{NewTask, is_placeholder};
use core::mem::offset_of;
use rseq::Area;
use rustix::thread::gettid;

/// A thread's words. All zero in a thread that has recorded nothing yet.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub struct ThreadState {
    /// The common fields of the thread's events without the event's id: the TID in the upper half; no TID
    /// sends a writer to where that is found out. The state in the other half is there in any case.
    pub common: u64,
    /// The entry in the table of threads + 1; 0 when it has none. The first thread of a process is in the
    /// process's entry instead.
    pub task: u32,
    /// What libc had as the thread's TID when `common` was set. In the child of a fork it has another.
    pub libc_tid: u32,
    /// Not 0 while these words may be in use by a child that shares its parent's memory, as vfork and clone
    /// make them. Such a child has no rseq although its parent's lies where it would look for it, and the
    /// parent's TID would be here. So who makes one sets these words aside, to all zero but this one, which
    /// says who that is, its TID in the upper half, and the state. Whoever finds this has to ask the kernel
    /// who it is, child or parent, and writes to a lane. The parent takes its words back once the child is
    /// gone from its memory; a handler that interrupts it before that finds them aside, too.
    ///
    /// Where the kernel may not be asked, the lower half is the placeholder that stands for the child; else
    /// it is
    /// 1. Then `aside_common` says that the child is running.
    pub aside: u64,
    /// What such a child is in common fields, once it is known.
    pub aside_common: u64,
    /// Which signals the thread blocks, see [`crate::set_signal_mask`]. A child in its parent's memory goes
    /// on from its parent's, which is there again afterwards, as are the locks.
    pub mask: u64,
    /// How many locks it holds.
    pub locks: u32,
    /// Which of the process's sessions `common` and `task` are of: how many there were before. In another one
    /// the thread is entered again.
    pub session: u32,
}

const _: () = assert!(offset_of!(ThreadState, mask).is_multiple_of(16));

impl ThreadState {
    /// The state of the thread in the word of common fields.
    fn bits(&self) -> u64 {
        self.common & abi::common::STATE
    }
}

/// The placeholder in such a word as [`ThreadState::aside`], if there is one.
pub fn placeholder(aside: u64) -> Option<u32> {
    Some(aside as u32).filter(|number| is_placeholder(*number))
}

/// The thread that has set the calling thread's words aside.
pub fn maker_aside() -> u32 {
    (load().aside >> 32) as u32
}

/// The entry of the child for which the calling thread's words are aside, if that is what runs here.
pub(crate) fn child_entry(shared: &SharedSession) -> Option<u32> {
    let child = start_aside(shared, load()).map(abi::common::pid)?;
    Some(shared.find_child(child as u32)?.entry)
}

/// The placeholder of the child for which the calling thread's words are aside; 0 where it has none.
pub fn placeholder_aside() -> u32 {
    placeholder(load().aside).unwrap_or(0)
}

/// Says whether the child for which the calling thread's words are aside is what runs here from now on, or
/// is no longer: it is about to execute a program, or to end. Only where the kernel may not be asked who
/// runs here that makes a difference: in between, what the maker does in a handler counts as the child's.
pub fn child_in_memory(runs: bool) {
    let state = load();
    if let (Some(number), Some(shared)) = (placeholder(state.aside), current::shared()) {
        let common = abi::common::word(0, 0, 0, number as i32);
        if runs && shared.find_child(number).is_none() {
            shared.enter_child(number);
            shared.control.pid_forked(maker_aside(), number);
        }
        store(ThreadState { aside_common: if runs { common } else { 0 }, ..state });
    }
}

thread_words!(
    /// The calling thread's words. They are nobody else's, but see [`ThreadState::aside`].
    #[inline(always)]
    pub fn thread_state() -> *mut ThreadState,
    "lookback_thread_state"
);

/// Reads the calling thread's words.
#[inline(always)]
pub(crate) fn load() -> ThreadState {
    // SAFETY: the words are the thread's own; see `thread_state`.
    unsafe { thread_state().read_volatile() }
}

/// The calling thread's rseq area; None where it may not use it, see [`ThreadState::aside`].
#[inline(always)]
pub(crate) fn area(shared: &SharedSession) -> Option<Area> {
    // SAFETY: the words are the thread's own.
    let aside = unsafe { (&raw const (*thread_state()).aside).read_volatile() };
    if aside != 0 { None } else { shared.area() }
}

/// The common fields of the calling thread, if it has recorded before, and is not a child of who has: by
/// fork, or in its memory.
#[inline(always)]
pub(crate) fn known() -> Option<u64> {
    let words = thread_state();
    // SAFETY: the words are the thread's own.
    let (common, before, session) = unsafe {
        (
            (&raw const (*words).common).read_volatile(),
            (&raw const (*words).libc_tid).read_volatile(),
            (&raw const (*words).session).read_volatile(),
        )
    };
    let is_own = before == libc_tid() && current::is_turn(session);
    (abi::common::pid(common) != 0 && is_own).then_some(common)
}

/// As [`known`], by fewer loads: None also where libc has another TID than the thread's events, as in a child
/// that it has not made.
#[inline(always)]
pub(crate) fn known_by_libc() -> Option<u64> {
    const COMMON: usize = offset_of!(ThreadState, common);
    const SESSION: usize = offset_of!(ThreadState, session);
    let (common, session) = two_thread_words!("lookback_thread_state", COMMON, SESSION);
    let is_own = abi::common::pid(common) as u32 == libc_tid() && current::is_turn(session as u32);
    is_own.then_some(common)
}

/// The calling thread's TID, if it is known so.
#[inline(always)]
pub(crate) fn known_tid() -> Option<u32> {
    known().map(|common| abi::common::pid(common) as u32)
}

fn store(state: ThreadState) {
    // SAFETY: the words are the thread's own.
    unsafe { thread_state().write_volatile(state) }
}

/// Whether the caller is a child in its parent's memory, see [`ThreadState::aside`].
pub fn is_aside() -> bool {
    load().aside != 0
}

/// Finds out who the calling thread is, enters it into the session's table and gives its common fields.
/// None, and an event counted, where it can't be found out.
pub(crate) fn start(shared: &SharedSession) -> Option<u64> {
    let state = load();
    if state.aside != 0 {
        return start_aside(shared, state).map(|common| common | state.bits());
    }
    let tid = libc_tid();
    let is_found = !cfg!(feature = "table_of_threads")
        || !is_entered(&state)
        || replaces(shared, [state.task, state.libc_tid]);
    let state = is_found.then(load)?;
    let other = || (shared.hooks.pid)().filter(|pid| *pid != shared.pid());
    // Libc has forked without having been seen to, in a thread that had recorded or in one that had not.
    let forked_pid = if is_entered(&state) { Some(tid) } else { other() };
    if let Some(pid) = forked_pid {
        forked(pid);
        return Some(load().common);
    }
    if has_small_stack(shared) {
        shared.writer().count_unidentified();
        return None;
    }
    Some(enter_thread(shared, state, tid, shared.comm()))
}

/// Whether the calling thread's stack may not be large enough for us: glibc makes none that is so small, and
/// under musl a program has to ask for one. Such a thread is not recorded.
fn has_small_stack(shared: &SharedSession) -> bool {
    /// To turn a page, and to enter a thread, takes up to 2 KB, and what libc's functions need is to be left.
    const SMALLEST: usize = 8 << 10;
    (shared.hooks.stack)().is_some_and(|own| own.range.len() < SMALLEST)
}

/// Whether the thread whose words these are has recorded in the session.
fn is_entered(state: &ThreadState) -> bool {
    abi::common::pid(state.common) != 0 && current::is_turn(state.session)
}

/// Enters the calling thread, which has just been made, under its maker's name, as the kernel has it. One
/// that doesn't come by here is entered at its first event, under the name of its process.
pub fn begin_thread(maker_comm: [u8; 16]) {
    let state = load();
    if let Some(shared) = current::shared().filter(|_| !is_entered(&state) && state.aside == 0)
        && !has_small_stack(shared)
    {
        enter_thread(shared, state, libc_tid(), maker_comm);
    }
}

/// Enters the calling thread into the session's table, unless it is the first of its process, and gives its
/// common fields.
fn enter_thread(shared: &SharedSession, state: ThreadState, tid: u32, comm: [u8; 16]) -> u64 {
    let task = if tid == shared.pid() { None } else { shared.add_task(tid, comm) };
    let common = abi::common::word(0, 0, 0, tid as i32) | state.bits();
    let (task_word, session) = (task.map_or(0, |task| task + 1), current::turn());
    store(ThreadState { common, task: task_word, libc_tid: tid, session, ..state });
    use_place(&shared.control, task, shared.process());
    (shared.hooks.thread_started)();
    load().common
}

/// Does so while the words are set aside: they keep `common` at 0, so that whoever uses them comes here each
/// time. A child in its parent's memory is a process of its own to the session.
fn start_aside(shared: &SharedSession, state: ThreadState) -> Option<u64> {
    if placeholder(state.aside).is_some() {
        if state.aside_common == 0 {
            shared.writer().count_unidentified();
        }
        return Some(state.aside_common).filter(|common| *common != 0);
    }
    let tid = gettid().as_raw_nonzero().get();
    let common = abi::common::word(0, 0, 0, tid);
    if tid as u32 != maker_aside() && common != state.aside_common {
        shared.enter_child(tid as u32);
        shared.control.pid_forked(maker_aside(), tid as u32);
        store(ThreadState { aside_common: common, ..state });
    }
    Some(common)
}

/// The entry of the calling thread in the table of threads, if it has one there.
pub(crate) fn current_task() -> Option<u32> {
    let state = load();
    state.task.checked_sub(1).filter(|_| current::is_turn(state.session))
}

/// Says that the calling thread ends. What it still records it records as who it was: it is not entered
/// again, its end would not be noticed.
pub fn end_thread() {
    if known_tid().is_some() {
        say_none();
        forget_place();
    }
    if let (Some(shared), Some(task)) = (current::shared(), current_task()) {
        shared.control.end_task(task, shared.now());
        shared.control.pid_ended(libc_tid());
        site::thread_ended(libc_tid());
    }
    store(ThreadState { task: 0, ..load() });
    #[cfg(feature = "table_of_threads")]
    crate::thread_table::give_back();
}

/// Says to the recorder that it is in the child of a fork, in the only thread of a new process, `pid`: its
/// TID, or a placeholder for it. When libc has forked and the thread had recorded something, it finds out
/// by itself at its next event; not so when the kernel was asked directly.
pub fn forked(pid: u32) {
    let Some(shared) = current::shared() else { return };
    let parent_pid = shared.pid();
    // What the thread knows of itself is still its parent's; if it has recorded anything there. A handler
    // that comes in between changes that once the process is known to be new.
    let state = load();
    let known = if state.aside == 0 { state.common } else { state.aside_common };
    if !shared.is_new_process(pid) {
        return;
    }
    forget_place();
    let tid = match abi::common::pid(known) {
        0 => parent_pid,
        tid => tid as u32,
    };
    let parent = Parent { tid, comm: shared.thread_comm() };
    shared.enter_copy(pid, parent_pid);
    site::copied(tid);
    // Before anything is recorded of the child.
    shared.control.pid_forked(tid, pid);
    let common = abi::common::word(0, 0, 0, pid as i32) | state.bits();
    let (libc_tid, mask, locks) = (libc_tid(), state.mask, state.locks);
    let session = current::turn();
    store(ThreadState { common, libc_tid, mask, locks, session, ..ThreadState::default() });
    use_place(&shared.control, None, shared.process());
    (shared.hooks.thread_started)();
    (shared.hooks.forked)(parent);
}

impl SharedSession {
    /// Enters a thread of this process, under a name that it was given, if it was.
    fn add_task(&self, tid: u32, comm: [u8; 16]) -> Option<u32> {
        let process = self.process();
        let task = NewTask { tid, tgid: self.pid(), process, comm, time: self.now() };
        let entry = self.control.add_task(&task)?;
        if let Some(given) = given_names::take(tid) {
            self.control.rename_task(entry, given);
        }
        Some(entry)
    }

    /// The calling thread's name.
    pub(crate) fn thread_comm(&self) -> [u8; 16] {
        let task = current_task().and_then(|task| self.control.task(task));
        task.map_or(self.comm(), |task| task.comm)
    }
}
