//! A row of `events`.

use crate::table::{ColumnType, RowCell, TableColumn, TableRow};
use crate::told::{ToldColumn, ToldFields};

/// An event.
#[derive(Debug, Default)]
pub struct EventRow<'a> {
    /// When, in nanoseconds of the trace's clock.
    pub time: u64,
    /// Where.
    pub cpu: u32,
    /// The thread.
    pub tid: i32,
    /// The thread's process.
    pub pid: Option<i32>,
    /// The thread's name.
    pub comm: Option<&'a str>,
    /// The event's system.
    pub system: &'a str,
    /// The event.
    pub name: &'a str,
    /// What it says.
    pub told: ToldFields,
}

/// A column of `events`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventColumn {
    Time,
    Cpu,
    Tid,
    Pid,
    Comm,
    System,
    Name,
    Told(ToldColumn),
}

impl EventColumn {
    /// Whether the record itself is to be decoded for it.
    pub fn is_told(self) -> bool {
        matches!(self, EventColumn::Told(_))
    }
}

impl TableRow for EventRow<'_> {
    type Column = EventColumn;

    const TABLE: &'static str = "events";

    const COLUMNS: &'static [TableColumn<EventColumn>] = &[
        (EventColumn::Time, "ts", ColumnType::Long),
        (EventColumn::Cpu, "cpu", ColumnType::Int),
        (EventColumn::Tid, "tid", ColumnType::Int),
        (EventColumn::Pid, "pid", ColumnType::Int),
        (EventColumn::Comm, "comm", ColumnType::Text),
        (EventColumn::System, "system", ColumnType::Text),
        (EventColumn::Name, "name", ColumnType::Text),
        (EventColumn::Told(ToldColumn::Ret), "ret", ColumnType::Long),
        (EventColumn::Told(ToldColumn::Error), "error", ColumnType::Int),
        (EventColumn::Told(ToldColumn::Path), "path", ColumnType::Text),
        (EventColumn::Told(ToldColumn::Fd), "fd", ColumnType::Int),
        (EventColumn::Told(ToldColumn::Size), "size", ColumnType::Long),
        (EventColumn::Told(ToldColumn::Caller), "caller", ColumnType::Text),
        (EventColumn::Told(ToldColumn::Arguments), "args", ColumnType::Text),
    ];

    fn cell(&self, column: EventColumn) -> RowCell<'_> {
        match column {
            EventColumn::Time => RowCell::Number(Some(self.time as i64)),
            EventColumn::Cpu => RowCell::Number(Some(self.cpu.into())),
            EventColumn::Tid => RowCell::Number(Some(self.tid.into())),
            EventColumn::Pid => RowCell::Number(self.pid.map(i64::from)),
            EventColumn::Comm => RowCell::Text(self.comm),
            EventColumn::System => RowCell::Text(Some(self.system)),
            EventColumn::Name => RowCell::Text(Some(self.name)),
            EventColumn::Told(column) => self.told.cell(column),
        }
    }
}
