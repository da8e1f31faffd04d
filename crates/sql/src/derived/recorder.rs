//! Draws a timeline: into tables.

use super::run_times::{RunSums, StateTimes};
use super::slice_row::{SliceColumn, SliceRow};
use super::stack_row::{StackColumn, StackRow};
use super::state_row::StateColumn;
use crate::table::RowSender;
use crate::told::{ToldFields, ToldReader};
use convert::{Drawing, RunChange, SliceEnd, SliceStart};
use export::Error;
use foldhash::HashMap;
use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use trace_data::info::TraceInfo;
use trace_data::symbols::{Symbols, function_at};

/// Where the rows of the tables go.
#[derive(Debug)]
pub struct TableSenders {
    /// Those of `slices`.
    pub slices: RowSender<SliceColumn>,
    /// Those of `states`.
    pub states: RowSender<StateColumn>,
    /// Those of `stacks`.
    pub stacks: RowSender<StackColumn>,
}

/// Makes the tables of a timeline.
#[derive(Debug)]
pub(super) struct TableRecorder {
    tables: TableSenders,
    /// The slices that threads are in, innermost last.
    open: HashMap<i32, Vec<OpenRow>>,
    /// Memory of slices that have ended.
    spare: Vec<ToldFields>,
    begun: i64,
    runs: StateTimes,
    known_stacks: HashMap<Box<[u64]>, i64>,
    functions: HashMap<u64, Arc<str>>,
    reader: ToldReader,
    /// Where and when the record is that the timeline looks at.
    at: (u32, u64),
    /// What the descriptor of that record leads to.
    about: Option<Rc<str>>,
    /// Who held the lock that it ends a wait for.
    holder: Option<i32>,
}

/// A slice that has not ended.
#[derive(Debug)]
struct OpenRow {
    id: i64,
    cpu: u32,
    told: ToldFields,
    run: Option<RunSums>,
}

impl TableRecorder {
    /// Has the rows go there.
    pub(super) fn new(tables: TableSenders) -> TableRecorder {
        TableRecorder {
            tables,
            open: HashMap::default(),
            spare: Vec::new(),
            begun: 0,
            runs: StateTimes::default(),
            known_stacks: HashMap::default(),
            functions: HashMap::default(),
            reader: ToldReader::default(),
            at: (0, 0),
            about: None,
            holder: None,
        }
    }

    /// The timeline looks at a record of this CPU and time. Its descriptor leads there, and this thread held
    /// the lock that it ends a wait for.
    pub(super) fn look(&mut self, cpu: u32, time: u64, about: Option<Rc<str>>, holder: Option<i32>) {
        (self.at, self.about, self.holder) = ((cpu, time), about, holder);
    }

    /// A thread is woken by the one that has the record.
    pub(super) fn wake(&mut self, tid: i32, waker: i32) -> io::Result<()> {
        let (cpu, time) = self.at;
        self.runs.wake((tid, cpu, time), waker).map_or(Ok(()), |state| self.tables.states.push(&state))
    }

    /// Hands on what is left.
    pub(super) fn finish(mut self) -> io::Result<()> {
        for state in self.runs.finish(self.at.1) {
            self.tables.states.push(&state)?;
        }
        self.tables.slices.finish()?;
        self.tables.states.finish()?;
        self.tables.stacks.finish()
    }

    fn begin(&mut self, slice: &SliceStart<'_>, trace: &TraceInfo<'_>) {
        let mut told = self.spare.pop().unwrap_or_default();
        if let Some(arguments) = &slice.arguments {
            told.add(arguments, &mut self.reader, trace);
        }
        if let Some(about) = self.about.take() {
            told.path.push_str(&about);
        }
        self.begun += 1;
        let (id, cpu) = (self.begun, self.at.0);
        let run = self.runs.sums_at(slice.track.tid, slice.time);
        self.open.entry(slice.track.tid).or_default().push(OpenRow { id, cpu, told, run });
    }

    fn end(&mut self, slice: &SliceEnd<'_>, trace: &TraceInfo<'_>) -> io::Result<()> {
        let tid = slice.track.tid;
        let Some(open) = self.open.get_mut(&tid) else { return Ok(()) };
        let Some(OpenRow { id, cpu, mut told, run }) = open.pop() else { return Ok(()) };
        let parent = open.last().map(|outer| outer.id);
        if let Some(arguments) = &slice.arguments {
            told.add(arguments, &mut self.reader, trace);
        }
        told.close();
        let holder = slice.arguments.and(self.holder.take());
        let stack = slice.stack.map(|stack| self.stack(stack, trace.symbols)).transpose()?;
        let sums = self.runs.sums_at(tid, slice.time);
        self.tables.slices.push(&SliceRow {
            id,
            start: slice.start,
            length: slice.time.saturating_sub(slice.start),
            own: slice.own,
            run: sums.zip(run).map(|(end, start)| end - start),
            cpu,
            tid,
            pid: trace.tasks.tgid(tid),
            comm: trace.tasks.comm(tid),
            name: slice.name,
            depth: slice.within.len(),
            parent,
            told: &told,
            holder,
            stack,
            ending: slice.ending,
        })?;
        told.clear();
        self.spare.push(told);
        Ok(())
    }

    /// The number of a stack.
    fn stack(&mut self, stack: &[u64], symbols: &dyn Symbols) -> io::Result<i64> {
        if let Some(id) = self.known_stacks.get(stack) {
            return Ok(*id);
        }
        let id = self.known_stacks.len() as i64 + 1;
        self.known_stacks.insert(stack.into(), id);
        let functions = &mut self.functions;
        let name = |address: &u64| {
            let find = || Arc::from(function_at(*address, symbols).as_str());
            Arc::clone(functions.entry(*address).or_insert_with(find))
        };
        let frames = stack.iter().map(name).collect();
        self.tables.stacks.push(&StackRow { id, frames })?;
        Ok(id)
    }
}

/// What a timeline draws with, while whoever feeds it has it, too.
#[derive(Debug)]
pub(super) struct SharedRecorder(pub(super) Rc<RefCell<TableRecorder>>);

impl Drawing for SharedRecorder {
    fn begin(&mut self, slice: &SliceStart<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.0.borrow_mut().begin(slice, trace);
        Ok(())
    }

    fn end(&mut self, slice: &SliceEnd<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        Ok(self.0.borrow_mut().end(slice, trace)?)
    }

    fn state(&mut self, change: &RunChange<'_>, _trace: &TraceInfo<'_>) -> Result<(), Error> {
        let RunChange { tid, cpu, time, state, .. } = *change;
        let mut recorder = self.0.borrow_mut();
        match recorder.runs.change((tid, cpu, time), state, None) {
            Some(did) => Ok(recorder.tables.states.push(&did)?),
            None => Ok(()),
        }
    }
}
