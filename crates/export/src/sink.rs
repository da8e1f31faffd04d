//! What every format has in common.

use crate::Error;
use trace_data::info::TraceInfo;
use trace_data::record::Record;

/// Takes the records of a trace, one by one and in the order of time, and writes something of them.
///
/// What records mean comes with each: of a trace that is still being recorded more is known later. Call
/// [`Sink::finish`] in the end; without it some of the output may be missing.
pub trait Sink {
    /// Takes a record.
    ///
    /// # Errors
    ///
    /// When the output can't be written; it is incomplete then.
    fn record(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Result<(), Error>;

    /// Passes over a record that is not chosen, for formats that have to know of it.
    ///
    /// # Errors
    ///
    /// Those of [`Sink::record`].
    fn pass_over(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let _ = (record, trace);
        Ok(())
    }

    /// Writes everything that is left to write.
    ///
    /// # Errors
    ///
    /// When the output can't be written; it is incomplete then.
    fn finish(&mut self, trace: &TraceInfo<'_>) -> Result<(), Error>;
}
