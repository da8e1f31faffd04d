//! The text of events, as `trace` and `trace_pipe` have it.

use crate::tree::Tree;
use recording::Thread;
use session::{Session, TraceOption};
use std::sync::Arc;
use trace_data::event::{Event, EventTable};
use trace_data::format::Format;
use trace_data::print::Dialect;
use trace_data::text::{Layout, Tasks, is_nanoseconds};

/// What is above all texts of events, with or without any.
pub(crate) const PLAIN_TRACER: &str = "# tracer: nop\n#\n";

/// The columns that the options ask for. `annotate` only says that it may be: it is for buffers that have
/// lost their start.
pub(crate) fn layout(session: &Session) -> Layout {
    let preferred = session.preferences();
    Layout {
        irq_info: preferred.is_on(TraceOption::IrqInfo),
        tgid: preferred.is_on(TraceOption::RecordTgid),
        context_info: preferred.is_on(TraceOption::ContextInfo),
        latency: preferred.is_on(TraceOption::LatencyFormat),
        annotate: preferred.is_on(TraceOption::Annotate),
        nanoseconds: is_nanoseconds(session.trace_clock().name()),
        ..Layout::default()
    }
}

/// Names of threads, and their processes, in the order of their TIDs.
#[derive(Debug, Default)]
pub(crate) struct Names(Vec<Thread>);

impl Names {
    /// Those that the session knows now.
    pub(crate) fn of(tree: &Tree) -> Names {
        Names(tree.reader().threads())
    }

    fn thread(&self, tid: i32) -> Option<&Thread> {
        let place = self.0.binary_search_by_key(&tid, |thread| thread.tid).ok()?;
        self.0.get(place)
    }
}

impl Tasks for Names {
    fn comm(&self, pid: i32) -> Option<&str> {
        self.thread(pid).map(|thread| thread.name.as_str())
    }

    fn tgid(&self, pid: i32) -> Option<i32> {
        self.thread(pid).map(|thread| thread.process)
    }
}

/// The session's events, ready to be printed, and how many they were when this was made: there may be more
/// by now, but never others.
#[derive(Debug, Default)]
pub(crate) struct Formats {
    count: usize,
    table: Arc<EventTable>,
}

impl Formats {
    /// The events that there are now.
    pub(crate) fn of(&mut self, tree: &Tree) -> Arc<EventTable> {
        let count = tree.session().control().event_ids().count();
        if self.count != count {
            let events = tree.session().events();
            let formats = events.filter_map(|event| Format::parse(&event.system, &event.format).ok());
            self.table = Arc::new(formats.map(|format| Event::new(format, Dialect::Kernel)).collect());
            self.count = count;
        }
        self.table.clone()
    }
}
