//! What signals are about that programs die of.

use foldhash::HashMap;
use trace_data::event::Event;
use trace_data::info::TraceInfo;
use trace_data::record::Record;

/// The last fault or signal of each process, as its event says it.
#[derive(Debug, Default)]
pub(in crate::report) struct Deaths {
    by_process: HashMap<i32, Telling>,
}

/// An event that says why a signal has come.
#[derive(Debug)]
struct Telling {
    is_fault: bool,
    text: String,
}

impl Deaths {
    /// Looks at a record. Of a fault and the signal for it the fault says more.
    pub(in crate::report) fn add(&mut self, event: &Event, record: &Record<'_>, trace: &TraceInfo<'_>) {
        let format = event.format();
        let is_fault = format.is("exceptions", "page_fault_user");
        if !is_fault && !format.is("signal", "signal_deliver") {
            return;
        }
        let process = trace.tasks.tgid(record.pid()).unwrap_or(record.pid());
        if is_fault || self.by_process.get(&process).is_none_or(|told| !told.is_fault) {
            let mut text = format!("{}: ", format.name).into_bytes();
            event.print(record.payload, trace.symbols, &mut text);
            let text = String::from_utf8_lossy(&text).into_owned();
            self.by_process.insert(process, Telling { is_fault, text });
        }
    }

    /// What a process dies of. A snapshot that a fault has taken ends before that: it is known already then,
    /// as faults are recorded only if they end the process. Signals say so only if one `is_known` to have.
    pub(in crate::report) fn of(&self, process: i32, is_known: bool) -> Option<&str> {
        let told = self.by_process.get(&process).filter(|told| told.is_fault || is_known);
        told.map(|told| told.text.as_str())
    }
}
