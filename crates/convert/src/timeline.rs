//! Records as slices: which two are the ends of one, and which is in which.

mod counters;
mod ending;
mod names;
mod role;
mod scheduling;
mod sink;
mod thread_slices;

use crate::arguments::{ShownFields, SliceArguments};
use crate::drawing::{Drawing, Instant, SliceEnding, SliceName, SliceStart};
use counters::TimelineCounters;
use export::Error;
use names::SliceNames;
use query::{AsyncTaskNames, ProcessTree, RecordLink, has_no_end};
use role::{TimelineEvent, TimelineRole, slice_name};
use scheduling::directed;
use std::rc::Rc;
use thread_slices::{LivingThreads, OpenSlice, SliceKey, ThreadSlices};
use trace_data::format::Field;
use trace_data::gaps::Gaps;
use trace_data::info::TraceInfo;
use trace_data::page::Missed;
use trace_data::record::Record;
use trace_data::text::callers;

/// Makes slices of records, and has them drawn.
#[derive(Debug)]
pub struct SliceTimeline<D> {
    drawing: D,
    gaps: Gaps,
    /// By event id.
    events: Vec<Option<Rc<TimelineEvent>>>,
    /// How many fields they have.
    fields: usize,
    names: SliceNames,
    tasks: AsyncTaskNames,
    processes: ProcessTree,
    threads: LivingThreads,
    /// None where the drawing has none.
    counters: Option<TimelineCounters>,
    /// The links that the record is at.
    links: Vec<RecordLink>,
    /// The time of the last record.
    last: u64,
}

impl<D: Drawing> SliceTimeline<D> {
    /// Has `drawing` draw. Events are missing from `gaps`: a slice over one may be two.
    pub fn new(drawing: D, gaps: Gaps) -> SliceTimeline<D> {
        let (events, names, threads) = (Vec::new(), SliceNames::default(), LivingThreads::default());
        let processes = ProcessTree::new(gaps.clone());
        let counters = drawing.has_links().then(|| TimelineCounters::new(gaps.clone()));
        SliceTimeline {
            drawing,
            gaps,
            events,
            fields: 0,
            names,
            tasks: AsyncTaskNames::default(),
            processes,
            threads,
            counters,
            links: Vec::new(),
            last: 0,
        }
    }

    /// What draws.
    pub fn drawing(&self) -> &D {
        &self.drawing
    }

    fn event(&mut self, id: u16, trace: &TraceInfo<'_>) -> Option<Rc<TimelineEvent>> {
        let place = usize::from(id);
        if self.events.len() <= place {
            self.events.resize(place + 1, None);
        }
        if self.events[place].is_none() {
            let event = trace.events.get(id)?;
            let role = TimelineRole::of(event, trace);
            let name = self.names.of(&event.format().system, &slice_name(event, &role, trace.events));
            self.events[place] = Some(Rc::new(TimelineEvent {
                role,
                name,
                shape: ShownFields::of(event, trace.events, &mut self.fields),
                is_of_processes: event.format().name.starts_with("sched_process_"),
            }));
        }
        self.events[place].clone()
    }

    fn thread(&mut self, tid: i32) -> &mut ThreadSlices {
        self.threads.of(tid)
    }

    fn add(&mut self, record: &Record<'_>, is_chosen: bool, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.last = record.time;
        if is_chosen && record.lost != Missed::None {
            self.drawing.lost(record.cpu, record.time, record.lost, trace)?;
        }
        self.count(record, is_chosen, trace)?;
        let Some(event) = self.event(record.id(), trace) else { return Ok(()) };
        if event.is_of_processes {
            self.processes.add(record, is_chosen, trace);
        }
        let task = self.tasks.add(record, trace).map(|task| self.names.of(&event.name.category, task));
        let (tid, payload, id) = (record.pid(), record.payload, record.id());
        let number = |field: &Option<_>| number(field.as_ref(), payload);
        let is_stack = matches!(event.role, TimelineRole::Stack);
        if !is_stack {
            self.thread(tid).expects_stack = false;
        }
        match &event.role {
            TimelineRole::Entry { number: field, system_call, is_endless } => {
                let key = (id, number(field));
                if *is_endless {
                    self.leave(record, key, trace)?;
                }
                let name = task.unwrap_or_else(|| Rc::clone(&event.name));
                self.begin(record, key, &name, &event.shape, is_chosen, trace)?;
                self.thread(tid).set_endless(*is_endless);
                if has_no_end(system_call.as_ref().and_then(|field| field.integer(payload))) {
                    self.close(tid, record.time, None, SliceEnding::Left, trace)?;
                }
            }
            TimelineRole::Exit { entry, number: field, duration } => {
                let length = duration.as_ref().and_then(|field| field.integer(payload));
                let key = (*entry, number(field));
                self.end(record, key, &event, length.map(|length| length as u64), is_chosen, trace)?;
            }
            TimelineRole::FunctionEntry { function } => {
                let address = function.integer(payload).unwrap_or_default();
                let name = self.names.of_function(address as u64, trace.symbols);
                self.begin(record, (0, address), &name, &event.shape, is_chosen, trace)?;
            }
            TimelineRole::FunctionExit { function } => {
                let address = function.integer(payload).unwrap_or_default();
                self.end(record, (0, address), &event, None, is_chosen, trace)?;
            }
            TimelineRole::Stack => self.add_stack(record, trace),
            TimelineRole::ThreadEnd { tid: field } => {
                let ended =
                    field.as_ref().and_then(|field| field.integer(payload)).map_or(tid, |tid| tid as i32);
                self.leave_all(ended, record.time, SliceEnding::Left, trace)?;
                self.instant(record, &event, is_chosen, trace)?;
                self.threads.remove(ended);
            }
            TimelineRole::Exec => {
                self.leave_all(tid, record.time, SliceEnding::Left, trace)?;
                self.instant(record, &event, is_chosen, trace)?;
            }
            TimelineRole::Switch(fields) if is_chosen => {
                fields.read(record, |switch| self.switch(switch, record, trace))?;
            }
            TimelineRole::Waking(fields) if is_chosen => {
                fields.read(record, |wakeup| self.drawing.wake(wakeup, trace))?;
            }
            TimelineRole::OwnSwitch { direction } if is_chosen => {
                let state = directed(direction.integer(payload));
                self.change_state(tid, record, (state, false), trace)?;
            }
            TimelineRole::Switch(_) | TimelineRole::Waking(_) | TimelineRole::OwnSwitch { .. } => {}
            TimelineRole::Instant => self.instant(record, &event, is_chosen, trace)?,
        }
        Ok(())
    }

    /// Finds the links that a record is at, and what is counted.
    fn count(&mut self, record: &Record<'_>, is_chosen: bool, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let Some(counters) = &mut self.counters else { return Ok(()) };
        self.links.clear();
        for change in counters.add(record, is_chosen, &mut self.links, trace) {
            self.drawing.counter(change, trace)?;
        }
        Ok(())
    }

    /// What is drawn next is what the record is about.
    fn link(&mut self) {
        if !self.links.is_empty() {
            self.drawing.link(&self.links);
            self.links.clear();
        }
    }

    fn begin(
        &mut self,
        record: &Record<'_>,
        key: SliceKey,
        name: &Rc<SliceName>,
        shape: &ShownFields,
        is_chosen: bool,
        trace: &TraceInfo<'_>,
    ) -> Result<(), Error> {
        let thread = self.thread(record.pid());
        thread.expects_stack = true;
        let arguments = Some(SliceArguments { shape, payload: record.payload });
        let slice = SliceStart { track: thread.track, time: record.time, name, arguments };
        self.open(key, &slice, is_chosen, trace)
    }

    /// A slice begins, within those that its thread is in.
    fn open(
        &mut self,
        key: SliceKey,
        slice: &SliceStart<'_>,
        is_drawn: bool,
        trace: &TraceInfo<'_>,
    ) -> Result<(), Error> {
        let (name, start) = (Rc::clone(slice.name), slice.time);
        let open = OpenSlice { key, name, start, inner: 0, is_drawn, is_endless: false, stack: None };
        self.thread(slice.track.tid).push(open);
        if !is_drawn {
            return Ok(());
        }
        self.link();
        self.drawing.begin(slice, trace)
    }

    fn instant(
        &mut self,
        record: &Record<'_>,
        event: &TimelineEvent,
        is_chosen: bool,
        trace: &TraceInfo<'_>,
    ) -> Result<(), Error> {
        if !is_chosen {
            return Ok(());
        }
        self.link();
        let track = self.thread(record.pid()).track;
        let Some(thread) = self.threads.known(record.pid()) else { return Ok(()) };
        let arguments = Some(SliceArguments { shape: &event.shape, payload: record.payload });
        let (time, name, within) = (record.time, &event.name, thread.names());
        self.drawing.instant(&Instant { track, time, name, within, arguments }, trace)
    }

    /// The stack of what has just begun.
    fn add_stack(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) {
        let stack = trace.events.of(record.payload).and_then(|event| callers(event, record.payload));
        let thread = self.thread(record.pid());
        if std::mem::take(&mut thread.expects_stack)
            && let (Some(slice), Some(stack)) = (thread.innermost(), stack)
        {
            slice.stack = Some(stack.into());
        }
    }
}

fn number(field: Option<&Field>, payload: &[u8]) -> i64 {
    field.and_then(|field| field.integer(payload)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
