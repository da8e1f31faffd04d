//! A row of `slices`.

use super::run_times::RunSums;
use crate::table::{ColumnType, RowCell, TableColumn, TableRow};
use crate::told::{ToldColumn, ToldFields};
use convert::{SliceEnding, SliceName};

/// A call, a function or a span.
#[derive(Debug)]
pub struct SliceRow<'a> {
    /// Counted from 1, in the order in which they begin.
    pub id: i64,
    /// When it begins.
    pub start: u64,
    /// How long it takes.
    pub length: u64,
    /// How much of that it is in no slice within it.
    pub own: u64,
    /// What its thread did meanwhile, where that is known.
    pub run: Option<RunSums>,
    /// Where it begins.
    pub cpu: u32,
    /// Its thread.
    pub tid: i32,
    /// The thread's process.
    pub pid: Option<i32>,
    /// The thread's name.
    pub comm: Option<&'a str>,
    /// What it is.
    pub name: &'a SliceName,
    /// In how many slices it is.
    pub depth: usize,
    /// The slice that it is in.
    pub parent: Option<i64>,
    /// What its two ends say.
    pub told: &'a ToldFields,
    /// The thread that held the lock which it waited for.
    pub holder: Option<i32>,
    /// The stack where it begins.
    pub stack: Option<i64>,
    /// How it ends.
    pub ending: SliceEnding,
}

/// A column of `slices`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SliceColumn {
    Id,
    Start,
    Length,
    Own,
    Running,
    Runnable,
    Blocked,
    Cpu,
    Tid,
    Pid,
    Comm,
    System,
    Name,
    Depth,
    Parent,
    Told(ToldColumn),
    Holder,
    Stack,
    Ending,
}

impl TableRow for SliceRow<'_> {
    type Column = SliceColumn;

    const TABLE: &'static str = "slices";

    const COLUMNS: &'static [TableColumn<SliceColumn>] = &[
        (SliceColumn::Id, "id", ColumnType::Long),
        (SliceColumn::Start, "ts", ColumnType::Long),
        (SliceColumn::Length, "dur", ColumnType::Long),
        (SliceColumn::Own, "self", ColumnType::Long),
        (SliceColumn::Running, "running", ColumnType::Long),
        (SliceColumn::Runnable, "runnable", ColumnType::Long),
        (SliceColumn::Blocked, "blocked", ColumnType::Long),
        (SliceColumn::Cpu, "cpu", ColumnType::Int),
        (SliceColumn::Tid, "tid", ColumnType::Int),
        (SliceColumn::Pid, "pid", ColumnType::Int),
        (SliceColumn::Comm, "comm", ColumnType::Text),
        (SliceColumn::System, "system", ColumnType::Text),
        (SliceColumn::Name, "name", ColumnType::Text),
        (SliceColumn::Depth, "depth", ColumnType::Int),
        (SliceColumn::Parent, "parent", ColumnType::Long),
        (SliceColumn::Told(ToldColumn::Ret), "ret", ColumnType::Long),
        (SliceColumn::Told(ToldColumn::Error), "error", ColumnType::Int),
        (SliceColumn::Told(ToldColumn::Path), "path", ColumnType::Text),
        (SliceColumn::Told(ToldColumn::Fd), "fd", ColumnType::Int),
        (SliceColumn::Told(ToldColumn::Size), "size", ColumnType::Long),
        (SliceColumn::Told(ToldColumn::Caller), "caller", ColumnType::Text),
        (SliceColumn::Holder, "holder", ColumnType::Int),
        (SliceColumn::Stack, "stack", ColumnType::Long),
        (SliceColumn::Told(ToldColumn::Arguments), "args", ColumnType::Text),
        (SliceColumn::Ending, "ending", ColumnType::Text),
    ];

    fn cell(&self, column: SliceColumn) -> RowCell<'_> {
        let run = |part: fn(RunSums) -> u64| RowCell::Number(self.run.map(|run| part(run) as i64));
        match column {
            SliceColumn::Id => RowCell::Number(Some(self.id)),
            SliceColumn::Start => RowCell::Number(Some(self.start as i64)),
            SliceColumn::Length => RowCell::Number(Some(self.length as i64)),
            SliceColumn::Own => RowCell::Number(Some(self.own as i64)),
            SliceColumn::Running => run(|run| run.running),
            SliceColumn::Runnable => run(|run| run.runnable),
            SliceColumn::Blocked => run(|run| run.blocked),
            SliceColumn::Cpu => RowCell::Number(Some(self.cpu.into())),
            SliceColumn::Tid => RowCell::Number(Some(self.tid.into())),
            SliceColumn::Pid => RowCell::Number(self.pid.map(i64::from)),
            SliceColumn::Comm => RowCell::Text(self.comm),
            SliceColumn::System => RowCell::Text(Some(&self.name.category)),
            SliceColumn::Name => RowCell::Text(Some(&self.name.name)),
            SliceColumn::Depth => RowCell::Number(i64::try_from(self.depth).ok()),
            SliceColumn::Parent => RowCell::Number(self.parent),
            SliceColumn::Told(column) => self.told.cell(column),
            SliceColumn::Holder => RowCell::Number(self.holder.map(i64::from)),
            SliceColumn::Stack => RowCell::Number(self.stack),
            SliceColumn::Ending => RowCell::Text(self.ending.describe()),
        }
    }
}
