//! The text of events, as `trace` and `trace_pipe` have it.

use crate::tree::Tree;
use recording::Thread;
use session::{Session, TraceOption};
use std::sync::Arc;
use trace_data::event::{Event, EventTable};
use trace_data::format::Format;
use trace_data::print::Dialect;
use trace_data::text::{Form, Layout, Tasks, is_nanoseconds};

/// The columns that the options ask for. `annotate` only says that it may be: it is for buffers that have
/// lost their start.
pub(crate) fn layout(session: &Session) -> Layout {
    let preferred = session.preferences();
    let is_on = |option| preferred.is_on(option);
    // Of several the first counts.
    let forms = [(TraceOption::Bin, Form::Bin), (TraceOption::Hex, Form::Hex), (TraceOption::Raw, Form::Raw)];
    let form = forms.into_iter().find(|(option, _)| is_on(*option)).map_or(Form::Text, |(_, form)| form);
    Layout {
        irq_info: is_on(TraceOption::IrqInfo),
        tgid: is_on(TraceOption::RecordTgid),
        context_info: is_on(TraceOption::ContextInfo),
        latency: is_on(TraceOption::LatencyFormat),
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

/// Names of threads, and their processes, in the order of their TIDs.
#[derive(Debug, Default)]
pub(crate) struct Names {
    threads: Vec<Thread>,
    /// Whether names are told: the option `record-cmd`.
    has_names: bool,
}

impl Names {
    /// Those that the session knows now.
    pub(crate) fn of(tree: &Tree) -> Names {
        Names { threads: tree.reader().threads(), has_names: tree.session().option(TraceOption::RecordCmd) }
    }

    fn thread(&self, tid: i32) -> Option<&Thread> {
        let place = self.threads.binary_search_by_key(&tid, |thread| thread.tid).ok()?;
        self.threads.get(place)
    }
}

impl Tasks for Names {
    fn comm(&self, pid: i32) -> Option<&str> {
        self.thread(pid).filter(|_| self.has_names).map(|thread| thread.name.as_str())
    }

    fn tgid(&self, pid: i32) -> Option<i32> {
        self.thread(pid).map(|thread| thread.process)
    }
}

/// The session's events, ready to be printed, and the id that the next will have: there may be more by now,
/// but never others.
#[derive(Debug, Default)]
pub(crate) struct Formats {
    next: u16,
    table: Arc<EventTable>,
}

impl Formats {
    /// The events that there are now.
    pub(crate) fn of(&mut self, tree: &Tree) -> Arc<EventTable> {
        let next = tree.session().control().next_event(self.next);
        if self.next != next {
            let events = tree.session().events();
            let formats = events.filter_map(|event| Format::parse(&event.system, &event.format).ok());
            self.table = Arc::new(formats.map(|format| Event::new(format, Dialect::Kernel)).collect());
            self.next = next;
        }
        self.table.clone()
    }
}
