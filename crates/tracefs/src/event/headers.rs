//! `events/header_event` and `events/header_page`: the layout of pages.

use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use abi::page::{DEFAULT_SIZE, HEADER_SIZE};
use rustix::io::Errno;

/// `header_event`: what stands before each event in a page. It has never changed.
#[derive(Clone)]
pub(crate) struct HeaderEvent;

impl TextFile for HeaderEvent {
    const MODE: u32 = 0o440;

    fn show(&self, _array: &TraceArray) -> Result<String, Errno> {
        Ok("# compressed entry header\n\
             \ttype_len    :    5 bits\n\
             \ttime_delta  :   27 bits\n\
             \tarray       :   32 bits\n\
             \n\
             \tpadding     : type == 29\n\
             \ttime_extend : type == 30\n\
             \ttime_stamp : type == 31\n\
             \tdata max type_len  == 28\n"
            .to_string())
    }
}

/// `header_page`: a page of `trace_pipe_raw`. Clients find out from this how large one is.
#[derive(Clone)]
pub(crate) struct HeaderPage;

impl TextFile for HeaderPage {
    const MODE: u32 = 0o440;

    fn show(&self, _array: &TraceArray) -> Result<String, Errno> {
        let capacity = DEFAULT_SIZE - HEADER_SIZE;
        Ok(format!(
            "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\
             \tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n\
             \tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\
             \tfield: char data;\toffset:{HEADER_SIZE};\tsize:{capacity};\tsigned:0;\n"
        ))
    }
}
