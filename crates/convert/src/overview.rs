//! An overview of a trace: what each thread spends its time in, in a given number of columns.

use crate::drawing::{Drawing, SliceEnd, SliceName};
use export::Error;
use foldhash::HashMap;
use std::cmp::Reverse;
use trace_data::info::TraceInfo;

/// Sums up the slices of each thread by column. Takes memory for each thread, up to that for some entries in
/// each of its columns; none for a slice.
#[derive(Debug)]
pub struct Overview {
    /// The times of the left edge and of the right.
    bounds: (u64, u64),
    columns: u16,
    kind: fn(&SliceName) -> u8,
    /// By the place of the slice's name.
    kinds: Vec<Option<u8>>,
    threads: HashMap<i32, ThreadColumns>,
}

/// The columns of a thread.
#[derive(Debug, Default)]
struct ThreadColumns {
    shares: Vec<ColumnShare>,
    total: u64,
}

/// How many nanoseconds of a column are spent in a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ColumnShare {
    column: u16,
    kind: u8,
    time: u64,
}

/// A thread in the overview.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverviewRow {
    /// The thread.
    pub tid: i32,
    /// Nanoseconds in slices that are in no other one.
    pub total: u64,
    /// What is drawn, from the left to the right.
    pub runs: Vec<OverviewRun>,
}

/// Columns that look the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OverviewRun {
    /// The first column.
    pub first: u16,
    /// How many there are.
    pub count: u16,
    /// In which kind of slices most of the time is spent.
    pub kind: u8,
    /// How much of it, in quarters, rounded up: 1 to 4.
    pub quarters: u8,
}

/// How many of the latest entries are looked through for one that a slice adds to.
const NEAR: usize = 8;

/// A thread's entries are put together when there are so many for each column.
const MANY: usize = 16;

impl Overview {
    /// Of the time between these bounds, in so many columns. `kind` says of which kind slices of a name are:
    /// of a lower one first where there are several.
    pub fn new(bounds: (u64, u64), columns: u16, kind: fn(&SliceName) -> u8) -> Overview {
        let columns = columns.max(1);
        Overview { bounds, columns, kind, kinds: Vec::new(), threads: HashMap::default() }
    }

    /// The column of a time.
    pub fn column(&self, time: u64) -> u16 {
        let (first, last) = self.bounds;
        let length = u128::from(last.saturating_sub(first).max(1));
        let passed = u128::from(time.clamp(first, last.max(first)) - first);
        let column = passed * u128::from(self.columns) / length;
        column.min(u128::from(self.columns) - 1) as u16
    }

    /// When a column begins.
    fn start(&self, column: u16) -> u64 {
        let (first, last) = self.bounds;
        let length = u128::from(last.saturating_sub(first).max(1));
        first + (length * u128::from(column) / u128::from(self.columns)) as u64
    }

    fn kind(&mut self, name: &SliceName) -> u8 {
        if self.kinds.len() <= name.place {
            self.kinds.resize(name.place + 1, None);
        }
        *self.kinds[name.place].get_or_insert_with(|| (self.kind)(name))
    }

    /// A row for each thread that has slices, those with more time in them first.
    pub fn rows(&self) -> Vec<OverviewRow> {
        let row = |(tid, thread): (&i32, &ThreadColumns)| {
            let mut shares = thread.shares.clone();
            merge(&mut shares);
            OverviewRow { tid: *tid, total: thread.total, runs: self.runs(&shares) }
        };
        let mut rows: Vec<OverviewRow> = self.threads.iter().map(row).collect();
        rows.sort_by_key(|row| (Reverse(row.total), row.tid));
        rows
    }

    fn runs(&self, shares: &[ColumnShare]) -> Vec<OverviewRun> {
        let mut runs: Vec<OverviewRun> = Vec::new();
        for column in shares.chunk_by(|one, other| one.column == other.column) {
            let most = column.iter().max_by_key(|share| (share.time, Reverse(share.kind)));
            let Some(ColumnShare { column: first, kind, .. }) = most.copied() else { continue };
            let spent: u64 = column.iter().map(|share| share.time).sum();
            let length = (self.start(first + 1) - self.start(first)).max(1);
            let quarters = (4 * spent).div_ceil(length).clamp(1, 4) as u8;
            match runs.last_mut() {
                Some(run) if (run.first + run.count, run.kind, run.quarters) == (first, kind, quarters) => {
                    run.count += 1;
                }
                _ => runs.push(OverviewRun { first, count: 1, kind, quarters }),
            }
        }
        runs
    }
}

impl ThreadColumns {
    fn add(&mut self, column: u16, kind: u8, time: u64) {
        let mut near = self.shares.iter_mut().rev().take(NEAR);
        match near.find(|share| (share.column, share.kind) == (column, kind)) {
            Some(share) => share.time += time,
            None => self.shares.push(ColumnShare { column, kind, time }),
        }
    }
}

/// Puts entries of the same column and kind together, in order.
fn merge(shares: &mut Vec<ColumnShare>) {
    shares.sort_unstable();
    shares.dedup_by(|next, kept| {
        let is_same = (next.column, next.kind) == (kept.column, kept.kind);
        kept.time += if is_same { next.time } else { 0 };
        is_same
    });
}

impl Drawing for Overview {
    fn end(&mut self, slice: &SliceEnd<'_>, _trace: &TraceInfo<'_>) -> Result<(), Error> {
        let kind = self.kind(slice.name);
        let (first, last) = (self.column(slice.start), self.column(slice.time));
        let own = slice.own;
        // What is within it counts by itself.
        let length = u128::from((slice.time - slice.start).max(1));
        let most = MANY * usize::from(self.columns);
        let starts = |column: u16| self.start(column);
        let parts = (first..=last).map(|column| {
            let end = starts(column + 1).min(slice.time);
            let time = end.saturating_sub(starts(column).max(slice.start));
            (column, (u128::from(time) * u128::from(own) / length) as u64)
        });
        let parts: Vec<(u16, u64)> = parts.collect();
        let thread = self.threads.entry(slice.track.tid).or_default();
        for (column, time) in parts {
            thread.add(column, kind, time);
        }
        thread.total += if slice.within.is_empty() { slice.time - slice.start } else { 0 };
        if thread.shares.len() > most {
            merge(&mut thread.shares);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawing::{SliceEnding, Track};
    use std::rc::Rc;
    use trace_data::dat::Metadata;
    use trace_data::event::EventTable;

    fn end(overview: &mut Overview, place: usize, start: u64, time: u64) {
        let name = Rc::new(SliceName { place, name: "read".into(), category: "libc".into() });
        let (events, metadata) = (EventTable::default(), Metadata::new(4096));
        let (tasks, symbols) = (&(), &());
        let trace = TraceInfo { metadata: &metadata, events: &events, tasks, symbols, nanoseconds: true };
        let slice = SliceEnd {
            track: Track { number: 1, tid: 7 },
            start,
            time,
            own: time - start,
            name: &name,
            within: &[],
            stack: None,
            arguments: None,
            ending: SliceEnding::Returned,
        };
        overview.end(&slice, &trace).unwrap();
    }

    #[test]
    fn columns_have_what_most_of_their_time_is_spent_in() {
        let mut overview = Overview::new((1000, 2000), 10, |name| name.place as u8);
        end(&mut overview, 0, 1000, 1010);
        end(&mut overview, 1, 1010, 1080);
        end(&mut overview, 2, 1150, 1950);
        let rows = overview.rows();
        let run = |first, count, kind, quarters| OverviewRun { first, count, kind, quarters };
        assert_eq!((rows[0].tid, rows[0].total), (7, 880));
        assert_eq!(rows[0].runs, [run(0, 1, 1, 4), run(1, 1, 2, 2), run(2, 7, 2, 4), run(9, 1, 2, 2)]);
        assert_eq!([0, 1000, 1099, 1100, 2000, 9999].map(|time| overview.column(time)), [0, 0, 0, 1, 9, 9]);
    }

    #[test]
    fn memory_does_not_grow_with_slices() {
        let mut overview = Overview::new((0, 100_000), 10, |name| name.place as u8);
        for start in 0..100_000 {
            end(&mut overview, (start % 8) as usize, start, start + 1);
        }
        let shares = &overview.threads[&7].shares;
        assert!(shares.len() <= MANY * 10 + 1, "{}", shares.len());
        assert_eq!(overview.rows()[0].total, 100_000);
    }
}
