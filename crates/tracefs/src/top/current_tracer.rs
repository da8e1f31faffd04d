//! `current_tracer`: which tracer is on.

use crate::file::Control;
use crate::listed::Listed;
use crate::token;
use crate::tree::Tree;
use rustix::io::Errno;

/// Reads its name. Takes the name of one of `available_tracers`, with blanks around it or not; what is behind
/// the first 100 bytes is not looked at.
#[derive(Debug, Clone)]
struct CurrentTracer;

pub(super) const LISTED: Listed = Listed {
    name: "current_tracer",
    help: "the tracer that is on; nop leaves recording to the events",
    make: || Box::new(CurrentTracer),
};

/// The most bytes of a name.
const MOST: usize = 100;

impl Control for CurrentTracer {
    fn mode(&self) -> u32 {
        0o640
    }

    fn show(&self, _tree: &Tree) -> Result<Vec<u8>, Errno> {
        Ok(b"nop\n".to_vec())
    }

    fn store(&self, _tree: &Tree, bytes: &[u8]) -> Result<usize, Errno> {
        match token::strip(bytes.get(..MOST).unwrap_or(bytes)) {
            b"nop" => Ok(bytes.len()),
            _ => Err(Errno::INVAL),
        }
    }
}
