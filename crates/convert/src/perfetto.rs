//! Perfetto's traces: track events, with names that are written once, and times that count from packet to
//! packet, compressed. `ui.perfetto.dev` shows them, and trace_processor answers questions in SQL.

mod deflate;
mod event;
mod interned;
mod message;
mod packets;
mod scheduling;
mod wire;

use crate::chrome::lost_text;
use crate::drawing::{
    CounterChange, CounterKind, CpuSwitch, Drawing, Instant, RunChange, RunState, SliceEnd, SliceStart,
    Track, Wakeup,
};
use event::{EventEncoder, EventKind, Moment};
use export::Error;
use foldhash::HashSet;
use message::*;
use packets::PacketWriter;
use query::{ProcessTree, RecordLink};
use scheduling::SchedulingBundles;
use std::collections::BTreeMap;
use std::io::Write;
use trace_data::info::TraceInfo;
use trace_data::page::Missed;

/// The tracks of processes and CPUs have numbers from here on: those of threads are smaller.
const PROCESS_TRACKS: u64 = 1 << 32;
const CPU_TRACKS: u64 = 1 << 33;
const COUNTER_TRACKS: u64 = 1 << 34;

/// Writes a trace that Perfetto reads.
#[derive(Debug)]
pub struct PerfettoTrace<W> {
    packets: PacketWriter<W>,
    events: EventEncoder,
    /// Threads whose tracks are described, by the numbers of these.
    threads: Vec<bool>,
    /// The tracks of others.
    tracks: HashSet<u64>,
    scheduling: SchedulingBundles,
    /// What was lost, by CPU.
    lost: BTreeMap<u32, u64>,
}

impl<W: Write> PerfettoTrace<W> {
    /// Writes to `out`.
    pub fn new(out: W) -> PerfettoTrace<W> {
        PerfettoTrace {
            packets: PacketWriter::new(out),
            events: EventEncoder::default(),
            threads: Vec::new(),
            tracks: HashSet::default(),
            scheduling: SchedulingBundles::default(),
            lost: BTreeMap::new(),
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
        self.packets.push(TracePacket { process_tree, ..TracePacket::default() }, None)
    }

    fn describe(&mut self, track: TrackDescriptor) -> Result<(), Error> {
        match self.tracks.insert(track.uuid) {
            true => {
                let packet = TracePacket { track_descriptor: Some(track), ..TracePacket::default() };
                self.packets.push(packet, None)
            }
            false => Ok(()),
        }
    }

    /// Describes a thread's track and its process, unless that was done.
    fn describe_thread(&mut self, track: Track, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let place = track.number as usize;
        if self.threads.get(place) == Some(&true) {
            return Ok(());
        }
        self.threads.resize(self.threads.len().max(place + 1), false);
        self.threads[place] = true;
        let tid = track.tid;
        let pid = trace.tasks.tgid(tid).unwrap_or(tid);
        self.describe_process(pid, trace)?;
        let thread_name = trace.tasks.comm(tid).unwrap_or("?").to_owned();
        self.describe(TrackDescriptor {
            uuid: track.number,
            thread: Some(ThreadDescriptor { pid, tid, thread_name }),
            ..TrackDescriptor::default()
        })
    }

    /// Describes a process, unless that was done. The number of its track.
    fn describe_process(&mut self, pid: i32, trace: &TraceInfo<'_>) -> Result<u64, Error> {
        let uuid = PROCESS_TRACKS + u64::from(pid.unsigned_abs());
        let process_name = trace.tasks.comm(pid).unwrap_or("?").to_owned();
        let process = Some(ProcessDescriptor { pid, process_name });
        self.describe(TrackDescriptor { uuid, process, ..TrackDescriptor::default() })?;
        Ok(uuid)
    }

    /// Describes a counter, unless that was done. The number of its track.
    fn describe_counter(
        &mut self,
        kind: CounterKind,
        process: i32,
        trace: &TraceInfo<'_>,
    ) -> Result<u64, Error> {
        const COUNT: u32 = 2;
        const BYTES: u32 = 3;
        let (place, name, unit) = match kind {
            CounterKind::OpenDescriptors => (1, "Open descriptors", COUNT),
            CounterKind::Heap => (2, "Allocated bytes", BYTES),
            CounterKind::BytesInFlight => (3, "Bytes in pipes and socket pairs", BYTES),
        };
        let uuid = place * COUNTER_TRACKS + u64::from(process.unsigned_abs());
        if !self.tracks.contains(&uuid) {
            let parent_uuid = match process {
                0 => None,
                pid => Some(self.describe_process(pid, trace)?),
            };
            let (name, counter) = (Some(name.to_owned()), Some(CounterDescriptor { unit }));
            self.describe(TrackDescriptor {
                uuid,
                name,
                parent_uuid,
                counter,
                ..TrackDescriptor::default()
            })?;
        }
        Ok(uuid)
    }

    fn push_bundle(&mut self, ftrace_events: Option<FtraceEventBundle>) -> Result<(), Error> {
        match ftrace_events {
            Some(_) => self.packets.push(TracePacket { ftrace_events, ..TracePacket::default() }, None),
            None => Ok(()),
        }
    }

    /// Adds an event on a thread's track.
    fn add(&mut self, moment: &Moment<'_>, thread: Track, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.packets.start(moment.time, trace)?;
        self.describe_thread(thread, trace)?;
        let event = self.events.encode(moment, trace);
        self.packets.push_event(event, moment.time)
    }
}

impl<W: Write> Drawing for PerfettoTrace<W> {
    fn begin(&mut self, slice: &SliceStart<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let SliceStart { track, time, name, arguments } = *slice;
        let moment =
            Moment { name: Some(name), arguments, ..Moment::new(EventKind::Begin, track.number, time) };
        self.add(&moment, track, trace)
    }

    fn end(&mut self, slice: &SliceEnd<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let SliceEnd { track, start, time, arguments, ending, .. } = *slice;
        // Arrows lead to where a slice begins, and never back in time.
        if self.events.has_link_since(start) {
            let arrival =
                Moment { text: Some("arrived"), ..Moment::new(EventKind::Instant, track.number, time) };
            self.add(&arrival, track, trace)?;
        }
        let ending = ending.describe();
        let moment = Moment { arguments, ending, ..Moment::new(EventKind::End, track.number, time) };
        self.add(&moment, track, trace)
    }

    fn instant(&mut self, instant: &Instant<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let Instant { track, time, name, arguments, .. } = *instant;
        let moment =
            Moment { name: Some(name), arguments, ..Moment::new(EventKind::Instant, track.number, time) };
        self.add(&moment, track, trace)
    }

    fn state(&mut self, change: &RunChange<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let RunChange { tid, cpu, time, state, is_of_switch, .. } = *change;
        if is_of_switch {
            return Ok(());
        }
        // Perfetto's numbers.
        let state = match state {
            RunState::Runnable => 2,
            RunState::Running => 3,
            RunState::Sleeping => 4,
            RunState::Blocked => 5,
        };
        let comm = trace.tasks.comm(tid).unwrap_or("?").to_owned();
        let task_state = Some(TaskState { cpu: cpu as i32, comm, tid: tid.into(), state });
        self.packets.start(time, trace)?;
        self.packets.push(TracePacket { task_state, ..TracePacket::default() }, Some(time))
    }

    fn switch(&mut self, switch: &CpuSwitch<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.packets.start(switch.time, trace)?;
        let bundle = self.scheduling.switch(switch);
        self.push_bundle(bundle)
    }

    fn wake(&mut self, wakeup: &Wakeup<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.packets.start(wakeup.time, trace)?;
        let bundle = self.scheduling.wake(wakeup);
        self.push_bundle(bundle)
    }

    fn has_links(&self) -> bool {
        true
    }

    fn link(&mut self, links: &[RecordLink]) {
        self.events.link(links);
    }

    fn counter(&mut self, change: &CounterChange, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let CounterChange { kind, process, time, value } = *change;
        self.packets.start(time, trace)?;
        let track = self.describe_counter(kind, process, trace)?;
        let moment = Moment { value: Some(value), ..Moment::new(EventKind::Counter, track, time) };
        let event = self.events.encode(&moment, trace);
        self.packets.push_event(event, time)
    }

    fn lost(&mut self, cpu: u32, time: u64, count: Missed, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.packets.start(time, trace)?;
        *self.lost.entry(cpu).or_default() += count.count();
        let uuid = CPU_TRACKS + u64::from(cpu);
        let name = Some(format!("Lost events of CPU {cpu}"));
        // Each loss stands by itself.
        let sibling_merge_behavior = Some(2);
        self.describe(TrackDescriptor { uuid, name, sibling_merge_behavior, ..TrackDescriptor::default() })?;
        let text = lost_text(cpu, count);
        let event = self
            .events
            .encode(&Moment { text: Some(&text), ..Moment::new(EventKind::Instant, uuid, time) }, trace);
        self.packets.push_event(event, time)
    }

    fn finish(&mut self, processes: &ProcessTree, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.packets.start(0, trace)?;
        let bundles: Vec<FtraceEventBundle> = self.scheduling.take_all().collect();
        bundles.into_iter().try_for_each(|bundle| self.push_bundle(Some(bundle)))?;
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
                self.packets.push(TracePacket { ftrace_stats, ..TracePacket::default() }, None)?;
            }
            let loss = BufferStats { trace_writer_packet_loss: self.lost.values().sum() };
            let trace_stats = Some(TraceStats { buffer_stats: vec![loss] });
            self.packets.push(TracePacket { trace_stats, ..TracePacket::default() }, None)?;
        }
        self.packets.finish()
    }
}
