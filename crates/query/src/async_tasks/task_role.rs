//! What an event says of tasks.

use super::AsyncTask;
use super::waker_action::WakerFields;
use trace_data::event::EventTable;
use trace_data::format::{Field, Format};
use trace_data::record::Record;

/// What an event says of tasks.
#[derive(Debug)]
pub(super) enum TaskRole {
    /// One is made.
    Made(Box<MadeFields>),
    /// One is polled, or dropped, from here on.
    Entered(Field),
    /// Until here.
    Left(Field),
    /// It is over.
    Closed(Field),
    /// Something is done with what wakes it.
    Waker(WakerFields),
    Other,
}

/// The span of a task.
const SPAN: &str = "runtime_spawn";

/// The systems that have such spans: of tasks, and of what may block.
const SYSTEMS: [&str; 2] = ["tokio_task", "tokio_task_blocking"];

impl TaskRole {
    pub(super) fn of(id: u16, events: &EventTable) -> TaskRole {
        let found = events.get(id).and_then(|event| TaskRole::of_format(event.format()));
        found.unwrap_or(TaskRole::Other)
    }

    fn of_format(format: &Format) -> Option<TaskRole> {
        let field = |name: &str| format.field(name).cloned();
        if let Some(fields) = WakerFields::of(format) {
            return Some(TaskRole::Waker(fields));
        }
        if !SYSTEMS.contains(&format.system.as_str()) {
            return None;
        }
        Some(match format.name.strip_prefix(SPAN)? {
            "" => TaskRole::Made(Box::new(MadeFields::of(format)?)),
            "_enter" => TaskRole::Entered(field("span")?),
            "_exit" => TaskRole::Left(field("span")?),
            "_close" => TaskRole::Closed(field("span")?),
            _ => return None,
        })
    }
}

/// What is said of a task that is made.
#[derive(Debug)]
pub(super) struct MadeFields {
    span: Field,
    number: Option<Field>,
    kind: Option<Field>,
    name: Option<Field>,
    file: Option<Field>,
    line: Option<Field>,
}

impl MadeFields {
    fn of(format: &Format) -> Option<MadeFields> {
        let field = |name: &str| format.field(name).cloned();
        Some(MadeFields {
            span: field("span")?,
            number: field("task_id"),
            kind: field("kind"),
            name: field("task_name"),
            file: field("loc_file"),
            line: field("loc_line"),
        })
    }

    /// Its span.
    pub(super) fn span(&self, record: &Record<'_>) -> u64 {
        self.span.integer(record.payload).unwrap_or_default() as u64
    }

    /// The task, which nobody has polled yet.
    pub(super) fn task(&self, process: i32, record: &Record<'_>) -> AsyncTask {
        let number = |field: &Option<Field>| field.as_ref()?.integer(record.payload);
        let text = |field: &Option<Field>| {
            let text = field.as_ref()?.string(record.payload)?.into_owned();
            (!text.is_empty()).then_some(text)
        };
        let mut task = AsyncTask::made(process, record.time);
        task.number = number(&self.number).map(|number| number as u64);
        (task.kind, task.name) = (text(&self.kind), text(&self.name));
        task.place = text(&self.file).zip(number(&self.line)).map(|(file, line)| format!("{file}:{line}"));
        task
    }
}
