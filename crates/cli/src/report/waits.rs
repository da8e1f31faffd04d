//! What threads waited for, on whom, and how long.

use super::figure_table::{FigureLine, write_figures};
use super::{label, none_shown};
use crate::duration::duration;
use crate::json::Json;
use crate::number::{count, grouped};
use export::{Error, Sink};
use query::{ObjectWaits, OffCpu, PeerWaits, ThreadWaits, WaitCause, WaitKind, WaitObject, WaitPeer, Waits};
use session::Selection;
use std::io::{self, Write};
use trace_data::info::TraceInfo;
use trace_data::record::Record;
use trace_data::text::{Tasks, printable};

/// How many things are shown that a thread waited for.
const MOST: usize = 10;

/// Collects waits, and prints them in the end: a table, or an object in JSON for each thread and thing.
pub(super) struct WaitTable<'a, W> {
    out: W,
    waits: Waits,
    json: bool,
    /// The events that were asked for, and the options that choose events.
    chosen: (&'a [Selection], Vec<String>),
    /// Since when the trace is complete.
    complete: Option<String>,
}

const TITLES: [&str; 6] = ["COUNT", "AVG", "MAX", "TOTAL", "OFF CPU", "PREEMPTED"];
/// How many of them there are without switches between threads.
const WITHOUT_SWITCHES: usize = 4;

impl<'a, W: Write> WaitTable<'a, W> {
    pub(super) fn new(
        out: W,
        waits: Waits,
        json: bool,
        chosen: (&'a [Selection], Vec<String>),
        complete: Option<String>,
    ) -> WaitTable<'a, W> {
        WaitTable { out, waits, json, chosen, complete }
    }

    fn print(&mut self, threads: &[ThreadWaits], tasks: &dyn Tasks) -> io::Result<()> {
        let lines: Vec<FigureLine> = threads.iter().flat_map(|thread| thread_lines(thread, tasks)).collect();
        let columns = if self.waits.knows_switches() { TITLES.len() } else { WITHOUT_SWITCHES };
        write_figures(&mut self.out, ("THREAD, WAITED FOR", &TITLES[..columns], "ON"), &lines)?;
        self.print_notes()
    }

    /// Says what the figures are, and what isn't known.
    fn print_notes(&mut self) -> io::Result<()> {
        if !self.waits.knows_switches() {
            writeln!(
                self.out,
                "\na wait is as long as the call that can block, whatever it did meanwhile: the trace doesn't \
                 have when threads ran; `-e @switch` records that"
            )?;
        }
        if self.waits.uncertain_switches() > 0 {
            let times = count(self.waits.uncertain_switches(), "time", "times");
            writeln!(self.out, "\n{times} off CPU not measured: events are missing meanwhile")?;
        }
        if self.waits.switches_without_end() > 0 {
            let times = count(self.waits.switches_without_end(), "time", "times");
            writeln!(
                self.out,
                "\n{times} off CPU measured until the thread was woken: the trace doesn't have when it ran"
            )?;
        }
        if !self.waits.knows_locks() {
            writeln!(
                self.out,
                "\nthe trace has no waits for locks; if they were not enabled, `-e 'lock:*' -e \
                 lookback:contention_holder` enables them"
            )?;
        }
        if self.waits.lack_holders() {
            writeln!(
                self.out,
                "\nthe trace has no releases of locks: who held them is not known; `-e @lock` records them"
            )?;
        }
        if self.waits.uncertain() > 0 {
            let waits = count(self.waits.uncertain(), "wait", "waits");
            writeln!(self.out, "\n{waits} not measured: events were lost between the start and the end")?;
        }
        if let Some(complete) = &self.complete {
            writeln!(self.out, "\nthe trace is {complete}")?;
        }
        Ok(())
    }
}

impl<W: Write> Sink for WaitTable<'_, W> {
    fn record(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.waits.add(record, true, trace);
        Ok(())
    }

    fn pass_over(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.waits.add(record, false, trace);
        Ok(())
    }

    fn finish(&mut self, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let threads = self.waits.finish();
        match (self.json, threads.is_empty()) {
            (true, _) => {
                let knows_switches = self.waits.knows_switches();
                for thread in &threads {
                    for object in &thread.objects {
                        writeln!(self.out, "{}", json(thread.tid, object, knows_switches, trace.tasks))?;
                    }
                    if let Some(off) = thread.off_elsewhere() {
                        writeln!(self.out, "{}", json_elsewhere(thread.tid, off, trace.tasks))?;
                    }
                }
            }
            (false, false) => self.print(&threads, trace.tasks)?,
            (false, true) => {
                let (events, given) = &self.chosen;
                let passed_over = self.waits.passed_over();
                if passed_over == 0 && events.is_empty() {
                    return Err(Error::Nothing("the trace has no calls that can block".to_owned()));
                }
                let why = none_shown(events.iter().map(Selection::text), passed_over, given);
                return Err(Error::Nothing(format!("no waits: {why}")));
            }
        }
        Ok(self.out.flush()?)
    }
}

/// The line of a thread, and those of what it waited for.
fn thread_lines(thread: &ThreadWaits, tasks: &dyn Tasks) -> Vec<FigureLine> {
    let of_thread = thread.off.unwrap_or_default();
    let mut lines = vec![wait_line(label(tasks, thread.tid), &thread.objects, of_thread)];
    // One more line is as long as what stands for it.
    let shown = if thread.objects.len() > MOST + 1 { MOST } else { thread.objects.len() };
    for object in &thread.objects[..shown] {
        let name = format!("  {}", object_name(&object.object));
        let line = wait_line(name, std::slice::from_ref(object), object.off);
        lines.push(FigureLine { text: on(object, tasks), ..line });
    }
    let others = &thread.objects[shown..];
    if !others.is_empty() {
        let mut off = OffCpu::default();
        others.iter().for_each(|object| off += object.off);
        lines.push(wait_line(format!("  {} others", others.len()), others, off));
    }
    if let Some(elsewhere) = thread.off_elsewhere().filter(|off| *off != OffCpu::default()) {
        lines.push(wait_line("  in no such call".to_owned(), &[], elsewhere));
    }
    lines
}

/// A thread, or what it waited for: of the waits for these together.
fn wait_line(name: String, objects: &[ObjectWaits], off: OffCpu) -> FigureLine {
    let waits: u64 = objects.iter().map(|object| object.durations.count()).sum();
    let total: u64 = objects.iter().map(|object| object.durations.total()).sum();
    let [average, longest, total] = match objects.iter().map(ObjectWaits::longest).max() {
        Some(longest) => [total / waits.max(1), longest, total].map(duration),
        None => std::array::from_fn(|_| "-".to_owned()),
    };
    let [blocked, preempted] = [off.blocked, off.preempted].map(duration);
    let waits = if waits > 0 { grouped(waits) } else { "-".to_owned() };
    FigureLine {
        name,
        figures: vec![waits, average, longest, total, blocked, preempted],
        text: String::new(),
    }
}

/// What a thread waited for.
pub(super) fn object_name(object: &WaitObject) -> String {
    let what = match (object.kind, &object.call) {
        (_, Some(call)) => &**call,
        (WaitKind::Thread, None) => "end of a thread",
        (WaitKind::Child, None) => "end of a child",
        (kind, None) => kind.name(),
    };
    let name = object.name.as_deref().map_or_else(String::new, |name| format!("<{}>", printable(name)));
    match (object.kind, object.number) {
        (_, None) => what.to_owned(),
        (WaitKind::Descriptor | WaitKind::Poll, Some(number)) => format!("{what} {}{name}", number as i32),
        (_, Some(address)) => format!("{what} {address:#x}"),
    }
}

/// On whom a thread waited, most of the time.
fn on(waits: &ObjectWaits, tasks: &dyn Tasks) -> String {
    let mut texts: Vec<String> = Vec::new();
    if let Some(PeerWaits { peer, others, .. }) = waits.peers.first() {
        texts.push(peer_text(peer, *others, tasks));
    }
    if waits.peers.len() > 1 {
        texts.push(format!("{} more", waits.peers.len() - 1));
    }
    if waits.unfinished > 0 {
        texts.push(match waits.durations.count() {
            1 => "not over".to_owned(),
            _ => format!("{} not over", waits.unfinished),
        });
    }
    texts.join(", ")
}

/// A thread that was waited on, and what it had to do with that; or one of as many others.
pub(super) fn peer_text(peer: &WaitPeer, others: usize, tasks: &dyn Tasks) -> String {
    let thread = label(tasks, peer.tid);
    let others = |word: &str| match others {
        0 => String::new(),
        others => format!(" {word} {}", count(others as u64, "other", "others")),
    };
    match &peer.cause {
        WaitCause::Holder => format!("{thread}{} (held it)", others("and")),
        WaitCause::Call(call) => format!("{thread}{} ({call})", others("or")),
        WaitCause::Waking => format!("{thread} (sched_waking)"),
        WaitCause::End => format!("{thread}{} (its end)", others("or")),
    }
}

pub(super) fn json(tid: i32, waits: &ObjectWaits, knows_switches: bool, tasks: &dyn Tasks) -> Json {
    let ObjectWaits { object, durations, unfinished, off, peers } = waits;
    let off = knows_switches.then_some(*off);
    let [min, avg, p50, p99, max, total] = durations.summary().map(Json::Number);
    let is_descriptor = matches!(object.kind, WaitKind::Descriptor | WaitKind::Poll);
    let (fd, address) = match is_descriptor {
        true => (object.number, None),
        false => (None, object.number),
    };
    let peer = |peer: &PeerWaits| {
        let cause = match &peer.peer.cause {
            WaitCause::Holder => "holder",
            WaitCause::Call(call) => call,
            WaitCause::Waking => "sched_waking",
            WaitCause::End => "end",
        };
        Json::Object(vec![
            ("tid", json_id(peer.peer.tid)),
            ("comm", Json::text(tasks.comm(peer.peer.tid))),
            ("cause", Json::Text(cause.to_owned())),
            ("count", Json::Number(peer.count)),
            ("total", Json::Number(peer.total)),
            ("others", Json::Number(peer.others as u64)),
        ])
    };
    let of_wait = vec![
        ("kind", Json::Text(object.kind.name().to_owned())),
        ("call", Json::text(object.call.as_deref())),
        ("fd", Json::number(fd)),
        ("address", Json::number(address)),
        ("name", Json::text(object.name.as_deref())),
        ("count", Json::Number(durations.count())),
        ("unfinished", Json::Number(*unfinished)),
        ("min", min),
        ("avg", avg),
        ("p50", p50),
        ("p99", p99),
        ("max", max),
        ("total", total),
        ("off_cpu", Json::number(off.map(|off| off.blocked))),
        ("preempted", Json::number(off.map(|off| off.preempted))),
        ("on", Json::List(peers.iter().map(peer).collect())),
    ];
    json_of_thread(tid, tasks, of_wait)
}

/// How long a thread didn't run, but in none of its waits.
fn json_elsewhere(tid: i32, off: OffCpu, tasks: &dyn Tasks) -> Json {
    let of_time = vec![
        ("kind", Json::Null),
        ("off_cpu", Json::Number(off.blocked)),
        ("preempted", Json::Number(off.preempted)),
    ];
    json_of_thread(tid, tasks, of_time)
}

/// These, after what says which thread they are of.
fn json_of_thread(tid: i32, tasks: &dyn Tasks, more: Vec<(&'static str, Json)>) -> Json {
    let mut fields = vec![
        ("tid", json_id(tid)),
        ("tgid", tasks.tgid(tid).map_or(Json::Null, json_id)),
        ("comm", Json::text(tasks.comm(tid))),
    ];
    fields.extend(more);
    Json::Object(fields)
}

fn json_id(tid: i32) -> Json {
    Json::Number(tid.unsigned_abs().into())
}
