//! The pass over all records.

use super::recorder::{SharedRecorder, TableRecorder, TableSenders};
use crate::failure::SqlFailure;
use crate::trace::AskedTrace;
use convert::SliceTimeline;
use export::Sink;
use foldhash::HashMap;
use query::{Descriptors, LockWaits, TraceBuffer, exit_of};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use trace_data::event::Event;
use trace_data::format::Field;
use trace_data::info::TraceInfo;
use trace_data::record::{Record, Records};

/// What an event is for the tables, besides what it is on the timeline.
#[derive(Debug, Default)]
struct PassRole {
    /// It is the start of a call on a descriptor.
    has_descriptor: bool,
    /// It wakes the thread in this field.
    wakes: Option<Field>,
}

impl PassRole {
    fn of(event: &Event, trace: &TraceInfo<'_>) -> PassRole {
        let format = event.format();
        let has_descriptor = Descriptors::are_in(format) && exit_of(format, trace.events).is_some();
        let is_waking = format.system == "sched" && format.name == "sched_waking";
        PassRole { has_descriptor, wakes: format.field("pid").filter(|_| is_waking).cloned() }
    }
}

/// Has the pass end when nobody waits for it.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Makes the tables of a trace, in a thread of its own. What can be read of a damaged trace is in them.
pub async fn derive(trace: &Arc<AskedTrace>, tables: TableSenders) -> Result<(), SqlFailure> {
    let stop = StopOnDrop(Arc::default());
    let (trace, flag) = (Arc::clone(trace), Arc::clone(&stop.0));
    tokio::task::spawn_blocking(move || fill(&trace, tables, &flag)).await.map_err(SqlFailure::failed)?
}

fn fill(trace: &AskedTrace, tables: TableSenders, stop: &AtomicBool) -> Result<(), SqlFailure> {
    let recorder = Rc::new(RefCell::new(TableRecorder::new(tables)));
    trace.with_buffer(|buffer| play(trace, buffer, &recorder, stop))??;
    match Rc::into_inner(recorder) {
        Some(recorder) => Ok(recorder.into_inner().finish()?),
        None => Err(SqlFailure::failed("the tables are still in use")),
    }
}

fn play(
    trace: &AskedTrace,
    buffer: &mut TraceBuffer,
    recorder: &Rc<RefCell<TableRecorder>>,
    stop: &AtomicBool,
) -> Result<(), SqlFailure> {
    let symbols = trace.symbols();
    let contents = &trace.contents;
    let info = contents.info(&symbols);
    let gaps = contents.gaps(&trace.survey);
    let mut pass = Pass {
        timeline: SliceTimeline::new(SharedRecorder(Rc::clone(recorder)), gaps.clone()),
        descriptors: Descriptors::new(gaps.clone()),
        locks: LockWaits::new(gaps),
        recorder,
        roles: HashMap::default(),
    };
    let Some(mut records) = buffer.records(contents) else { return Ok(()) };
    while !stop.load(Ordering::Relaxed) {
        match records.next() {
            Ok(Some(record)) => pass.add(&record, &info)?,
            Ok(None) => break,
            Err(error) => {
                trace.complain(&error);
                break;
            }
        }
    }
    pass.timeline.finish(&info).map_err(SqlFailure::failed)
}

/// What looks at each record.
struct Pass<'a> {
    timeline: SliceTimeline<SharedRecorder>,
    descriptors: Descriptors,
    locks: LockWaits,
    recorder: &'a Rc<RefCell<TableRecorder>>,
    roles: HashMap<u16, PassRole>,
}

impl Pass<'_> {
    fn add(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Result<(), SqlFailure> {
        let find =
            || trace.events.get(record.id()).map_or_else(PassRole::default, |it| PassRole::of(it, trace));
        let role = self.roles.entry(record.id()).or_insert_with(find);
        let names = role.has_descriptor.then(|| self.descriptors.names(record, trace));
        let about = names.and_then(|names| Some(names.into_iter().next()?.1));
        let holder = self.locks.add(record, trace).map(|holder| holder.tid);
        let mut recorder = self.recorder.borrow_mut();
        recorder.look(record.cpu, record.time, about, holder);
        if let Some(tid) = role.wakes.as_ref().and_then(|field| field.integer(record.payload)) {
            recorder.wake(tid as i32, record.pid())?;
        }
        drop(recorder);
        self.descriptors.add(record, trace);
        self.timeline.record(record, trace).map_err(SqlFailure::failed)
    }
}
