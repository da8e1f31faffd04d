//! From records as a session has them to records that mean something elsewhere.

use crate::addresses::{AddressPlace, Addresses, PLACES};
use crate::tables::{Forks, TasksByTime};
use agent::sched;
use session::{MARKER_IP, Session, Timeline};
use trace_data::merge::Record;
use trace_event::STACK_ID;

/// Gives records the time that is to be shown, their CPU where they come from a lane, and addresses that have
/// a name. It is given them in the order of time.
#[derive(Debug)]
pub(crate) struct Translator<'a> {
    session: &'a Session,
    timeline: &'a Timeline,
    tasks: TasksByTime<'a>,
    addresses: &'a mut Addresses,
    payload: Vec<u8>,
}

impl<'a> Translator<'a> {
    pub(crate) fn new(
        session: &'a Session,
        timeline: &'a Timeline,
        tasks: TasksByTime<'a>,
        addresses: &'a mut Addresses,
    ) -> Translator<'a> {
        Translator { session, timeline, tasks, addresses, payload: Vec::new() }
    }

    /// The record, translated; None for bytes that are no event.
    pub(crate) fn translate(&mut self, record: &Record<'_>) -> Option<Record<'_>> {
        let cpu = self.copy(record)?;
        let id = event(&self.payload);
        if id == sched::FORK_ID {
            self.note_fork(record.time);
        }
        if id == STACK_ID {
            self.unwind(record.time);
        }
        for place in PLACES.get(usize::from(id)).into_iter().flatten() {
            self.name_address(*place, record.time);
        }
        let time = self.timeline.time(record.time);
        Some(Record { cpu, time, payload: &self.payload, lost: record.lost })
    }

    /// Who has made whom, as far as the records have told.
    pub(crate) fn into_forks(self) -> Forks {
        self.tasks.into_forks()
    }

    /// Copies a record's payload and gives its CPU. What was written to a lane has its CPU before the
    /// payload.
    fn copy(&mut self, record: &Record<'_>) -> Option<u32> {
        let cpus = self.session.buffer().geometry().cpus;
        self.payload.clear();
        if record.cpu < cpus {
            self.payload.extend_from_slice(record.payload);
            return Some(record.cpu);
        }
        let (cpu, rest) = record.payload.split_first_chunk()?;
        self.payload.extend_from_slice(rest);
        Some((u64::from_le_bytes(*cpu) as u32).min(cpus - 1))
    }

    /// Takes note of who has made whom.
    fn note_fork(&mut self, time: u64) {
        let half = |field| {
            let bytes = self.payload.get(sched::FORK.offset(field)..)?.first_chunk()?;
            Some(u32::from_le_bytes(*bytes))
        };
        // `parent_pid` and `child_pid`.
        if let (Some(parent), Some(child)) = (half(1), half(3)) {
            self.tasks.forked(parent, child, time);
        }
    }

    /// Replaces a captured stack by addresses.
    fn unwind(&mut self, time: u64) {
        let tid = word(&self.payload, 0).map_or(0, abi::common::pid) as u32;
        let process = self.tasks.process(tid, time);
        self.addresses.unwind(self.session.control(), process, &mut self.payload);
    }

    /// Replaces an address by the one that means the same in the recording.
    fn name_address(&mut self, AddressPlace { offset, is_return }: AddressPlace, time: u64) {
        let (Some(common), Some(address)) = (word(&self.payload, 0), word(&self.payload, offset)) else {
            return;
        };
        if address == MARKER_IP {
            return self.addresses.name_marker();
        }
        let tid = abi::common::pid(common) as u32;
        let Some(process) = self.tasks.process(tid, time) else { return };
        let control = self.session.control();
        let translated = match is_return {
            true => self.addresses.translate(control, process, address),
            false => self.addresses.translate_start(control, process, address),
        };
        if let Some(bytes) = self.payload.get_mut(offset..).and_then(|rest| rest.first_chunk_mut()) {
            *bytes = translated.to_le_bytes();
        }
    }
}

/// The id of a record's event.
pub(crate) fn event(payload: &[u8]) -> u16 {
    abi::common::event(word(payload, 0).unwrap_or(0))
}

fn word(payload: &[u8], offset: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*payload.get(offset..)?.first_chunk()?))
}
