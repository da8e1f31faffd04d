//! What tasks are called that are polled.

use super::task_role::TaskRole;
use crate::by_event::ByEvent;
use foldhash::HashMap;
use trace_data::info::TraceInfo;
use trace_data::record::Record;

/// The names of tasks. Takes memory for each that is not over.
#[derive(Debug, Default)]
pub struct AsyncTaskNames {
    /// By event id.
    roles: ByEvent<TaskRole>,
    /// By process and span.
    names: HashMap<(i32, u64), String>,
}

impl AsyncTaskNames {
    /// The task that is polled from a record on: its name, or what it is and where it was made. All records
    /// have to come, in the order of time. Cost: of one that is about no task, one look at a table.
    pub fn add(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Option<&str> {
        let role = self.roles.of(record.id(), || TaskRole::of(record.id(), trace.events));
        let process = || trace.tasks.tgid(record.pid()).unwrap_or(record.pid());
        match role {
            TaskRole::Made(fields) => {
                let task = fields.task(process(), record);
                let name = task.name.unwrap_or_else(|| {
                    [task.kind, task.place].into_iter().flatten().collect::<Vec<_>>().join(" ")
                });
                self.names.insert((task.process, fields.span(record)), name);
                None
            }
            TaskRole::Entered(span) => {
                let span = span.integer(record.payload)? as u64;
                self.names.get(&(process(), span)).map(String::as_str).filter(|name| !name.is_empty())
            }
            TaskRole::Closed(span) => {
                let span = span.integer(record.payload)? as u64;
                self.names.remove(&(process(), span));
                None
            }
            TaskRole::Left(_) | TaskRole::Waker(_) | TaskRole::Other => None,
        }
    }
}
