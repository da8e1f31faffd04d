//! Perfetto's traces: track events, with names that are written once, and times that count from packet to
//! packet. `ui.perfetto.dev` shows them, and trace_processor answers questions in SQL.

mod interned;
mod message;

use crate::arguments::{ArgumentValue, FunctionLabels, SliceArguments};
use crate::chrome::lost_text;
use crate::drawing::{Drawing, Instant, RunChange, RunState, SliceEnd, SliceName, SliceStart, Track};
use export::Error;
use interned::Interned;
use message::*;
use prost::Message;
use query::ProcessTree;
use std::collections::{BTreeMap, HashSet};
use std::io::Write;
use trace_data::info::TraceInfo;
use trace_data::page::Missed;

/// Perfetto's numbers of clocks.
const REALTIME: u32 = 1;
const MONOTONIC: u32 = 3;
const BOOTTIME: u32 = 6;
/// That of the packets: it counts from the one before.
const INCREMENTAL: u32 = 64;

/// The packets' flags: what they refer to is forgotten, or needed.
const STATE_CLEARED: u32 = 1;
const NEEDS_STATE: u32 = 2;

/// What track events are.
const BEGIN: u32 = 1;
const END: u32 = 2;
const INSTANT: u32 = 3;

/// The tracks of processes and CPUs have numbers from here on: those of threads are smaller.
const PROCESS_TRACKS: u64 = 1 << 32;
const CPU_TRACKS: u64 = 1 << 33;

/// Bytes that are collected before they are written.
const WRITE: usize = 64 * 1024;

/// A track event.
struct Moment<'a> {
    kind: u32,
    track: Track,
    time: u64,
    /// What begins or happens.
    name: Option<&'a SliceName>,
    arguments: Option<SliceArguments<'a>>,
    /// How a slice has ended, if that is unusual.
    ending: Option<&'a str>,
}

/// Writes a trace that Perfetto reads.
#[derive(Debug)]
pub struct PerfettoTrace<W> {
    out: W,
    /// Packets that are not written yet.
    bytes: Vec<u8>,
    interned: Interned,
    functions: FunctionLabels,
    /// The time of the last packet; none before the first.
    time: Option<u64>,
    tracks: HashSet<u64>,
    /// What was lost, by CPU.
    lost: BTreeMap<u32, u64>,
    event: TrackEvent,
}

impl<W: Write> PerfettoTrace<W> {
    /// Writes to `out`.
    pub fn new(out: W) -> PerfettoTrace<W> {
        PerfettoTrace {
            out,
            bytes: Vec::new(),
            interned: Interned::default(),
            functions: FunctionLabels::default(),
            time: None,
            tracks: HashSet::new(),
            lost: BTreeMap::new(),
            event: TrackEvent::default(),
        }
    }

    /// Says which processes have made which, and what programs they were.
    fn add_processes(&mut self, processes: &ProcessTree) -> Result<(), Error> {
        let nodes = processes.nodes();
        let tree = nodes.iter().map(|node| TreeProcess {
            pid: node.pid,
            ppid: node.parent.and_then(|place| nodes.get(place)).map_or(0, |parent| parent.pid),
            cmdline: node.filename.iter().cloned().collect(),
        });
        let process_tree = Some(PacketProcesses { processes: tree.collect() });
        self.push(TracePacket { process_tree, ..TracePacket::default() }, self.time)
    }

    /// Adds a packet of a time. One that lies before the last has a time of its own.
    fn push(&mut self, mut packet: TracePacket, time: Option<u64>) -> Result<(), Error> {
        packet.trusted_packet_sequence_id = 1;
        packet.interned_data = self.interned.take_new();
        if let (Some(time), Some(before)) = (time, self.time) {
            packet.sequence_flags = Some(NEEDS_STATE);
            match time.checked_sub(before) {
                Some(passed) => {
                    packet.timestamp = Some(passed);
                    self.time = Some(time);
                }
                None => (packet.timestamp, packet.timestamp_clock_id) = (Some(time), Some(MONOTONIC)),
            }
        }
        self.encode(&packet)?;
        if let Some(event) = packet.track_event {
            self.event = event;
        }
        Ok(())
    }

    fn encode(&mut self, packet: &TracePacket) -> Result<(), Error> {
        // Field 1 of the trace, which has a length.
        self.bytes.push(1 << 3 | 2);
        packet.encode_length_delimited(&mut self.bytes).map_err(std::io::Error::other)?;
        if self.bytes.len() >= WRITE {
            self.write()?;
        }
        Ok(())
    }

    fn write(&mut self) -> Result<(), Error> {
        self.out.write_all(&self.bytes)?;
        self.bytes.clear();
        Ok(())
    }

    /// Writes what all clocks show, before anything that has a time.
    fn start(&mut self, time: u64, trace: &TraceInfo<'_>) -> Result<(), Error> {
        if self.time.is_some() {
            return Ok(());
        }
        let clock = |id, timestamp| PacketClock { id, timestamp, is_incremental: None };
        let mut clocks = vec![
            clock(MONOTONIC, time),
            clock(BOOTTIME, time),
            PacketClock { id: INCREMENTAL, timestamp: time, is_incremental: Some(true) },
        ];
        clocks.extend(trace.real_time(time).map(|real| clock(REALTIME, real)));
        self.encode(&TracePacket {
            trusted_packet_sequence_id: 1,
            sequence_flags: Some(STATE_CLEARED),
            clock_snapshot: Some(ClockSnapshot { clocks, primary_trace_clock: MONOTONIC }),
            trace_packet_defaults: Some(TracePacketDefaults { timestamp_clock_id: INCREMENTAL }),
            ..TracePacket::default()
        })?;
        self.time = Some(time);
        Ok(())
    }

    fn describe(&mut self, track: TrackDescriptor) -> Result<(), Error> {
        match self.tracks.insert(track.uuid) {
            true => self.push(TracePacket { track_descriptor: Some(track), ..TracePacket::default() }, None),
            false => Ok(()),
        }
    }

    /// Describes a thread's track and its process, unless that was done.
    fn describe_thread(&mut self, track: Track, trace: &TraceInfo<'_>) -> Result<(), Error> {
        if self.tracks.contains(&track.number) {
            return Ok(());
        }
        let tid = track.tid;
        let pid = trace.tasks.tgid(tid).unwrap_or(tid);
        let name = |tid| trace.tasks.comm(tid).unwrap_or("?").to_owned();
        self.describe(TrackDescriptor {
            uuid: PROCESS_TRACKS + u64::from(pid.unsigned_abs()),
            process: Some(ProcessDescriptor { pid, process_name: name(pid) }),
            ..TrackDescriptor::default()
        })?;
        self.describe(TrackDescriptor {
            uuid: track.number,
            thread: Some(ThreadDescriptor { pid, tid, thread_name: name(tid) }),
            ..TrackDescriptor::default()
        })
    }

    /// Adds an event on a thread's track.
    fn add(&mut self, moment: Moment<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let Moment { kind, track, time, name, arguments, ending } = moment;
        self.start(time, trace)?;
        self.describe_thread(track, trace)?;
        let mut event = std::mem::take(&mut self.event);
        event.debug_annotations.clear();
        event.category_iids.clear();
        (event.kind, event.track_uuid, event.name_iid) = (kind, track.number, None);
        if let Some(name) = name {
            let (iid, category) = self.interned.name(name);
            event.name_iid = Some(iid);
            event.category_iids.push(category);
        }
        let (interned, functions) = (&mut self.interned, &mut self.functions);
        if let Some(arguments) = arguments {
            arguments.each(functions, trace.symbols, |name, value| {
                let value = Some(annotation(value, interned));
                event.debug_annotations.push(DebugAnnotation { name_iid: interned.argument(name), value });
            });
        }
        if let Some(ending) = ending {
            let value = Some(annotation(ArgumentValue::Text(ending.into()), interned));
            event
                .debug_annotations
                .push(DebugAnnotation { name_iid: interned.argument(&"ending".into()), value });
        }
        self.push(TracePacket { track_event: Some(event), ..TracePacket::default() }, Some(time))
    }
}

fn annotation(value: ArgumentValue<'_>, interned: &mut Interned) -> AnnotationValue {
    let text = |text: &str, interned: &mut Interned| match interned.text(text) {
        Some(iid) => AnnotationValue::Interned(iid),
        None => AnnotationValue::Text(text.to_owned()),
    };
    match value {
        ArgumentValue::Signed(value) => AnnotationValue::Signed(value),
        ArgumentValue::Unsigned(value) => AnnotationValue::Unsigned(value),
        ArgumentValue::Pointer(value) => AnnotationValue::Pointer(value),
        ArgumentValue::Text(value) => text(&value, interned),
        ArgumentValue::Name(value) => text(&value, interned),
    }
}

impl<W: Write> Drawing for PerfettoTrace<W> {
    fn begin(&mut self, slice: &SliceStart<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let SliceStart { track, time, name, arguments } = *slice;
        self.add(Moment { kind: BEGIN, track, time, name: Some(name), arguments, ending: None }, trace)
    }

    fn end(&mut self, slice: &SliceEnd<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let SliceEnd { track, time, arguments, ending, .. } = *slice;
        let ending = ending.describe();
        self.add(Moment { kind: END, track, time, name: None, arguments, ending }, trace)
    }

    fn instant(&mut self, instant: &Instant<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let Instant { track, time, name, arguments, .. } = *instant;
        self.add(Moment { kind: INSTANT, track, time, name: Some(name), arguments, ending: None }, trace)
    }

    fn state(&mut self, change: &RunChange<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let RunChange { tid, cpu, time, state, .. } = *change;
        // Perfetto's numbers.
        let state = match state {
            RunState::Runnable => 2,
            RunState::Running => 3,
            RunState::Sleeping => 4,
            RunState::Blocked => 5,
        };
        let comm = trace.tasks.comm(tid).unwrap_or("?").to_owned();
        let task_state = Some(TaskState { cpu: cpu as i32, comm, tid: tid.into(), state });
        self.start(time, trace)?;
        self.push(TracePacket { task_state, ..TracePacket::default() }, Some(time))
    }

    fn lost(&mut self, cpu: u32, time: u64, count: Missed, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.start(time, trace)?;
        let lost = self.lost.entry(cpu).or_default();
        *lost += if let Missed::Count(count) = count { count } else { 1 };
        let uuid = CPU_TRACKS + u64::from(cpu);
        let name = Some(format!("Lost events of CPU {cpu}"));
        // Each loss stands by itself.
        let sibling_merge_behavior = Some(2);
        self.describe(TrackDescriptor { uuid, name, sibling_merge_behavior, ..TrackDescriptor::default() })?;
        let event = TrackEvent {
            kind: INSTANT,
            track_uuid: uuid,
            name: Some(lost_text(cpu, count)),
            ..TrackEvent::default()
        };
        let packet = TracePacket { track_event: Some(event), ..TracePacket::default() };
        self.push(packet, Some(time))?;
        self.event = TrackEvent::default();
        Ok(())
    }

    fn finish(&mut self, processes: &ProcessTree, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.start(0, trace)?;
        self.add_processes(processes)?;
        if !self.lost.is_empty() {
            let stats = |phase: u32, lost: &BTreeMap<u32, u64>| FtraceStats {
                phase,
                cpu_stats: lost
                    .iter()
                    .map(|(cpu, lost)| FtraceCpuStats {
                        cpu: u64::from(*cpu),
                        overrun: if phase == 1 { 0 } else { *lost },
                        dropped_events: if phase == 1 { 0 } else { *lost },
                    })
                    .collect(),
            };
            for phase in [1, 2] {
                let ftrace_stats = Some(stats(phase, &self.lost));
                self.push(TracePacket { ftrace_stats, ..TracePacket::default() }, self.time)?;
            }
            let loss = BufferStats { trace_writer_packet_loss: self.lost.values().sum() };
            let trace_stats = Some(TraceStats { buffer_stats: vec![loss] });
            self.push(TracePacket { trace_stats, ..TracePacket::default() }, self.time)?;
        }
        self.write()?;
        Ok(self.out.flush()?)
    }
}
