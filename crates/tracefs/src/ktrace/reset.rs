//! `ktrace/reset`: clears the buffer.

use super::switch;
use crate::control_file::Change;
use crate::listed::Listed;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;

/// Takes a number: any but 0 clears the buffer, as opening `trace` with `O_TRUNC` does. It can't be read.
#[derive(Clone, Default)]
struct Reset;

pub(super) const LISTED: Listed = Listed::of::<Reset>("reset", "1 clears the buffer");

impl TextFile for Reset {
    const MODE: u32 = 0o220;

    fn takes_away(&self, change: Change<'_>) -> bool {
        matches!(change, Change::Written(bytes) if switch::parse(bytes) == Ok(true))
    }

    fn store(&self, array: &TraceArray, bytes: &[u8]) -> Result<(), Errno> {
        if switch::parse(bytes)? {
            array.instance().buffer().clear();
            array.reader().forget(None);
        }
        Ok(())
    }
}
