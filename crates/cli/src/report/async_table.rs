//! What tasks of an async runtime did, a line each.

use super::figure_table::{FigureLine, write_figures};
use super::label;
use crate::duration::duration;
use crate::json::Json;
use crate::number::{count, grouped};
use export::{Error, Sink};
use query::{AsyncTask, AsyncTaskState, AsyncTasks, TaskWaker, TimeSum};
use std::io::{self, Write};
use trace_data::info::TraceInfo;
use trace_data::record::Record;
use trace_data::text::{Tasks, printable};

/// Collects tasks, and prints them in the end: a table, or an object in JSON for each.
pub(super) struct AsyncTable<W> {
    out: W,
    tasks: AsyncTasks,
    json: bool,
    /// Since when the trace is complete.
    complete: Option<String>,
}

const TITLES: [&str; 7] = ["POLLS", "BUSY", "LONGEST", "WAKES", "WAITED", "LONGEST", "AGE"];

/// What a task can't be recorded without.
const WANTED: &str = "the trace has no tasks: `-e 'tokio_task*:'` records those of a program that has \
                      lookback's layer, with its Tokio built by `--cfg tokio_unstable` and its feature `tracing`";

impl<W: Write> AsyncTable<W> {
    pub(super) fn new(out: W, tasks: AsyncTasks, json: bool, complete: Option<String>) -> AsyncTable<W> {
        AsyncTable { out, tasks, json, complete }
    }

    fn print(&mut self, tasks: &[AsyncTask], threads: &dyn Tasks) -> io::Result<()> {
        let mut busiest: Vec<&AsyncTask> = tasks.iter().collect();
        busiest.sort_by_key(|task| std::cmp::Reverse(task.polls.total + task.dropping));
        let uncertain: u64 = tasks.iter().map(|task| task.polls.uncertain + task.waits.uncertain).sum();
        let has_processes = tasks.iter().any(|task| task.process != tasks[0].process);
        let lines = busiest.into_iter().map(|task| task_line(task, tasks, (threads, has_processes)));
        let lines: Vec<FigureLine> = lines.collect();
        write_figures(&mut self.out, ("TASK", &TITLES, "STATE"), &lines)?;
        self.print_notes(uncertain)
    }

    /// Says what isn't known.
    fn print_notes(&mut self, uncertain: u64) -> io::Result<()> {
        if !self.tasks.knows_wakes() {
            let text =
                "the trace has no wakes; if they were not enabled, `-e tokio_task_waker:` enables them";
            writeln!(self.out, "\n{text}")?;
        }
        if uncertain > 0 {
            let times = count(uncertain, "time", "times");
            writeln!(
                self.out,
                "\n{times} not measured: events were lost, or the trace has no start of them"
            )?;
        }
        if let Some(complete) = &self.complete {
            writeln!(self.out, "\nthe trace is {complete}")?;
        }
        Ok(())
    }
}

impl<W: Write> Sink for AsyncTable<W> {
    fn record(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.tasks.add(record, trace);
        Ok(())
    }

    fn finish(&mut self, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let tasks = self.tasks.finish();
        if tasks.is_empty() {
            return Err(Error::Nothing(WANTED.to_owned()));
        }
        if self.json {
            for task in &tasks {
                writeln!(self.out, "{}", json(task, &tasks))?;
            }
        } else {
            self.print(&tasks, trace.tasks)?;
        }
        Ok(self.out.flush()?)
    }
}

fn task_line(
    task: &AsyncTask,
    tasks: &[AsyncTask],
    (threads, has_processes): (&dyn Tasks, bool),
) -> FigureLine {
    let process = has_processes.then(|| format!("{}: ", label(threads, task.process)));
    let place = task.place.as_deref().map(|place| format!(" ({})", printable(place)));
    let name = [process.unwrap_or_default(), name(task), place.unwrap_or_default()].concat();
    let [busy, longest] = times(&task.polls, task.dropping);
    let [waited, longest_wait] = times(&task.waits, 0);
    let age = task.age.map_or_else(|| "-".to_owned(), duration);
    let (polls, wakes) = (grouped(task.polls.count), grouped(task.wakes()));
    let figures = vec![polls, busy, longest, wakes, waited, longest_wait, age];
    FigureLine { name, figures, text: state(task, tasks, threads) }
}

/// All of them together, with more; and the longest.
fn times(sum: &TimeSum, more: u64) -> [String; 2] {
    match sum.count > sum.uncertain {
        true => [sum.total + more, sum.longest].map(duration),
        false => std::array::from_fn(|_| "-".to_owned()),
    }
}

/// What a task is called: its number, and its name or else what it is.
fn name(task: &AsyncTask) -> String {
    let name = task.name.as_deref().or(task.kind.as_deref()).map(printable);
    match (task.number, name) {
        (Some(number), Some(name)) => format!("{number} {name}"),
        (Some(number), None) => number.to_string(),
        (None, Some(name)) => name.into_owned(),
        (None, None) => "(made before the trace)".to_owned(),
    }
}

/// Where a task is, and who has woken it, the most frequent ones first.
fn state(task: &AsyncTask, tasks: &[AsyncTask], threads: &dyn Tasks) -> String {
    let state = match task.state {
        AsyncTaskState::Forgotten => "idle, and nothing can wake it".to_owned(),
        AsyncTaskState::Polled(time) => format!("polled for {}", duration(time)),
        other => state_name(other).to_owned(),
    };
    let mut by: Vec<(u64, String)> = task
        .woken_by
        .iter()
        .map(|(waker, times)| match waker {
            TaskWaker::Task(place) => (*times, name(&tasks[*place])),
            TaskWaker::Thread(tid) => (*times, label(threads, *tid)),
        })
        .chain((task.own_wakes > 0).then(|| (task.own_wakes, "itself".to_owned())))
        .collect();
    by.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    let most = by.first().map(|(_, name)| format!(", woken by {name}")).unwrap_or_default();
    let more = by.len().checked_sub(2).map(|more| format!(" and {} more", more + 1)).unwrap_or_default();
    format!("{state}{most}{more}")
}

fn state_name(state: AsyncTaskState) -> &'static str {
    match state {
        AsyncTaskState::Ended => "ended",
        AsyncTaskState::Polled(_) => "polled",
        AsyncTaskState::Woken => "woken",
        AsyncTaskState::Idle => "idle",
        AsyncTaskState::Forgotten => "forgotten",
    }
}

fn json(task: &AsyncTask, tasks: &[AsyncTask]) -> Json {
    let polled_for = match task.state {
        AsyncTaskState::Polled(time) => Some(time),
        _ => None,
    };
    let mut wakers: Vec<(&TaskWaker, &u64)> = task.woken_by.iter().collect();
    wakers.sort();
    let waker = |(waker, times): (&TaskWaker, &u64)| {
        let (by, tid) = match waker {
            TaskWaker::Task(place) => (tasks[*place].number, None),
            TaskWaker::Thread(tid) => (None, Some(tid.unsigned_abs().into())),
        };
        Json::Object(vec![
            ("task", Json::number(by)),
            ("tid", Json::number(tid)),
            ("count", Json::Number(*times)),
        ])
    };
    Json::Object(vec![
        ("pid", Json::Number(task.process.unsigned_abs().into())),
        ("task", Json::number(task.number)),
        ("kind", Json::text(task.kind.as_deref())),
        ("name", Json::text(task.name.as_deref())),
        ("place", Json::text(task.place.as_deref())),
        ("state", Json::Text(state_name(task.state).to_owned())),
        ("polled_for", Json::number(polled_for)),
        ("made", Json::number(task.made)),
        ("age", Json::number(task.age)),
        ("polls", sum(&task.polls)),
        ("dropping", Json::Number(task.dropping)),
        ("waits", sum(&task.waits)),
        ("wakes", Json::Number(task.wakes())),
        ("own_wakes", Json::Number(task.own_wakes)),
        ("woken_by", Json::List(wakers.into_iter().map(waker).collect())),
    ])
}

fn sum(sum: &TimeSum) -> Json {
    Json::Object(vec![
        ("count", Json::Number(sum.count)),
        ("uncertain", Json::Number(sum.uncertain)),
        ("total", Json::Number(sum.total)),
        ("max", Json::Number(sum.longest)),
    ])
}
