//! From records as a session has them to records that mean something elsewhere.

use crate::addresses::{AddressPlace, Addresses, PLACES, places_of_fields};
use crate::queue::placed;
use crate::tables::{Tables, TasksByTime};
use abi::control::{event_index, is_of_kernel};
use events::ftrace::{FUNC_REPEATS, FUNC_REPEATS_ID, KERNEL_STACK_ID};
use events::{FieldKind, sched};
use session::{Instance, MARKER_IP, Timeline};
use std::sync::{Arc, LazyLock};
use trace_data::bytes::u64_at;
use trace_data::record::Record;

/// Gives records the time that is to be shown, their CPU where they come from a lane, and addresses that have
/// a name. It is given them in the order of time.
#[derive(Debug)]
pub(crate) struct Translator {
    session: Arc<Instance>,
    timeline: Timeline,
    pub(crate) tasks: TasksByTime,
    pub(crate) addresses: Addresses,
    /// The payload of a record that was changed.
    payload: Vec<u8>,
    /// Where on the timeline the last record was.
    stretch: usize,
    /// Where the last time within a record was.
    inner_stretch: usize,
}

impl Translator {
    /// One that knows no threads yet: [`Translator::renew`].
    pub(crate) fn new(session: Arc<Instance>, timeline: Timeline, addresses: Addresses) -> Translator {
        let tasks = TasksByTime::default();
        let payload = Vec::new();
        Translator { session, timeline, tasks, addresses, payload, stretch: 0, inner_stretch: 0 }
    }

    /// Goes on with what is known by now.
    pub(crate) fn renew(&mut self, timeline: Timeline, tables: &mut Tables) {
        (self.timeline, self.tasks.lives) = (timeline, tables.lives());
        (self.stretch, self.inner_stretch) = (0, 0);
    }

    /// How times are shown.
    pub(crate) fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// The record, translated; None for bytes that are no event.
    pub(crate) fn translate<'r>(&'r mut self, record: &Record<'r>) -> Option<Record<'r>> {
        let record = placed(record, self.session.buffer().geometry().cpus)?;
        let (id, payload) = (record.id(), record.payload);
        if is_of_kernel(id) {
            // It has addresses of the kernel's, and threads that nobody stands for.
            return Some(Record { time: self.timeline.time_near(record.time, &mut self.stretch), ..record });
        }
        if id == sched::FORK_ID {
            self.note_fork(payload, record.time);
        }
        let is_changed = match id {
            KERNEL_STACK_ID => self.unwind(payload, record.time),
            _ => {
                let places = PLACES.get(event_index(id)).map_or(&[][..], Vec::as_slice);
                self.name_addresses(places, payload, record.time)
            }
        };
        let is_changed = self.resolve_placeholders(id, payload, is_changed);
        let is_changed = self.convert_times(id, &record, is_changed);
        let time = self.timeline.time_near(record.time, &mut self.stretch);
        let payload = if is_changed { &self.payload } else { payload };
        Some(Record { time, payload, ..record })
    }

    /// Takes note of who has made whom.
    fn note_fork(&mut self, payload: &[u8], time: u64) {
        let half = |field| {
            let bytes = payload.get(sched::FORK.offset(field)..)?.first_chunk()?;
            Some(u32::from_le_bytes(*bytes))
        };
        // `parent_pid` and `child_pid`.
        if let (Some(parent), Some(child)) = (half(1), half(3)) {
            self.tasks.forked(parent, child, time);
        }
    }

    /// Puts TIDs into the copy of a record, which is made if there is none yet, where it has placeholders
    /// for them. Whether there is a copy.
    fn resolve_placeholders(&mut self, id: u16, payload: &[u8], is_copied: bool) -> bool {
        let mut is_copied = is_copied;
        let own = std::iter::once(TID_OFFSET);
        let places = own.chain(PID_PLACES.get(event_index(id)).into_iter().flatten().copied());
        for offset in places {
            let Some(bytes) = payload.get(offset..).and_then(|rest| rest.first_chunk()) else { continue };
            let tid = u32::from_le_bytes(*bytes);
            let resolved = self.tasks.resolve(tid);
            if resolved != tid {
                self.put(payload, &mut is_copied, offset, resolved.to_le_bytes());
            }
        }
        is_copied
    }

    /// Puts times that readers understand into the copy of a record, where it has some. Whether there is a
    /// copy.
    fn convert_times(&mut self, id: u16, record: &Record<'_>, is_copied: bool) -> bool {
        let (mut is_copied, payload) = (is_copied, record.payload);
        for offset in TIME_PLACES.get(event_index(id)).into_iter().flatten().copied() {
            let Some(written) = u64_at(payload, offset) else { continue };
            let time = self.timeline.nanoseconds_near(written, &mut self.inner_stretch);
            self.put(payload, &mut is_copied, offset, time.to_le_bytes());
        }
        if id == FUNC_REPEATS_ID
            && let Some(halves) = u64_at(payload, REPEATS_OFFSET)
        {
            let repeats = halves as u16;
            let delta = (halves >> 16 & 0xffff) << 32 | halves >> 32;
            let last = self.timeline.time_near(record.time.wrapping_sub(delta), &mut self.inner_stretch);
            let delta = self.timeline.time(record.time).saturating_sub(last).min((1 << 48) - 1);
            let halves = u64::from(repeats) | (delta >> 32) << 16 | delta << 32;
            self.put(payload, &mut is_copied, REPEATS_OFFSET, halves.to_le_bytes());
        }
        is_copied
    }

    /// Puts bytes into the copy of a record, which is made if there is none yet.
    fn put<const N: usize>(&mut self, payload: &[u8], is_copied: &mut bool, offset: usize, bytes: [u8; N]) {
        if !std::mem::replace(is_copied, true) {
            self.payload.clear();
            self.payload.extend_from_slice(payload);
        }
        if let Some(place) = self.payload.get_mut(offset..).and_then(|rest| rest.first_chunk_mut()) {
            *place = bytes;
        }
    }

    /// Copies a captured stack, as addresses.
    fn unwind(&mut self, payload: &[u8], time: u64) -> bool {
        self.payload.clear();
        self.payload.extend_from_slice(payload);
        let tid = u64_at(payload, 0).map_or(0, abi::common::pid) as u32;
        let process = self.tasks.process(tid, time);
        self.addresses.unwind(self.session.control(), process, &mut self.payload);
        true
    }

    /// Copies a record with addresses that mean in the recording what those in it mean. False where it stays
    /// as it is: to copy each, and look at the copy at once, was a tenth of all that pages take.
    fn name_addresses(&mut self, places: &[AddressPlace], payload: &[u8], time: u64) -> bool {
        let mut is_copied = false;
        for place in places {
            if let Some(address) = self.name_address(*place, payload, time) {
                self.put(payload, &mut is_copied, place.offset, address.to_le_bytes());
            }
        }
        is_copied
    }

    /// The address that means in the recording what the one in a payload means; None where that
    /// is the same.
    fn name_address(&mut self, place: AddressPlace, payload: &[u8], time: u64) -> Option<u64> {
        let address = u64_at(payload, place.offset)?;
        if address == MARKER_IP {
            self.addresses.name_marker();
            return None;
        }
        let tid = abi::common::pid(u64_at(payload, 0)?) as u32;
        let process = self.tasks.process(tid, time)?;
        let control = self.session.control();
        let translated = match place.is_return {
            true => self.addresses.translate(control, process, address),
            false => self.addresses.translate_start(control, process, address),
        };
        (translated != address).then_some(translated)
    }
}

/// Where every record has the TID of who has written it.
const TID_OFFSET: usize = 4;

/// Where else PIDs are in each event that is built in, by their ids.
static PID_PLACES: LazyLock<Vec<Vec<usize>>> =
    LazyLock::new(|| places_of_fields(|offset, kind| (kind == FieldKind::Pid).then_some(offset)));

/// Where times are in each event that is built in, by their ids.
static TIME_PLACES: LazyLock<Vec<Vec<usize>>> =
    LazyLock::new(|| places_of_fields(|offset, kind| (kind == FieldKind::Time).then_some(offset)));

/// Where an event that stands for others says how many, and how long before it the last was: 16 bits, 16 high
/// bits and 32 low bits.
const REPEATS_OFFSET: usize = FUNC_REPEATS.offset(2);
