//! `events/header_event`: the layout of what stands before each event in a page.

use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;

/// A text that has never changed.
#[derive(Debug, Clone)]
pub(crate) struct HeaderEvent;

impl TextFile for HeaderEvent {
    fn mode(&self) -> u32 {
        0o440
    }

    fn show(&self, _array: &TraceArray) -> Result<Vec<u8>, Errno> {
        Ok(b"# compressed entry header\n\
             \ttype_len    :    5 bits\n\
             \ttime_delta  :   27 bits\n\
             \tarray       :   32 bits\n\
             \n\
             \tpadding     : type == 29\n\
             \ttime_extend : type == 30\n\
             \ttime_stamp : type == 31\n\
             \tdata max type_len  == 28\n"
            .to_vec())
    }
}
