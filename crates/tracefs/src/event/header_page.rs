//! `events/header_page`: the layout of a page of `trace_pipe_raw`.

use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use abi::page::{DEFAULT_SIZE, HEADER_SIZE};
use rustix::io::Errno;

/// What clients find out from how large a page is.
#[derive(Debug, Clone)]
pub(crate) struct HeaderPage;

impl TextFile for HeaderPage {
    fn mode(&self) -> u32 {
        0o440
    }

    fn show(&self, _array: &TraceArray) -> Result<Vec<u8>, Errno> {
        let capacity = DEFAULT_SIZE - HEADER_SIZE;
        let text = format!(
            "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\
             \tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n\
             \tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\
             \tfield: char data;\toffset:{HEADER_SIZE};\tsize:{capacity};\tsigned:0;\n"
        );
        Ok(text.into_bytes())
    }
}
