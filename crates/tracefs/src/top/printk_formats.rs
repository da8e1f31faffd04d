//! `printk_formats`: texts that events refer to by their address.

use crate::listed::Listed;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;

/// Reads a line for each. There are none: messages of programs have their text in them.
#[derive(Clone, Default)]
struct PrintkFormats;

pub(super) const LISTED: Listed =
    Listed::of::<PrintkFormats>("printk_formats", "texts that events refer to by their address");

impl TextFile for PrintkFormats {
    const MODE: u32 = 0o440;
    const IS_KEPT: bool = true;

    fn show(&self, _array: &TraceArray) -> Result<String, Errno> {
        Ok(String::new())
    }
}
