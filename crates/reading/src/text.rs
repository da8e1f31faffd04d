//! What the text of a session's records depends on: its options, and its events.

use session::{FUNCTION_GRAPH, Instance, Preferences, TraceOption};
use std::sync::Arc;
use trace_data::event::{Event, EventTable};
use trace_data::format::Format;
use trace_data::print::Dialect;
use trace_data::text::{Form, GraphColumns, Layout, is_nanoseconds};

/// The columns that the session's options ask for. `annotate` only says that it may be: it is for buffers
/// that have lost their start.
pub fn layout(session: &Instance) -> Layout {
    let preferred = session.preferences();
    let is_on = |option| preferred.is_on(option);
    // Of several the first counts.
    let forms = [(TraceOption::Bin, Form::Bin), (TraceOption::Hex, Form::Hex), (TraceOption::Raw, Form::Raw)];
    let form = forms.into_iter().find(|(option, _)| is_on(*option)).map_or(Form::Text, |(_, form)| form);
    Layout {
        irq_info: is_on(TraceOption::IrqInfo),
        comm: is_on(TraceOption::RecordCmd),
        tgid: is_on(TraceOption::RecordTgid),
        context_info: is_on(TraceOption::ContextInfo),
        graph: columns(session, &preferred),
        latency: is_on(TraceOption::LatencyFormat),
        latency_start: 0,
        verbose: is_on(TraceOption::Verbose),
        form,
        fields: is_on(TraceOption::Fields),
        message_only: is_on(TraceOption::PrintkMsgOnly),
        parent: is_on(TraceOption::PrintParent),
        symbol_offset: is_on(TraceOption::SymOffset),
        symbol_address: is_on(TraceOption::SymAddr),
        annotate: is_on(TraceOption::Annotate),
        nanoseconds: is_nanoseconds(session.trace_clock().name()),
        date: false,
        escape: false,
    }
}

/// The columns of the text of [`FUNCTION_GRAPH`], or of a latency tracer that records as it does.
fn columns(session: &Instance, preferred: &Preferences) -> Option<GraphColumns> {
    let is_on = |option| preferred.is_on(option);
    let cpus = u64::from(session.buffer().geometry().cpus);
    if preferred.tracer.measures_latency() && is_on(TraceOption::DisplayGraph) {
        return Some(GraphColumns::of_sections(cpus));
    }
    (*preferred.tracer == FUNCTION_GRAPH).then(|| GraphColumns {
        cpus,
        relative_time: false,
        cpu: is_on(TraceOption::FuncgraphCpu),
        overhead: is_on(TraceOption::FuncgraphOverhead),
        thread: is_on(TraceOption::FuncgraphProc),
        duration: is_on(TraceOption::FuncgraphDuration),
        time: is_on(TraceOption::FuncgraphAbstime),
        tail: is_on(TraceOption::FuncgraphTail),
        overrun: is_on(TraceOption::FuncgraphOverrun),
        return_value: is_on(TraceOption::FuncgraphRetval),
        return_value_hex: is_on(TraceOption::FuncgraphRetvalHex),
        return_address: session.option(TraceOption::FuncgraphRetaddr),
    })
}

/// A session's events, ready to be printed, and the id that the next will have: there may be more by now, but
/// never others.
#[derive(Debug, Default)]
pub struct Formats {
    next: u16,
    table: Arc<EventTable>,
}

impl Formats {
    /// The events that there are now.
    pub fn of(&mut self, session: &Instance) -> Arc<EventTable> {
        let next = session.control().next_event(self.next);
        if self.next != next {
            let events = session.described_events(|_| true);
            let formats = events.filter_map(|event| Format::parse(&event.system, &event.format).ok());
            self.table = Arc::new(formats.map(|format| Event::new(format, Dialect::Kernel)).collect());
            self.next = next;
        }
        self.table.clone()
    }
}
