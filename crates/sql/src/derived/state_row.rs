//! A row of `states`.

use crate::table::{ColumnType, RowCell, TableColumn, TableRow};
use convert::RunState;

/// What a thread does for a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StateRow {
    /// Since when.
    pub start: u64,
    /// For how long.
    pub length: u64,
    /// The thread.
    pub tid: i32,
    /// Where it has begun that.
    pub cpu: u32,
    /// What it does.
    pub state: RunState,
    /// The thread that has woken it for that, if it was woken.
    pub waker: Option<i32>,
}

/// A column of `states`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StateColumn {
    Start,
    Length,
    Tid,
    Cpu,
    State,
    Waker,
}

impl TableRow for StateRow {
    type Column = StateColumn;

    const TABLE: &'static str = "states";

    const COLUMNS: &'static [TableColumn<StateColumn>] = &[
        (StateColumn::Start, "ts", ColumnType::Long),
        (StateColumn::Length, "dur", ColumnType::Long),
        (StateColumn::Tid, "tid", ColumnType::Int),
        (StateColumn::Cpu, "cpu", ColumnType::Int),
        (StateColumn::State, "state", ColumnType::Text),
        (StateColumn::Waker, "waker", ColumnType::Int),
    ];

    fn cell(&self, column: StateColumn) -> RowCell<'_> {
        match column {
            StateColumn::Start => RowCell::Number(Some(self.start as i64)),
            StateColumn::Length => RowCell::Number(Some(self.length as i64)),
            StateColumn::Tid => RowCell::Number(Some(self.tid.into())),
            StateColumn::Cpu => RowCell::Number(Some(self.cpu.into())),
            StateColumn::State => RowCell::Text(Some(match self.state {
                RunState::Running => "running",
                RunState::Runnable => "runnable",
                RunState::Sleeping => "sleeping",
                RunState::Blocked => "blocked",
            })),
            StateColumn::Waker => RowCell::Number(self.waker.map(i64::from)),
        }
    }
}
