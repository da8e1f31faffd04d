//! An event that was read.

use crate::EventValue;
use crate::trace_meaning::TraceMeaning;
use trace_data::format::Format;
use trace_data::record::Record;
use trace_data::text::Tasks;

/// An event that was read. It is there until the next one is.
#[derive(Clone, Copy)]
pub struct ReadEvent<'a> {
    pub(crate) record: Record<'a>,
    pub(crate) meaning: &'a TraceMeaning,
}

impl<'a> ReadEvent<'a> {
    /// Its time, in the trace's clock: nanoseconds, unless that counts something else.
    pub fn time(&self) -> u64 {
        self.record.time
    }

    /// The CPU that it was recorded on.
    pub fn cpu(&self) -> u32 {
        self.record.cpu
    }

    /// The thread that has recorded it.
    pub fn tid(&self) -> i32 {
        self.record.pid()
    }

    /// The process of the thread, if it is known.
    pub fn pid(&self) -> Option<i32> {
        self.meaning.threads.tgid(self.tid())
    }

    /// The name of the thread, if it is known.
    pub fn comm(&self) -> Option<&'a str> {
        self.meaning.threads.comm(self.tid())
    }

    /// The id of the event: what `common_type` is.
    pub fn id(&self) -> u16 {
        self.record.id()
    }

    /// What it consists of. None where the trace has no description of it.
    pub fn format(&self) -> Option<&'a Format> {
        self.meaning.events.get(self.id()).map(|event| event.format())
    }

    /// The event's system; empty where it is unknown.
    pub fn system(&self) -> &'a str {
        self.format().map_or("", |format| &format.system)
    }

    /// The event's name; empty where it is unknown.
    pub fn name(&self) -> &'a str {
        self.format().map_or("", |format| &format.name)
    }

    /// All of it, from the common fields on, as its format describes it.
    pub fn payload(&self) -> &'a [u8] {
        self.record.payload
    }

    /// The value of a field. None where it has no such field.
    pub fn field(&self, name: &str) -> Option<EventValue<'a>> {
        EventValue::of(self.format()?.field(name)?, self.record.payload)
    }

    /// The names and values of the fields that are its own.
    pub fn fields(&self) -> impl Iterator<Item = (&'a str, Option<EventValue<'a>>)> {
        let payload = self.record.payload;
        let own = self.format().map_or(&[][..], Format::own_fields);
        own.iter().map(move |field| (field.name.as_str(), EventValue::of(field, payload)))
    }
}
