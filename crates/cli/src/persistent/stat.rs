//! `lookback stat`.

mod complete;
mod triggers;

use crate::arguments::StatArguments;
use crate::failure::Done;
use crate::functions_off::FunctionsOffLine;
use crate::json::Json;
use crate::number::{bytes, count, grouped};
use crate::persistent::kept::{KeptSnapshot, errors_within};
use crate::persistent::left_out;
use crate::persistent::pending::{self, PendingProcess};
use crate::persistent::saving::look_after;
use crate::persistent::session_time::{now, times};
use crate::persistent::start::size;
use crate::persistent::{events_on, filtered, memory};
use crate::stdout::print;
use crate::unseen;
use anstyle::Style;
use complete::{complete_since, completeness};
use ring_buffer::Statistics;
use session::{ErrorList, Filtered, Instance, PidFilter, TraceOption, TriggerInfo};
use std::fmt::Write;
use std::time::{Duration, Instant};
use trace_data::dat::UnseenProcess;
use trace_data::text::{is_nanoseconds, printable};
use triggers::{trigger_lines, triggers};

/// Shows what a session has recorded, lost and kept.
pub(crate) fn stat(arguments: &StatArguments) -> Done {
    let session = arguments.instance.open()?;
    look_after(&session)?;
    let interval = Duration::from_millis(arguments.interval);
    let blocks = BufferRow::all(&session, interval);
    let kept = KeptSnapshot::all(&session)?;
    let unseen = unseen::of_session(&session);
    if arguments.json {
        print(json(&session, &blocks, &kept, &unseen))
    } else {
        print(text(&session, &blocks, &kept, &unseen).trim_end())
    }
}

/// A CPU, or a lane.
struct BufferRow {
    name: String,
    statistics: Statistics,
    /// In the session's clock; 0 when there is no event.
    oldest_time: u64,
    /// Events per second; None when that was not measured.
    rate: Option<u64>,
}

impl BufferRow {
    /// The CPUs that have buffers, and lanes where there was anything.
    fn all(session: &Instance, interval: Duration) -> Vec<BufferRow> {
        let buffer = session.buffer();
        let look =
            || (0..buffer.geometry().blocks()).map(|block| buffer.statistics(block)).collect::<Vec<_>>();
        let (before, start) = (look(), Instant::now());
        std::thread::sleep(interval);
        let (after, elapsed) = (look(), start.elapsed());
        let time = times(session);
        let rows = (0..).zip(before).zip(after);
        let rows = rows.map(|((block, before), now)| {
            // A snapshot or a clear in between starts again from 0.
            let written = now.written.checked_sub(before.written).unwrap_or(now.written);
            let rate = (!interval.is_zero()).then(|| (written as f64 / elapsed.as_secs_f64()) as u64);
            (
                block,
                BufferRow {
                    name: name(session, block),
                    statistics: now,
                    oldest_time: if now.oldest_time == 0 { 0 } else { time(now.oldest_time) },
                    rate,
                },
            )
        });
        let is_shown = |(block, row): &(u32, BufferRow)| {
            let is_lane = *block >= buffer.geometry().cpus;
            let dropped = row.statistics.dropped_events();
            if is_lane { row.statistics.written + dropped > 0 } else { buffer.capacity(*block) + dropped > 0 }
        };
        rows.filter(is_shown).map(|(_, row)| row).collect()
    }

    fn json(&self, now: u64) -> Json {
        let numbers = &self.statistics;
        Json::Object(vec![
            ("cpu", Json::text(Some(&self.name))),
            ("entries", Json::Number(numbers.entries)),
            ("overrun", Json::Number(numbers.overrun)),
            ("commit_overrun", Json::Number(0)),
            ("bytes", Json::Number(numbers.bytes)),
            ("oldest_event_ts", Json::Number(self.oldest_time)),
            ("now_ts", Json::Number(now)),
            ("dropped_events", Json::Number(numbers.dropped_events())),
            ("read_events", Json::Number(numbers.read)),
            ("events_per_second", Json::number(self.rate)),
        ])
    }
}

fn name(session: &Instance, block: u32) -> String {
    match block.checked_sub(session.buffer().geometry().cpus) {
        Some(lane) => format!("lane{lane}"),
        None => block.to_string(),
    }
}

fn text(session: &Instance, blocks: &[BufferRow], kept: &[KeptSnapshot], unseen: &[UnseenProcess]) -> String {
    let bold = Style::new().bold();
    let buffer = session.buffer();
    let state = if buffer.control().is_off() { "stopped" } else { "recording" };
    let (cpus, kb) = size(session);
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{bold}{name:<9}{bold:#}  {value}");
    };
    let instance = session.name().map(|name| format!(", instance {name}")).unwrap_or_default();
    line("session", format!("{}{instance}, {state}", session.path().display()));
    let known = session.control().event_ids().count();
    line("events", format!("{} of {known} enabled{}", events_on(session), filtered(session)));
    let triggers = triggers(session);
    if !triggers.is_empty() {
        line("triggers", trigger_lines(&triggers).join("\n           "));
    }
    for (filter, name) in PID_LISTS.into_iter().filter(|(filter, _)| session.has_pids(*filter)) {
        let pids: Vec<String> = session.pids(filter).iter().map(u32::to_string).collect();
        let (what, fork) = match filter.filtered() {
            Filtered::Events => ("events", TraceOption::EventFork),
            Filtered::Functions => ("functions", TraceOption::FunctionFork),
        };
        let follow = if session.option(fork) { ", and their children" } else { "" };
        line("threads", format!("{what} of {name} {}{follow}", pids.join(" ")));
    }
    let cpus = count(cpus, "CPU", "CPUs");
    // Triggers take some of their own.
    let most = bytes(session.most_bytes().max(memory(session)));
    let now = bytes(memory(session));
    line("memory", format!("{now} of {most} in use; {} KB for each of {cpus}", grouped(kb)));
    let time = complete_since(session, blocks).unwrap_or(0)..=u64::MAX;
    line("complete", completeness(session, blocks) + &left_out::exceptions(session, &time));
    if let Some(budget) = session.budget().filter(|_| session.name().is_none()) {
        let costs = session.event_costs().map_or_else(String::new, |costs| {
            let [least, most] = [costs.start(), costs.end()].map(|cost| format!("{cost:.0}"));
            if least == most { least } else { format!("{least} to {most}") }
        });
        let text = format!("{budget} % of each CPU for recording, at {costs} ns for each event");
        let lines = std::iter::once(text).chain(left_out::lines(session, &time));
        line("budget", lines.collect::<Vec<_>>().join("\n           "));
    }
    for (reason, dropped) in buffer.dropped() {
        let events = count(dropped, "event was not written", "events were not written");
        line("dropped", format!("{events}: {}", reason.describe()));
    }
    line("snapshots", snapshots(session, kept));
    let within = errors_within(session);
    line("errors", format!("{} take snapshots{within}", ErrorList(session.errors())));
    match session.session().instances() {
        names if names.is_empty() => {}
        names => line("instances", names.join(", ")),
    }
    let not_mapped = session.control().not_mapped(session.index());
    if not_mapped > 0 {
        let events = count(not_mapped, "event", "events");
        line("missing", format!("{events} of programs that could not map this instance's buffer"));
    }
    for refusal in session.refusals() {
        line("refused", printable(&refusal).into_owned());
    }
    let running = unseen::attached(session, unseen);
    line(
        "processes",
        format!("{running} attached; `lookback list{}` names them", super::option(session.path())),
    );
    let off = FunctionsOffLine::all(session);
    if !off.is_empty() {
        line("functions", off.iter().map(FunctionsOffLine::text).collect::<Vec<_>>().join("\n           "));
    }
    let pending = PendingProcess::all(session);
    if !pending.is_empty() {
        let lines = pending.iter().map(PendingProcess::line);
        let lines = lines.chain([format!("{} interrupts them", pending::advice(session))]);
        line("pending", lines.collect::<Vec<_>>().join("\n           "));
    }
    for (name, lines) in unseen::labelled(unseen) {
        line(name, lines.join("\n           "));
    }
    text.push('\n');
    text + &table(session, blocks)
}

/// The PID filters, and what they say.
const PID_LISTS: [(PidFilter, &str); 4] = [
    (PidFilter::Only, "only"),
    (PidFilter::Never, "all but"),
    (PidFilter::FunctionOnly, "only"),
    (PidFilter::FunctionNever, "all but"),
];

fn snapshots(session: &Instance, kept: &[KeptSnapshot]) -> String {
    let buffer = session.buffer();
    let mut text = format!("{} of {} kept", kept.len(), buffer.geometry().rings - 1);
    let (refused, retired) = (buffer.refused_snapshots(), buffer.retired_rings());
    if refused > 0 {
        let _ = write!(text, ", {refused} refused");
    }
    if retired > 0 {
        let _ = write!(text, ", memory of {retired} not freed yet");
    }
    for snapshot in kept {
        let events = count(snapshot.events, "event", "events");
        let _ = write!(text, "\n           number {}: {events}", snapshot.number);
        if let Some(cpu) = snapshot.cpu {
            let _ = write!(text, " of CPU {cpu}");
        }
        let [when, by] = snapshot.taken.lines();
        let _ = write!(text, ", {when}\n             {by}");
    }
    text
}

/// The numbers, under the kernel's names, but shorter: they fit 80 columns.
fn table(session: &Instance, blocks: &[BufferRow]) -> String {
    let heads = ["CPU", "entries", "overrun", "bytes", "oldest ts", "now ts", "dropped", "read", "per s"];
    let (now, is_nanoseconds) = (now(session), is_nanoseconds(session.trace_clock().name()));
    let mut rows: Vec<Vec<String>> = vec![heads.map(str::to_string).to_vec()];
    for block in blocks {
        let numbers = &block.statistics;
        let shown = |time: u64| match is_nanoseconds {
            true => format!("{}.{:06}", time / 1_000_000_000, time / 1000 % 1_000_000),
            false => time.to_string(),
        };
        let oldest = if block.oldest_time == 0 { "-".to_string() } else { shown(block.oldest_time) };
        rows.push(vec![
            block.name.clone(),
            numbers.entries.to_string(),
            numbers.overrun.to_string(),
            numbers.bytes.to_string(),
            oldest,
            shown(now),
            numbers.dropped_events().to_string(),
            numbers.read.to_string(),
            block.rate.map_or_else(|| "-".to_string(), |rate| rate.to_string()),
        ]);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..heads.len()).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
        let _ = writeln!(text, "{}", cells.join("  "));
    }
    text
}

fn json(session: &Instance, blocks: &[BufferRow], kept: &[KeptSnapshot], unseen: &[UnseenProcess]) -> Json {
    let buffer = session.buffer();
    let (_, kb) = size(session);
    let now = now(session);
    let trigger = |(event, trigger): (String, TriggerInfo)| {
        Json::Object(vec![
            ("event", Json::text(Some(event))),
            ("trigger", Json::text(Some(&trigger))),
            ("left", Json::number(trigger.left)),
        ])
    };
    let pids = |filter| {
        let pids = session.pids(filter).into_iter();
        Json::List(pids.map(|pid| Json::Number(u64::from(pid))).collect())
    };
    let running = unseen::attached(session, unseen);
    let mut members = vec![
        ("session", Json::text(Some(session.path().display()))),
        ("instance", Json::text(session.name())),
        (
            "instances",
            Json::List(
                session.session().instances().into_iter().map(|name| Json::text(Some(name))).collect(),
            ),
        ),
        ("tracing_on", Json::Bool(!buffer.control().is_off())),
        ("trace_clock", Json::text(Some(session.trace_clock().name()))),
        ("events_on", Json::Number(events_on(session) as u64)),
        ("events", Json::Number(session.control().event_ids().count() as u64)),
        ("triggers", Json::List(triggers(session).into_iter().map(trigger).collect())),
        ("pids", pids(PidFilter::Only)),
        ("notrace_pids", pids(PidFilter::Never)),
        ("function_pids", pids(PidFilter::FunctionOnly)),
        ("function_notrace_pids", pids(PidFilter::FunctionNever)),
        ("buffer_size_kb", Json::Number(kb)),
        ("memory_bytes", Json::Number(memory(session))),
        ("memory_limit_bytes", Json::Number(session.most_bytes().max(memory(session)))),
        (
            "complete_since_ts",
            Json::number(complete_since(session, blocks).max(left_out::complete_since(session))),
        ),
        ("budget_ppm", Json::number(session.budget().map(|percent| (percent * 10_000.0).round() as u64))),
        ("left_out", left_out::json(session)),
        ("snapshots_capacity", Json::Number((buffer.geometry().rings - 1).into())),
        ("snapshot_on", Json::text(Some(ErrorList(session.errors())))),
        ("errors_without_snapshot", Json::Number(session.errors_within())),
        ("snapshots_refused", Json::Number(buffer.refused_snapshots())),
        ("not_mapped_events", Json::Number(session.control().not_mapped(session.index()))),
        ("snapshots", Json::List(kept.iter().map(KeptSnapshot::json).collect())),
        ("processes", Json::Number(running as u64)),
        ("cpus", Json::List(blocks.iter().map(|block| block.json(now)).collect())),
    ];
    members.push(("refused", Json::List(session.refusals().into_iter().map(Json::Text).collect())));
    let off = FunctionsOffLine::all(session);
    members.push(("functions_off", Json::List(off.iter().map(|off| Json::Text(off.text())).collect())));
    let pending = PendingProcess::all(session);
    let pending = pending.iter().map(PendingProcess::json).collect();
    members.push(("functions_pending", Json::List(pending)));
    members.extend(unseen::json(unseen));
    Json::Object(members)
}
