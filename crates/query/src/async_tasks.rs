//! What tasks of an async runtime did: when they were polled, and who has woken them.
//!
//! Tokio says what its tasks do by spans of `tracing`: a span that is entered is a task that is polled. When
//! a task's future is dropped its span is entered once more, then closed.

mod async_task;
mod polling;
mod task_names;
mod task_role;
mod waker_action;

pub use async_task::{AsyncTask, AsyncTaskState, TaskWaker};
pub use polling::TimeSum;
pub use task_names::AsyncTaskNames;

use crate::by_event::ByEvent;
use foldhash::HashMap;
use std::rc::Rc;
use task_role::{MadeFields, TaskRole};
use trace_data::format::Field;
use trace_data::gaps::Gaps;
use trace_data::info::TraceInfo;
use trace_data::record::Record;
pub(crate) use waker_action::{WakerAction, WakerFields};

/// Collects the tasks of a trace. Takes memory for each task, and for each that has woken another.
#[derive(Debug)]
pub struct AsyncTasks {
    gaps: Gaps,
    /// By event id.
    roles: ByEvent<Rc<TaskRole>>,
    tasks: Vec<AsyncTask>,
    /// The tasks that are not over, by process and span.
    open: HashMap<(i32, u64), usize>,
    /// The tasks that a thread polls: the last one is polled by the one before it.
    polled: HashMap<i32, Vec<usize>>,
    /// Which actions of wakers the trace has.
    knows_wakes: bool,
    knows_clones: bool,
    last: u64,
}

impl AsyncTasks {
    /// Events are missing from `gaps`.
    pub fn new(gaps: Gaps) -> AsyncTasks {
        AsyncTasks {
            gaps,
            roles: ByEvent::default(),
            tasks: Vec::new(),
            open: HashMap::default(),
            polled: HashMap::default(),
            knows_wakes: false,
            knows_clones: false,
            last: 0,
        }
    }

    /// Looks at a record. All have to come, in the order of time.
    pub fn add(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) {
        let find = || Rc::new(TaskRole::of(record.id(), trace.events));
        let role = Rc::clone(self.roles.of(record.id(), find));
        let (tid, payload) = (record.pid(), record.payload);
        let process = trace.tasks.tgid(tid).unwrap_or(tid);
        self.last = record.time;
        let span = |field: &Field| field.integer(payload).unwrap_or_default() as u64;
        match &*role {
            TaskRole::Made(fields) => self.make(process, fields, record),
            TaskRole::Entered(field) => {
                let task = self.find(process, span(field));
                self.polled.entry(tid).or_default().push(task);
                self.tasks[task].enter(record.time, &self.gaps);
            }
            TaskRole::Left(field) => {
                let task = self.find(process, span(field));
                if let Some(polled) = self.polled.get_mut(&tid) {
                    let depth = polled.iter().rposition(|polled| *polled == task);
                    polled.truncate(depth.unwrap_or(polled.len()));
                }
                self.tasks[task].leave(record.time, &self.gaps);
            }
            TaskRole::Closed(field) => {
                let task = self.find(process, span(field));
                self.open.remove(&(process, span(field)));
                self.tasks[task].close(record.time);
            }
            TaskRole::Waker(fields) => {
                if let Some(action) = fields.action(payload) {
                    let task = self.find(process, span(&fields.task));
                    self.apply(action, task, record);
                }
            }
            TaskRole::Other => {}
        }
    }

    /// A task is made; whoever had its span before is over.
    fn make(&mut self, process: i32, fields: &MadeFields, record: &Record<'_>) {
        let span = fields.span(record);
        self.open.insert((process, span), self.tasks.len());
        self.tasks.push(fields.task(process, record));
    }

    /// The task with a span. One that isn't known was made before the trace begins, or while events are
    /// missing.
    fn find(&mut self, process: i32, span: u64) -> usize {
        let tasks = &mut self.tasks;
        *self.open.entry((process, span)).or_insert_with(|| {
            tasks.push(AsyncTask::unknown(process));
            tasks.len() - 1
        })
    }

    fn apply(&mut self, action: WakerAction, task: usize, record: &Record<'_>) {
        self.knows_wakes |= action.wakes();
        self.knows_clones |= action == WakerAction::Clone;
        let polled = self.polled.get(&record.pid()).and_then(|polled| polled.last());
        let by = polled.map_or(TaskWaker::Thread(record.pid()), |task| TaskWaker::Task(*task));
        let is_own = by == TaskWaker::Task(task);
        self.tasks[task].apply(action, (by, is_own), record.time);
    }

    /// The tasks, in the order in which they were made, when all records have come. None are left.
    pub fn finish(&mut self) -> Vec<AsyncTask> {
        let mut tasks = std::mem::take(&mut self.tasks);
        let knows_wakers = self.knows_wakes && self.knows_clones;
        tasks.iter_mut().for_each(|task| task.finish(self.last, knows_wakers, &self.gaps));
        tasks
    }

    /// Whether the trace has who wakes whom.
    pub fn knows_wakes(&self) -> bool {
        self.knows_wakes
    }
}
