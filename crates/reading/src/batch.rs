//! Some records, and what is needed to show them.

use std::sync::Arc;
use trace_data::record::OwnedRecord;
use trace_data::symbols::SymbolTable;
use trace_data::threads::ThreadTable;

/// Records in the order of time, with names for what is in them.
#[derive(Debug, Default)]
pub struct Batch {
    /// The records. Times are in the session's clock.
    pub records: Vec<OwnedRecord>,
    /// Names for the addresses in them.
    pub symbols: Arc<SymbolTable>,
    /// The threads that wrote them.
    pub threads: Arc<ThreadTable>,
}
