//! What recording may cost: looked at by whoever has turned a page, on his way to the next event.
//!
//! What costs too much is dropped event by event: the most frequent one of the page that was just filled, of
//! those that can be missed. It comes back when its pause is over, and recording costs less than it may.
//!
//! Async-signal-safe: bounded work, no allocation; no system call, but one where an event comes back, for
//! programs that wait to hear of it.

use crate::current;
use crate::shared::SharedSession;
use abi::control::{FIRST_EVENT, is_of_tracer};
use abi::instance::RECORDING;
use control::{Budget, EVENT_NAME, Spending};
use events::governor::{BACK, DROPPED, GOVERNOR_ID, fixed_fields};
use events::{in_progress, sched};
use ring_buffer::{RecordBuffer, WriterThread};

/// Words of the event: common fields, four more, the name.
const WORDS: usize = 4 + EVENT_NAME / 8;

/// Events of different kinds that are counted in a page: what is beyond them is not the most frequent.
const KINDS: usize = 32;

/// An event that is less than this part of a page isn't what costs: so nothing is dropped where what can't be
/// fills it.
const LEAST_PART: u64 = 32;

/// Looks at what was recorded on a CPU until its last page was turned, for a thread that has written there.
/// `taken` is what its event took, as far as a [`PageTurned`](ring_buffer::PageTurned) is told it.
#[cold]
#[inline(never)]
pub(crate) fn page_turned(cpu: u32, thread: WriterThread, taken: Option<u64>) {
    let Some(shared) = current::shared() else { return };
    let (control, buffer) = (&shared.control, shared.writer().buffer());
    if control.budget().is_none() {
        return;
    }
    let Some(first_event) = buffer.page_start(cpu) else { return };
    let now = crate::call_time();
    match control.spend(cpu, first_event, now, taken) {
        Some((budget, Spending::TooMuch { rate })) => {
            let Some((id, rate)) = costliest(shared, cpu, rate) else { return };
            if control.drop_event(id, rate, now) {
                record(shared, thread, (id, DROPPED), rate, budget);
            }
        }
        Some((budget, Spending::Quiet)) => {
            if let Some((id, rate)) = control.restore_due(now) {
                if (shared.hooks.may_call)() {
                    control.announce_switched();
                }
                record(shared, thread, (id, BACK), rate, budget);
            }
        }
        Some((_, Spending::Fair)) | None => {}
    }
}

/// The most frequent event of the last page that can be dropped, and its share of `rate`.
fn costliest(shared: &SharedSession, cpu: u32, rate: u64) -> Option<(u16, u32)> {
    let (mut kinds, mut all) = ([(0_u16, 0_u16); KINDS], 0_u64);
    shared.writer().buffer().visit_page_before(cpu, |head| {
        let id = head as u16;
        all += 1;
        if let Some(kind) = kinds.iter_mut().find(|(known, count)| *known == id || *count == 0) {
            *kind = (id, kind.1 + 1);
        }
    });
    let can_be = |&&(id, count): &&(u16, u16)| {
        count > 0 && can_be_dropped(id) && shared.control.is_enabled(id, RECORDING)
    };
    let (id, count) = *kinds.iter().filter(can_be).max_by_key(|(_, count)| *count)?;
    if u64::from(count) * LEAST_PART < all {
        return None;
    }
    let rate = rate.saturating_mul(count.into()).checked_div(all)?;
    Some((id, rate.min(u32::MAX.into()) as u32))
}

/// Not what others make no sense without: which processes and threads there are, and this.
fn can_be_dropped(id: u16) -> bool {
    const NEEDED: [u16; 6] = [
        sched::FORK_ID,
        sched::EXEC_ID,
        sched::EXIT_ID,
        sched::WAIT_ID,
        in_progress::CALL_IN_PROGRESS_ID,
        GOVERNOR_ID,
    ];
    id >= FIRST_EVENT && !is_of_tracer(id) && !NEEDED.contains(&id)
}

fn record(shared: &SharedSession, thread: WriterThread, (id, state): (u16, u32), rate: u32, budget: Budget) {
    if !shared.control.is_enabled(GOVERNOR_ID, RECORDING) {
        return;
    }
    let mut name = [0; EVENT_NAME];
    let name = shared.control.event_name(id, &mut name).unwrap_or_default();
    let mut record = RecordBuffer::<WORDS>::new();
    // The identity begins with the TID.
    record.push(abi::common::word(GOVERNOR_ID, 0, 0, thread.identity as u32 as i32));
    let fields = fixed_fields(name.len(), state, rate, budget.millionths);
    fields.into_iter().for_each(|half| record.push_half(half));
    let mut text = [0; EVENT_NAME + 1];
    text.iter_mut().zip(name).for_each(|(to, byte)| *to = *byte);
    record.push_bytes(text.get(..name.len() + 1).unwrap_or_default());
    // If it can't be written, the buffer has counted it.
    let _ = shared.writer().write(thread, record.event());
}
