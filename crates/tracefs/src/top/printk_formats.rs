//! `printk_formats`: texts that events refer to by their address.

use crate::file::{Control, Text};
use crate::listed::Listed;
use crate::tree::Tree;
use rustix::io::Errno;

/// Reads a line for each. There are none: messages of programs have their text in them.
#[derive(Debug, Clone)]
struct PrintkFormats;

pub(super) const LISTED: Listed = Listed {
    name: "printk_formats",
    help: "texts that events refer to by their address",
    make: || Box::new(PrintkFormats),
};

impl Control for PrintkFormats {
    const TEXT: Text = Text::Kept;

    fn mode(&self) -> u32 {
        0o440
    }

    fn show(&self, _tree: &Tree) -> Result<Vec<u8>, Errno> {
        Ok(Vec::new())
    }
}
