//! `current_tracer`: which tracer is on.

use crate::errno::errno;
use crate::listed::Listed;
use crate::text_file::TextFile;
use crate::token;
use crate::trace_array::TraceArray;
use rustix::io::Errno;
use session::Tracer;
use std::sync::Arc;

/// Reads its name. Takes the name of one of `available_tracers`, with blanks around it or not; what is after
/// the first 100 bytes is not looked at.
#[derive(Debug, Clone)]
struct CurrentTracer;

pub(super) const LISTED: Listed = Listed {
    name: "current_tracer",
    help: "the tracer that is on; {tracers}",
    make: || Arc::new(CurrentTracer),
};

/// The most bytes of a name.
const MOST: usize = 100;

impl TextFile for CurrentTracer {
    fn mode(&self) -> u32 {
        0o640
    }

    fn show(&self, array: &TraceArray) -> Result<Vec<u8>, Errno> {
        Ok(format!("{}\n", array.instance().tracer().name).into_bytes())
    }

    fn store(&self, array: &TraceArray, bytes: &[u8]) -> Result<usize, Errno> {
        let name = std::str::from_utf8(token::strip(bytes.get(..MOST).unwrap_or(bytes)));
        let tracer = name.ok().and_then(Tracer::named).ok_or(Errno::INVAL)?;
        array.instance().set_tracer(tracer).map_err(errno)?;
        Ok(bytes.len())
    }
}
