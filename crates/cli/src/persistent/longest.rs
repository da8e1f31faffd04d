//! The longest section that a latency tracer has measured, with what its trace says about it.

use super::ages;
use super::taken::shown_age;
use crate::duration::duration;
use crate::failure::{Done, Failure};
use crate::json::Json;
use events::ftrace::KERNEL_STACK_ID;
use events::lock::{CONTENTION_HOLDER, CONTENTION_HOLDER_ID};
use query::DemangledSymbols;
use reading::{Batch, Formats, LongestTrace, Reader};
use ring_buffer::Snapshot;
use session::{Instance, LongestSection};
use std::sync::Arc;
use trace_data::bytes::u32_at;
use trace_data::symbols::Symbols;
use trace_data::text::{Tasks, callers, printable};

/// Such a section.
pub(super) struct LongestLatency {
    found: LongestSection,
    /// What `tracing_max_latency` said, in ns.
    max_latency: u64,
    tracer: &'static str,
    comm: String,
    /// How long ago it has ended, in ns; None where events are counted.
    age: Option<u64>,
    started_at: String,
    ended_at: String,
    /// Who has begun to wait for a lock that the thread held.
    waiters: Vec<(i32, String)>,
    /// Where it has ended, the innermost function first.
    stack: Vec<String>,
}

/// Records that are looked at at once.
const BATCH: usize = 4096;

impl LongestLatency {
    /// That of an instance's tracer, if it has kept one.
    pub(super) fn of(session: &Arc<Instance>) -> Done<Option<LongestLatency>> {
        // Before what was kept is looked for: what comes in between is not one without a trace.
        let max_latency = session.max_latency();
        let Some(kept) = Reader::new(session.clone()).copy_longest(None)? else { return Ok(None) };
        let LongestTrace { found, places, mut records } = kept;
        let mut longest = LongestLatency {
            found,
            max_latency,
            tracer: session.tracer().name,
            comm: printable(&String::from_utf8_lossy(found.origin.name())).into_owned(),
            age: ages(session)(found.snapshot.time()),
            started_at: String::new(),
            ended_at: String::new(),
            waiters: Vec::new(),
            stack: Vec::new(),
        };
        let (events, mut symbols) = (Formats::default().of(session), DemangledSymbols::default());
        loop {
            let batch = records.batch(BATCH).map_err(Failure::failed)?;
            let names = symbols.of(&batch.symbols);
            [longest.started_at, longest.ended_at] = places.map(|address| name(names, address));
            longest.look(&batch, names, &events);
            if batch.records.len() < BATCH {
                return Ok(Some(longest));
            }
        }
    }

    /// Looks for waiters and for the stack: the thread's last.
    fn look(&mut self, batch: &Batch, names: &dyn Symbols, events: &trace_data::event::EventTable) {
        for record in &batch.records {
            let record = record.borrowed();
            match record.id() {
                // The holder of the lock that the thread begins to wait for.
                CONTENTION_HOLDER_ID
                    if u32_at(record.payload, CONTENTION_HOLDER.offset(1)) == Some(self.found.origin.tid) =>
                {
                    let comm = batch.threads.comm(record.pid()).unwrap_or("<...>");
                    self.waiters.push((record.pid(), printable(comm).into_owned()));
                }
                KERNEL_STACK_ID if record.pid() as u32 == self.found.origin.tid => {
                    let stack = events.of(record.payload).and_then(|event| callers(event, record.payload));
                    self.stack =
                        stack.unwrap_or_default().iter().map(|address| name(names, *address)).collect();
                }
                _ => {}
            }
        }
    }

    /// Whether a longer one was measured of which no trace was kept, as all memory was in use; or set.
    fn has_no_trace(&self) -> bool {
        self.max_latency > self.found.section.nanoseconds
    }

    /// The snapshot that has its trace.
    pub(super) fn snapshot(&self) -> Snapshot {
        self.found.snapshot
    }

    /// Some lines.
    pub(super) fn text(&self) -> String {
        let (origin, section) = (&self.found.origin, &self.found.section);
        let age = self.age.map_or_else(String::new, |age| format!(", {} ago", shown_age(age)));
        let mut lines = vec![
            format!(
                "{}: {} in {}-{}, on CPU {}{age}",
                self.tracer,
                duration(section.nanoseconds),
                self.comm,
                origin.tid,
                section.cpu
            ),
            format!("  started at  {}", printable(&self.started_at)),
            format!("  ended at    {}", printable(&self.ended_at)),
        ];
        if !self.waiters.is_empty() {
            let waiters = self.waiters.iter().map(|(tid, comm)| format!("{comm}-{tid}"));
            lines.push(format!("  waited for  by {}", waiters.collect::<Vec<_>>().join(", ")));
        }
        if !self.stack.is_empty() {
            lines.push(format!("  stack       {}", printable(&self.stack.join(" < "))));
        }
        if self.has_no_trace() {
            let longest = duration(self.max_latency);
            lines.push(format!(
                "  but {longest} is the longest, of which no trace was kept: all memory was in use"
            ));
        }
        lines.join("\n")
    }

    /// As JSON.
    pub(super) fn json(&self) -> Json {
        let (origin, section) = (&self.found.origin, &self.found.section);
        let waiter = |(tid, comm): &(i32, String)| {
            Json::Object(vec![("pid", Json::Number(*tid as u64)), ("comm", Json::text(Some(comm)))])
        };
        Json::Object(vec![
            ("tracer", Json::text(Some(self.tracer))),
            ("latency_ns", Json::Number(section.nanoseconds)),
            ("max_latency_ns", Json::Number(self.max_latency)),
            ("pid", Json::Number(origin.tid.into())),
            ("comm", Json::text(Some(&self.comm))),
            ("cpu", Json::Number(section.cpu.into())),
            ("age_ns", Json::number(self.age)),
            ("started_at", Json::text(Some(&self.started_at))),
            ("ended_at", Json::text(Some(&self.ended_at))),
            ("waiters", Json::List(self.waiters.iter().map(waiter).collect())),
            ("stack", Json::List(self.stack.iter().map(|name| Json::text(Some(name))).collect())),
        ])
    }
}

/// The function that an address is in, or the address.
fn name(symbols: &dyn Symbols, address: u64) -> String {
    if address == 0 {
        // Where another process has woken the thread.
        return "not known".to_owned();
    }
    symbols.symbol(address).map_or_else(|| format!("{address:#x}"), |symbol| symbol.name.to_string())
}
