//! The tables `threads`, `losses` and `meta`: small enough to be in memory.

use crate::loss::Loss;
use crate::parquet::FileNotes;
use crate::table::{ColumnType, RowBatch, RowCell, TableColumn, TableRow, schema_of};
use crate::trace::AskedTrace;
use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Int64Type};
use datafusion::datasource::MemTable;
use datafusion::error::Result;
use std::collections::BTreeSet;
use trace_data::text::Tasks;

/// What notes about a trace begin with, in files of Parquet.
pub const NOTE: &str = "lookback.";

/// A thread.
#[derive(Debug)]
pub struct TracedThreadRow<'a> {
    tid: i32,
    pid: Option<i32>,
    comm: Option<&'a str>,
}

/// A column of `threads`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThreadColumn {
    Tid,
    Pid,
    Comm,
}

impl TableRow for TracedThreadRow<'_> {
    type Column = ThreadColumn;

    const TABLE: &'static str = "threads";

    const COLUMNS: &'static [TableColumn<ThreadColumn>] = &[
        (ThreadColumn::Tid, "tid", ColumnType::Int),
        (ThreadColumn::Pid, "pid", ColumnType::Int),
        (ThreadColumn::Comm, "comm", ColumnType::Text),
    ];

    fn cell(&self, column: ThreadColumn) -> RowCell<'_> {
        match column {
            ThreadColumn::Tid => RowCell::Number(Some(self.tid.into())),
            ThreadColumn::Pid => RowCell::Number(self.pid.map(i64::from)),
            ThreadColumn::Comm => RowCell::Text(self.comm),
        }
    }
}

/// A column of `losses`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LossColumn {
    Start,
    Length,
    Cpu,
    Count,
}

impl TableRow for Loss {
    type Column = LossColumn;

    const TABLE: &'static str = "losses";

    const COLUMNS: &'static [TableColumn<LossColumn>] = &[
        (LossColumn::Start, "ts", ColumnType::Long),
        (LossColumn::Length, "dur", ColumnType::Long),
        (LossColumn::Cpu, "cpu", ColumnType::Int),
        (LossColumn::Count, "n", ColumnType::Long),
    ];

    fn cell(&self, column: LossColumn) -> RowCell<'_> {
        match column {
            LossColumn::Start => RowCell::Number(Some(self.from as i64)),
            LossColumn::Length => RowCell::Number(Some(self.to.saturating_sub(self.from) as i64)),
            LossColumn::Cpu => RowCell::Number(self.cpu.map(i64::from)),
            LossColumn::Count => RowCell::Number(self.count.map(|count| count as i64)),
        }
    }
}

/// Something about the trace as a whole.
#[derive(Debug)]
pub struct MetaRow {
    key: &'static str,
    value: String,
}

/// A column of `meta`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetaColumn {
    Key,
    Value,
}

impl TableRow for MetaRow {
    type Column = MetaColumn;

    const TABLE: &'static str = "meta";

    const COLUMNS: &'static [TableColumn<MetaColumn>] =
        &[(MetaColumn::Key, "key", ColumnType::Text), (MetaColumn::Value, "value", ColumnType::Text)];

    fn cell(&self, column: MetaColumn) -> RowCell<'_> {
        RowCell::Text(Some(match column {
            MetaColumn::Key => self.key,
            MetaColumn::Value => &self.value,
        }))
    }
}

/// The threads of a trace.
pub fn threads(trace: &AskedTrace) -> Result<MemTable> {
    let threads = &trace.contents.threads;
    let named = threads.names().iter().map(|(tid, _)| *tid);
    let tids: BTreeSet<i32> = named.chain(threads.processes().iter().map(|(tid, _)| *tid)).collect();
    let row = |tid| TracedThreadRow { tid, pid: threads.tgid(tid), comm: threads.comm(tid) };
    in_memory(&tids.into_iter().map(row).collect::<Vec<_>>())
}

/// The losses of a trace.
pub fn losses(trace: &AskedTrace) -> Result<MemTable> {
    in_memory(&trace.losses)
}

/// The losses in a batch of their table.
pub fn losses_of(batch: &RecordBatch) -> Result<Vec<Loss>> {
    let column = |place: LossColumn| -> Result<Vec<Option<i64>>> {
        let of_place = |(column, ..): &&TableColumn<LossColumn>| *column == place;
        let name = Loss::COLUMNS.iter().find(of_place).map_or("", |(_, name, _)| name);
        let numbers = cast(batch.column(batch.schema().index_of(name)?), &DataType::Int64)?;
        Ok(numbers.as_primitive::<Int64Type>().iter().collect())
    };
    let (starts, lengths) = (column(LossColumn::Start)?, column(LossColumn::Length)?);
    let (cpus, counts) = (column(LossColumn::Cpu)?, column(LossColumn::Count)?);
    let at = |numbers: &[Option<i64>], row: usize| numbers.get(row).copied().flatten();
    let loss = |row| {
        let from = at(&starts, row).unwrap_or(0) as u64;
        Loss {
            cpu: at(&cpus, row).and_then(|cpu| u32::try_from(cpu).ok()),
            from,
            to: from.saturating_add(at(&lengths, row).unwrap_or(0) as u64),
            count: at(&counts, row).map(|count| count as u64),
        }
    };
    Ok((0..batch.num_rows()).map(loss).collect())
}

/// Facts about a trace as a whole.
pub fn meta(trace: &AskedTrace) -> Result<MemTable> {
    in_memory(&meta_rows(trace))
}

/// Facts about a trace as a whole, as key and value.
pub fn notes(trace: &AskedTrace) -> FileNotes {
    meta_rows(trace).into_iter().map(|row| (format!("{NOTE}{}", row.key), row.value)).collect()
}

fn meta_rows(trace: &AskedTrace) -> Vec<MetaRow> {
    let (contents, survey) = (&trace.contents, &trace.survey);
    let options = &contents.metadata.options;
    let bounds = survey.bounds.map(|(first, last)| (options.time(first), options.time(last)));
    let real = bounds.and_then(|(first, _)| contents.metadata.supplement.real_time(first));
    let known = [
        ("file", Some(trace.name().to_owned())),
        ("version", options.version.clone()),
        ("clock", Some(contents.clock.clone())),
        ("events", Some(survey.entries.to_string())),
        ("lost", Some(trace.lost().to_string())),
        ("lost_uncounted", Some(trace.uncounted().to_string())),
        ("not_written", Some(trace.dropped().to_string())),
        ("first", bounds.map(|(first, _)| first.to_string())),
        ("last", bounds.map(|(_, last)| last.to_string())),
        ("first_since_1970", real.map(|time| time.to_string())),
        ("cpus", Some(trace.cpus.len().to_string())),
        ("damage", trace.damage()),
    ];
    known.into_iter().filter_map(|(key, value)| Some(MetaRow { key, value: value? })).collect()
}

fn in_memory<R: TableRow>(rows: &[R]) -> Result<MemTable> {
    let mut batch = RowBatch::new::<R>();
    rows.iter().for_each(|row| {
        batch.push(row);
    });
    MemTable::try_new(schema_of::<R>(), vec![vec![batch.take()?]])
}
