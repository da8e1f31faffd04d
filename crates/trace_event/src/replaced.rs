//! Words in a table of threads that are those of a thread which has ended.

use crate::shared::SharedSession;

/// Has words be the calling thread's own, which have the entry (+ 1) and the TID of another thread: all zero,
/// if that was one of this process; in a child that was forked they stay. False, and an event counted, where
/// the kernel may not be asked which it is.
pub(crate) fn replaces(shared: &SharedSession, [task, tid]: [u32; 2]) -> bool {
    let Some(pid) = (shared.hooks.pid)() else {
        shared.writer().count_unidentified();
        return false;
    };
    if pid == shared.pid() {
        (shared.hooks.thread_replaced)();
        if let Some(task) = task.checked_sub(1) {
            shared.control.end_task(task, shared.now());
            shared.control.pid_ended(tid);
        }
        #[cfg(feature = "table_of_threads")]
        crate::thread_table::clear_own();
    }
    true
}
