//! `printk_formats`: texts that events refer to by their address.

use crate::listed::Listed;
use crate::text_file::{Text, TextFile};
use crate::trace_array::TraceArray;
use rustix::io::Errno;
use std::sync::Arc;

/// Reads a line for each. There are none: messages of programs have their text in them.
#[derive(Debug, Clone)]
struct PrintkFormats;

pub(super) const LISTED: Listed = Listed {
    name: "printk_formats",
    help: "texts that events refer to by their address",
    make: || Arc::new(PrintkFormats),
};

impl TextFile for PrintkFormats {
    const TEXT: Text = Text::Kept;

    fn mode(&self) -> u32 {
        0o440
    }

    fn show(&self, _array: &TraceArray) -> Result<Vec<u8>, Errno> {
        Ok(Vec::new())
    }
}
