//! What a filter can ask for that isn't in the record.

use crate::shared::SharedSession;
use crate::thread;
use control::Context;
use core::cell::OnceCell;
use ring_buffer::current_cpu;
use rseq::Area;

/// The calling thread, as far as filters know it. Nothing is looked up before it is asked for.
pub(crate) struct CallingThread<'a> {
    shared: &'a SharedSession,
    comm: OnceCell<[u8; 16]>,
}

impl CallingThread<'_> {
    /// The calling thread.
    pub(crate) fn new(shared: &SharedSession) -> CallingThread<'_> {
        CallingThread { shared, comm: OnceCell::new() }
    }
}

impl Context for CallingThread<'_> {
    /// Where the thread is now. It may be moved before the event is written.
    fn cpu(&self) -> u32 {
        thread::area(self.shared).and_then(Area::cpu).unwrap_or_else(current_cpu)
    }

    fn comm(&self) -> &[u8] {
        if self.comm.get().is_none() {
            let _ = self.comm.set(self.shared.thread_comm());
        }
        self.comm.get().map_or(&[], |comm| comm)
    }
}
