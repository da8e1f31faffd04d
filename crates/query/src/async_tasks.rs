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

/// Collects the tasks of a trace. Takes memory for each task, for each that has woken another, and for each
/// span that only wakers are about.
#[derive(Debug)]
pub struct AsyncTasks {
    gaps: Gaps,
    /// By event id.
    roles: ByEvent<Rc<TaskRole>>,
    tasks: Vec<AsyncTask>,
    /// The tasks that are not over, by process and span.
    open: HashMap<(i32, u64), usize>,
    /// What is done with the wakers of spans that are none of these, by process and span. It is a task's that
    /// was made before the trace begins if that is polled later; else perhaps of one that is over.
    unseen: HashMap<(i32, u64), AsyncTask>,
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
            unseen: HashMap::default(),
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
                    self.apply(action, (process, span(&fields.task)), record);
                }
            }
            TaskRole::Other => {}
        }
    }

    /// A task is made; whoever had its span before is over.
    fn make(&mut self, process: i32, fields: &MadeFields, record: &Record<'_>) {
        let span = fields.span(record);
        self.unseen.remove(&(process, span));
        self.open.insert((process, span), self.tasks.len());
        self.tasks.push(fields.task(process, record));
    }

    /// The task with a span. One that isn't known was made before the trace begins, or while events are
    /// missing.
    fn find(&mut self, process: i32, span: u64) -> usize {
        let (tasks, unseen) = (&mut self.tasks, &mut self.unseen);
        *self.open.entry((process, span)).or_insert_with(|| {
            tasks.push(unseen.remove(&(process, span)).unwrap_or_else(|| AsyncTask::unknown(process)));
            tasks.len() - 1
        })
    }

    /// Something is done with what wakes a task. That alone makes none of a span that isn't known: wakers
    /// are often dropped, or used, after their task is over.
    fn apply(&mut self, action: WakerAction, key: (i32, u64), record: &Record<'_>) {
        self.knows_wakes |= action.wakes();
        self.knows_clones |= action == WakerAction::Clone;
        let polled = self.polled.get(&record.pid()).and_then(|polled| polled.last());
        let by = polled.map_or(TaskWaker::Thread(record.pid()), |task| TaskWaker::Task(*task));
        let place = self.open.get(&key).copied();
        let is_own = place.is_some_and(|place| by == TaskWaker::Task(place));
        let task = match place {
            Some(place) => &mut self.tasks[place],
            None => self.unseen.entry(key).or_insert_with(|| AsyncTask::unknown(key.0)),
        };
        task.apply(action, (by, is_own), record.time);
    }

    /// The tasks, in the order in which they were made, when all records have come. None are left.
    pub fn finish(&mut self) -> Vec<AsyncTask> {
        self.unseen.clear();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_event::test_event;
    use trace_data::dat::Metadata;
    use trace_data::event::{Event, EventTable};
    use trace_data::page::Missed;

    const MADE: u16 = 1;
    const ENTERED: u16 = 2;
    const LEFT: u16 = 3;
    const CLOSED: u16 = 4;
    const CLONED: u16 = 5;
    const DROPPED: u16 = 6;
    const WOKEN: u16 = 7;

    /// An event of a span, with an action if it is about wakers.
    fn event(system: &str, name: &str, id: u16, span: &str) -> Event {
        let fields = format!(
            "\tfield:u64 {span};\toffset:8;\tsize:8;\tsigned:0;\n\
             \tfield:char op[20];\toffset:16;\tsize:20;\tsigned:0;\n"
        );
        test_event(system, name, id, &fields)
    }

    fn table() -> EventTable {
        let span = |name: &str, id| event("tokio_task", name, id, "span");
        let waker = |id| event("tokio_task_waker", "waker", id, "task_id");
        let spans = [
            span("runtime_spawn", MADE),
            span("runtime_spawn_enter", ENTERED),
            span("runtime_spawn_exit", LEFT),
            span("runtime_spawn_close", CLOSED),
        ];
        spans.into_iter().chain([CLONED, DROPPED, WOKEN].map(waker)).collect()
    }

    /// The tasks of records of one thread, each of an event and a span, 10 ns after the one before it.
    fn tasks(records: &[(u16, u64)]) -> Vec<AsyncTask> {
        let (events, metadata) = (table(), Metadata::new(4096));
        let trace =
            TraceInfo { metadata: &metadata, events: &events, tasks: &(), symbols: &(), nanoseconds: true };
        let mut tasks = AsyncTasks::new(Gaps::default());
        for (time, (id, span)) in (10..).step_by(10).zip(records) {
            let action = match *id {
                CLONED => "waker.clone",
                DROPPED => "waker.drop",
                WOKEN => "waker.wake",
                _ => "",
            };
            let mut payload = abi::common::word(*id, 0, 0, 7).to_le_bytes().to_vec();
            payload.extend(span.to_le_bytes());
            payload.extend(action.bytes().chain([0; 20]).take(20));
            tasks.add(&Record { cpu: 0, time, payload: &payload, lost: Missed::None }, &trace);
        }
        tasks.finish()
    }

    #[test]
    fn wakers_that_outlive_their_task_make_none() {
        let made = [(MADE, 1), (CLONED, 1), (CLONED, 1), (ENTERED, 1), (LEFT, 1), (CLOSED, 1)];
        let found = tasks(&[&made[..], &[(WOKEN, 1), (DROPPED, 1)]].concat());
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].state, found[0].wakes()), (AsyncTaskState::Ended, 0));
        // Nor do those of one that was over before the trace begins.
        assert!(tasks(&[(DROPPED, 9), (WOKEN, 9)]).is_empty());
    }

    #[test]
    fn a_task_made_before_the_trace_has_what_was_done_before_its_first_poll() {
        let found = tasks(&[(CLONED, 9), (WOKEN, 9), (ENTERED, 9), (LEFT, 9)]);
        assert_eq!(found.len(), 1, "{found:?}");
        let task = &found[0];
        assert_eq!((task.made, task.polls.count, task.wakes()), (None, 1, 1));
        assert_eq!(task.waits, TimeSum { count: 1, uncertain: 0, total: 10, longest: 10 });
    }

    #[test]
    fn a_span_that_is_used_again_has_nothing_of_the_task_before() {
        let found = tasks(&[(DROPPED, 1), (WOKEN, 1), (MADE, 1), (ENTERED, 1), (LEFT, 1)]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].made, found[0].wakes(), found[0].polls.count), (Some(30), 0, 1));
    }
}
