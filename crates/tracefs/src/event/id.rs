//! `id`: the id that an event has in its records.

use crate::catalog::EventName;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;

/// What `common_type` is in the event's records.
#[derive(Clone)]
pub(crate) struct Id(pub(crate) EventName);

impl TextFile for Id {
    const MODE: u32 = 0o440;
    fn keeps_instance(&self) -> bool {
        false
    }

    fn show(&self, _array: &TraceArray) -> Result<String, Errno> {
        Ok(format!("{}\n", self.0.id))
    }
}
