//! The tree of processes: who has made whom, when, and how each has ended.

use super::times::Times;
use crate::columns::{fit, without_end};
use crate::duration::seconds;
use crate::json::Json;
use crate::number::grouped;
use export::{Error, Sink};
use query::{ProcessNode, ProcessOutcome, ProcessTree};
use std::io::Write;
use trace_data::info::TraceInfo;
use trace_data::record::Record;
use trace_data::text::printable;

/// Collects processes, and prints their tree in the end.
pub(super) struct ProcessTable<W> {
    out: W,
    tree: ProcessTree,
    /// The time of the trace's first event.
    first: u64,
    /// Since when the trace is complete.
    complete: Option<String>,
    form: ProcessForm,
}

/// How processes are shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProcessForm {
    /// As JSON, an object for each.
    pub(super) json: bool,
    pub(super) times: Times,
}

/// The columns before the command; the first is at the left of a time that is later than what it stands for.
pub(super) const TITLES: [&str; 6] = ["START", "END", "ENDED", "CALLS", "ERRORS", "PID"];

impl<W: Write> ProcessTable<W> {
    pub(super) fn new(
        out: W,
        tree: ProcessTree,
        first: u64,
        complete: Option<String>,
        form: ProcessForm,
    ) -> ProcessTable<W> {
        ProcessTable { out, tree, first, complete, form }
    }

    fn print(&mut self, order: &[(usize, usize)], trace: &TraceInfo<'_>) -> Result<(), Error> {
        let clock = ProcessClock { first: self.first, times: self.form.times };
        let rows = rows(&self.tree, order, clock, trace);
        let is_uncertain = rows.iter().any(|row| row.cells.iter().any(|cell| cell.starts_with('<')));
        let widths: [usize; 6] = std::array::from_fn(|column| {
            rows.iter().map(|row| row.cells[column].len()).max().unwrap_or(0).max(TITLES[column].len())
        });
        let line = |cells: [&str; 6]| {
            let cell = |column: usize| match column {
                2 => format!("{:<width$}", cells[column], width = widths[column]),
                _ => format!("{:>width$}", cells[column], width = widths[column]),
            };
            (0..6).map(cell).collect::<Vec<_>>().join("  ")
        };
        let bold = anstyle::Style::new().bold();
        writeln!(self.out, "{bold}{}  COMMAND{bold:#}", line(TITLES))?;
        for row in &rows {
            let start = line(row.cells.each_ref().map(String::as_str));
            let command = format!("{:width$}{}", "", row.command, width = 2 * row.depth);
            let mut width = [command.chars().count()];
            fit(&mut width, start.len() + 2);
            writeln!(self.out, "{start}  {}", without_end(&command, width[0]))?;
        }
        if is_uncertain {
            writeln!(self.out, "\n< before: it was there already, or was found to have ended")?;
        }
        if !self.tree.knows_processes() {
            let hint = "if they were not enabled, `-e @process` enables them";
            writeln!(self.out, "\nthe trace has no starts and ends of processes; {hint}")?;
        }
        if let Some(complete) = &self.complete {
            writeln!(self.out, "\nthe trace is {complete}")?;
        }
        Ok(())
    }

    fn print_json(&mut self, order: &[(usize, usize)], trace: &TraceInfo<'_>) -> Result<(), Error> {
        let nodes = self.tree.nodes();
        for (place, _) in order {
            let parent = nodes[*place].parent.map(|parent| nodes[parent].pid);
            writeln!(self.out, "{}", json(&nodes[*place], parent, trace))?;
        }
        Ok(())
    }
}

impl<W: Write> Sink for ProcessTable<W> {
    fn record(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.tree.add(record, true, trace);
        Ok(())
    }

    fn pass_over(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.tree.add(record, false, trace);
        Ok(())
    }

    fn finish(&mut self, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let order = self.tree.finish();
        match (self.form.json, order.is_empty()) {
            (true, _) => self.print_json(&order, trace)?,
            (false, true) => return Err(Error::Nothing("the trace has no events of such processes".into())),
            (false, false) => self.print(&order, trace)?,
        }
        Ok(self.out.flush()?)
    }
}

/// What times of processes are counted from, and how they are shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProcessClock {
    /// The time of the trace's first event.
    pub(super) first: u64,
    pub(super) times: Times,
}

impl ProcessClock {
    /// A time, after what says that it was before that.
    fn text(self, time: u64, is_before: bool, trace: &TraceInfo<'_>) -> String {
        let mark = if is_before { "<" } else { "" };
        match !matches!(self.times, Times::Date) && trace.nanoseconds {
            true => format!("{mark}+{}", seconds(time.saturating_sub(self.first))),
            false => format!("{mark}{}", self.times.text(time, trace)),
        }
    }
}

/// A line of the tree.
#[derive(Debug)]
pub(super) struct ProcessRow<'a> {
    pub(super) node: &'a ProcessNode,
    pub(super) cells: [String; 6],
    pub(super) command: String,
    /// How many processes are above it.
    pub(super) depth: usize,
}

/// A line for each process, without those that have only made one.
pub(super) fn rows<'a>(
    tree: &'a ProcessTree,
    order: &[(usize, usize)],
    clock: ProcessClock,
    trace: &TraceInfo<'_>,
) -> Vec<ProcessRow<'a>> {
    let mut is_below_maker = false;
    let shown = order.iter().filter_map(|(place, depth)| {
        let node = &tree.nodes()[*place];
        if *depth == 0 {
            is_below_maker = node.is_only_a_maker();
        }
        let depth = depth.checked_sub(usize::from(is_below_maker))?;
        Some(ProcessRow { node, cells: cells(node, clock, trace), command: command(node, trace), depth })
    });
    shown.collect()
}

fn cells(node: &ProcessNode, clock: ProcessClock, trace: &TraceInfo<'_>) -> [String; 6] {
    let end = match node.end {
        Some(end) => clock.text(end.time, end.is_noticed, trace),
        None if node.outcome == ProcessOutcome::Running => "running".to_owned(),
        None => "-".to_owned(),
    };
    let start = clock.text(node.start.unwrap_or(node.seen.0), node.start.is_none(), trace);
    let (calls, errors) = (grouped(node.calls), grouped(node.errors));
    [start, end, outcome(node.outcome), calls, errors, node.pid.to_string()]
}

/// How a process has ended.
pub(crate) fn outcome(outcome: ProcessOutcome) -> String {
    match outcome {
        ProcessOutcome::Running | ProcessOutcome::Unknown => "-".to_owned(),
        ProcessOutcome::Ended => "ended".to_owned(),
        ProcessOutcome::Exited => "exit".to_owned(),
        ProcessOutcome::Status(status) => format!("exit {status}"),
        ProcessOutcome::Killed(signal) => signal_name(signal),
    }
}

/// What it runs, or else what it is called.
pub(super) fn command(node: &ProcessNode, trace: &TraceInfo<'_>) -> String {
    let command = node.argv.as_deref().or(node.filename.as_deref());
    printable(command.or_else(|| name(node, trace)).unwrap_or("<...>")).into_owned()
}

fn name<'a>(node: &'a ProcessNode, trace: &TraceInfo<'a>) -> Option<&'a str> {
    node.name.as_deref().or_else(|| trace.tasks.comm(node.pid))
}

fn signal_name(signal: u8) -> String {
    events::sched::death(u32::from(signal)).map_or_else(|| format!("signal {signal}"), str::to_owned)
}

pub(super) fn json(node: &ProcessNode, parent: Option<i32>, trace: &TraceInfo<'_>) -> Json {
    let pid = |pid: i32| Json::Number(u64::from(pid.unsigned_abs()));
    let (state, status, signal) = match node.outcome {
        ProcessOutcome::Running => ("running", None, None),
        ProcessOutcome::Unknown => ("unknown", None, None),
        ProcessOutcome::Ended | ProcessOutcome::Exited => ("ended", None, None),
        ProcessOutcome::Status(status) => ("ended", Some(u64::from(status)), None),
        ProcessOutcome::Killed(signal) => ("ended", None, Some(signal_name(signal))),
    };
    Json::Object(vec![
        ("pid", pid(node.pid)),
        ("parent", parent.map_or(Json::Null, pid)),
        ("comm", Json::text(name(node, trace))),
        ("filename", Json::text(node.filename.as_deref())),
        ("argv", Json::text(node.argv.as_deref())),
        ("start", Json::number(node.start)),
        ("first_event", Json::Number(node.seen.0)),
        ("last_event", Json::Number(node.seen.1)),
        ("end", Json::number(node.end.map(|end| end.time))),
        ("noticed_later", node.end.map_or(Json::Null, |end| Json::Bool(end.is_noticed))),
        ("state", Json::Text(state.to_owned())),
        ("status", Json::number(status)),
        ("signal", Json::text(signal)),
        ("events", Json::Number(node.events)),
        ("calls", Json::Number(node.calls)),
        ("errors", Json::Number(node.errors)),
    ])
}
