//! `current_tracer` and `available_tracers`: which tracer is on, and which can be.

use crate::control_file::Change;
use crate::errno::errno;
use crate::listed::Listed;
use crate::text_file::TextFile;
use crate::token;
use crate::trace_array::TraceArray;
use rustix::io::Errno;
use session::{TRACERS, Tracer};

/// Reads its name. Takes the name of one of `available_tracers`, with blanks around it or not; what is after
/// the first 100 bytes is not looked at. A change empties the buffer. For one that measures latencies EBUSY
/// while another instance has one, and ENOMEM where there is no memory for its trace.
#[derive(Clone, Default)]
struct CurrentTracer;

pub(super) const LISTED: Listed =
    Listed::of::<CurrentTracer>("current_tracer", "the tracer that is on; {tracers}");

/// The most bytes of a name.
const MOST: usize = 100;

impl TextFile for CurrentTracer {
    fn takes_away(&self, change: Change<'_>) -> bool {
        change.is_written()
    }

    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        Ok(format!("{}\n", array.instance().tracer().name))
    }

    fn store(&self, array: &TraceArray, bytes: &[u8]) -> Result<(), Errno> {
        let name = token::strip(bytes.get(..MOST).unwrap_or(bytes))?;
        let tracer = Tracer::named(name).ok_or(Errno::INVAL)?;
        if tracer.measures_latency() && !array.instance().keeps_snapshots() {
            return Err(Errno::NOMEM);
        }
        if tracer != array.instance().tracer() {
            array.instance().set_tracer(tracer).map_err(errno)?;
            array.instance().buffer().clear();
        }
        Ok(())
    }
}

/// Reads the names of [`TRACERS`].
#[derive(Clone, Default)]
struct AvailableTracers;

pub(super) const AVAILABLE: Listed =
    Listed::of::<AvailableTracers>("available_tracers", "the tracers that current_tracer takes");

impl TextFile for AvailableTracers {
    const MODE: u32 = 0o440;
    const IS_KEPT: bool = true;

    fn show(&self, _array: &TraceArray) -> Result<String, Errno> {
        let names: Vec<&str> = TRACERS.iter().map(|tracer| tracer.name).collect();
        Ok(format!("{}\n", names.join(" ")))
    }
}
