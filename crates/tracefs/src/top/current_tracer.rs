//! `current_tracer`: which tracer is on.

use crate::errno::errno;
use crate::file::Control;
use crate::listed::Listed;
use crate::token;
use crate::tree::Tree;
use rustix::io::Errno;
use session::Tracer;

/// Reads its name. Takes the name of one of `available_tracers`, with blanks around it or not; what is after
/// the first 100 bytes is not looked at.
#[derive(Debug, Clone)]
struct CurrentTracer;

pub(super) const LISTED: Listed = Listed {
    name: "current_tracer",
    help: "the tracer that is on; {tracers}",
    make: || Box::new(CurrentTracer),
};

/// The most bytes of a name.
const MOST: usize = 100;

impl Control for CurrentTracer {
    fn mode(&self) -> u32 {
        0o640
    }

    fn show(&self, tree: &Tree) -> Result<Vec<u8>, Errno> {
        Ok(format!("{}\n", tree.session().tracer().name).into_bytes())
    }

    fn store(&self, tree: &Tree, bytes: &[u8]) -> Result<usize, Errno> {
        let name = std::str::from_utf8(token::strip(bytes.get(..MOST).unwrap_or(bytes)));
        let tracer = name.ok().and_then(Tracer::named).ok_or(Errno::INVAL)?;
        tree.session().set_tracer(tracer).map_err(|error| errno(&error))?;
        Ok(bytes.len())
    }
}
