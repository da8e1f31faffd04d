//! What is known of the descriptors that a record has.

use super::role::{self, DescriptorField};
use super::state::{DescriptorState, DescriptorTable};
use super::{DescriptorChannel, Descriptors, SocketPlace};
use std::rc::Rc;
use trace_data::info::TraceInfo;
use trace_data::record::Record;

impl Descriptors {
    /// The names of the descriptors that a record of a call's entry has, with the names of their fields. Ask
    /// before the record is added.
    pub fn names(&self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Vec<(&'static str, Rc<str>)> {
        let Some((_, table)) = self.table(record, trace) else { return Vec::new() };
        let named =
            |field: &DescriptorField| Some((field.0, self.known(table, field, record)?.name.clone()?));
        self.fields(record.id(), trace).iter().filter_map(named).collect()
    }

    /// The channel that the descriptor in a field of a call's entry is an end of. Ask before the record is
    /// added.
    pub(crate) fn channel(
        &self,
        field: &str,
        record: &Record<'_>,
        trace: &TraceInfo<'_>,
    ) -> Option<DescriptorChannel> {
        let (_, table) = self.table(record, trace)?;
        let fields = self.fields(record.id(), trace);
        self.known(table, fields.iter().find(|(name, _)| *name == field)?, record)?.channel
    }

    /// The socket in a field of a call's entry, if its peer may come to be known.
    pub(crate) fn fresh(
        &self,
        field: &str,
        record: &Record<'_>,
        trace: &TraceInfo<'_>,
    ) -> Option<SocketPlace> {
        let (process, table) = self.table(record, trace)?;
        let fields = self.fields(record.id(), trace);
        let (_, field) = fields.iter().find(|(name, _)| *name == field)?;
        let number = field.integer(record.payload)? as i32;
        table.get(&number)?.is_fresh.then_some((process, number))
    }

    /// The process that a record is of, and its descriptors.
    fn table(&self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Option<(i32, &DescriptorTable)> {
        let tid = record.pid();
        let process = trace.tasks.tgid(tid).unwrap_or(tid);
        Some((process, self.tables.get(&process)?))
    }

    /// The fields of an event that have descriptors.
    fn fields(&self, id: u16, trace: &TraceInfo<'_>) -> Rc<[DescriptorField]> {
        let find = || {
            let event = trace.events.get(id);
            event.map(|event| role::descriptors(event.format()).collect()).unwrap_or_default()
        };
        Rc::clone(self.fields.borrow_mut().of(id, find))
    }

    /// What is known of the descriptor in a field, if it can't be another one by now.
    fn known<'a>(
        &self,
        table: &'a DescriptorTable,
        (name, field): &DescriptorField,
        record: &Record<'_>,
    ) -> Option<&'a DescriptorState> {
        let state = table.get(&(field.integer(record.payload)? as i32))?;
        let (knows_ends, knows_sockets) = self.knows?;
        let is_known = knows_ends || (state.is_socket && *name == "sockfd" && knows_sockets);
        (is_known && !self.gaps.lie_between(state.since, record.time)).then_some(state)
    }
}
