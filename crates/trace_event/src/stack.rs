//! The stack that an event comes from: registers and a slice of memory, in a record directly after the
//! event's. Readers unwind it; programs have no frame pointers as a rule, and an unwinder in the program
//! would need locks.
//!
//! # Safety
//!
//! Nothing is read but what is sure to be there: the rest of the page that the stack pointer points into,
//! which the thread is using, and what is known of the stack that libc or the kernel has made for the thread
//! (`own_stack.rs`). On any other stack (a coroutine's, an alternate one for signals) it is that page alone.

use crate::arch;
use crate::entered::{CallRecord, Entered, FrameRecord};
use crate::own_stack::reach_in_stack;
use crate::shared::SharedSession;
use events::ftrace::KERNEL_STACK_ID;
use ring_buffer::{
    LEAST_SLICE, MOST_SLICE, NotWritten, RecordBuffer, SLICE_LEAD, SLICE_STEP, Sliced, Writer,
};
use shm::PAGE;

/// A call that is about to return.
#[derive(Debug, Clone, Copy)]
struct ReturningCall {
    /// The address that it returns to.
    rip: u64,
    /// The stack pointer then.
    rsp: u64,
    /// The caller's rbp.
    rbp: u64,
}

impl ReturningCall {
    /// That of a function which keeps a frame pointer.
    ///
    /// # Safety
    ///
    /// It has not returned.
    unsafe fn of(record: *const FrameRecord) -> ReturningCall {
        // SAFETY: the caller's promise.
        let [rbp, rip] = unsafe { record.read() };
        ReturningCall { rip, rsp: after(record) as u64, rbp }
    }

    /// As if something that was called here returned here.
    #[inline(always)]
    fn here() -> ReturningCall {
        let [rip, rsp, rbp] = arch::registers();
        ReturningCall { rip, rsp, rbp }
    }
}

/// Where the stack pointer is when the function has returned that has this record.
fn after(record: *const FrameRecord) -> usize {
    record.wrapping_add(1).addr()
}

/// Words of a record with less than [`LEAST_SLICE`] bytes of the stack.
const SHORT: usize = SLICE_LEAD + LEAST_SLICE / 8;

impl Entered {
    /// Writes the calling thread's stack to the buffer of an instance, `writer`'s: from where the program has
    /// made `call` (see [`Entered::write_called`]), else from here.
    ///
    /// Async-signal-safe, no system call, and no space on the stack for what is copied. What can't be written
    /// is counted in the buffer.
    #[inline(never)]
    pub(crate) fn write_stack(
        self,
        shared: &SharedSession,
        call: Option<CallRecord>,
        instance: usize,
        writer: &'static Writer,
    ) {
        let most = shared.control.stack_bytes(instance) as usize;
        let start = call.map_or_else(|| ReturningCall::here().rsp as usize, |call| after(call.frame));
        let len = readable(start, most.min(MOST_SLICE)) & !(SLICE_STEP - 1);
        let stack = start - size_of::<u64>()..start + len;
        (shared.hooks.show_callers)(stack.clone(), true);
        let call = match call {
            // SAFETY: who has called us says that it has not returned.
            Some(call) => unsafe { ReturningCall::of(call.frame) },
            None => ReturningCall::here(),
        };
        let lead = [self.common(KERNEL_STACK_ID), call.rip, call.rsp, call.rbp];
        let from = core::ptr::with_exposed_provenance(call.rsp as usize);
        let thread = self.thread(shared);
        // SAFETY: so much can be read.
        let write = |writer: &Writer| match unsafe { Sliced::new(lead, from, len) } {
            Some(sliced) => writer.write_sliced(thread, &sliced),
            // SAFETY: so much can be read, and the bytes are copied, whatever they are.
            None => writer.write(thread, unsafe { short(lead, from.cast(), len / 8) }.event()),
        };
        // The event that it belongs to may be in the last page that was mapped before the buffer has grown.
        if write(writer) == Err(NotWritten::NotMapped) {
            match shared.writer_of_all(instance) {
                Some(writer) => drop(write(writer)),
                None => writer.count_not_mapped(thread),
            }
        }
        (shared.hooks.show_callers)(stack, false);
    }
}

/// A record with so many words from `from`, or as many as it has space for.
///
/// # Safety
///
/// So many words can be read there.
unsafe fn short(lead: [u64; SLICE_LEAD], from: *const u64, words: usize) -> RecordBuffer<SHORT> {
    let mut record = RecordBuffer::new();
    lead.into_iter().for_each(|word| record.push(word));
    for index in 0..words {
        // SAFETY: the caller's promise. Other threads may write there.
        record.push(unsafe { from.add(index).read_volatile() });
    }
    record
}

/// How many bytes from the stack pointer on, which a call has returned to, can be read for sure: of `most`.
fn readable(stack_pointer: usize, most: usize) -> usize {
    // The call's return address was there.
    let end_of_page = ((stack_pointer - 1) | (PAGE - 1)) + 1;
    let wanted = stack_pointer + most;
    let end = if wanted <= end_of_page { None } else { reach_in_stack(stack_pointer, wanted) };
    wanted.min(end.unwrap_or(0).max(end_of_page)) - stack_pointer
}
