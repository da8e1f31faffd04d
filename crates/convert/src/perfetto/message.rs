//! The messages of Perfetto's traces that are rare, as far as they are written: names and numbers are
//! Perfetto's. Track events are written by hand.

use prost::Message;

#[derive(Clone, PartialEq, Message)]
pub(super) struct TracePacket {
    #[prost(uint64, optional, tag = "8")]
    pub(super) timestamp: Option<u64>,
    #[prost(uint32, optional, tag = "58")]
    pub(super) timestamp_clock_id: Option<u32>,
    #[prost(uint32, tag = "10")]
    pub(super) trusted_packet_sequence_id: u32,
    #[prost(uint32, optional, tag = "13")]
    pub(super) sequence_flags: Option<u32>,
    #[prost(message, optional, tag = "59")]
    pub(super) trace_packet_defaults: Option<TracePacketDefaults>,
    #[prost(message, optional, tag = "2")]
    pub(super) process_tree: Option<PacketProcesses>,
    #[prost(message, optional, tag = "1")]
    pub(super) ftrace_events: Option<FtraceEventBundle>,
    #[prost(message, optional, tag = "6")]
    pub(super) clock_snapshot: Option<ClockSnapshot>,
    #[prost(message, optional, tag = "34")]
    pub(super) ftrace_stats: Option<FtraceStats>,
    #[prost(message, optional, tag = "35")]
    pub(super) trace_stats: Option<TraceStats>,
    #[prost(message, optional, tag = "60")]
    pub(super) track_descriptor: Option<TrackDescriptor>,
    #[prost(message, optional, tag = "117")]
    pub(super) task_state: Option<TaskState>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct TracePacketDefaults {
    #[prost(uint32, tag = "58")]
    pub(super) timestamp_clock_id: u32,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ClockSnapshot {
    #[prost(message, repeated, tag = "1")]
    pub(super) clocks: Vec<PacketClock>,
    #[prost(uint32, tag = "2")]
    pub(super) primary_trace_clock: u32,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct PacketClock {
    #[prost(uint32, tag = "1")]
    pub(super) id: u32,
    #[prost(uint64, tag = "2")]
    pub(super) timestamp: u64,
    #[prost(bool, optional, tag = "3")]
    pub(super) is_incremental: Option<bool>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct TrackDescriptor {
    #[prost(uint64, tag = "1")]
    pub(super) uuid: u64,
    #[prost(string, optional, tag = "2")]
    pub(super) name: Option<String>,
    #[prost(message, optional, tag = "3")]
    pub(super) process: Option<ProcessDescriptor>,
    #[prost(message, optional, tag = "4")]
    pub(super) thread: Option<ThreadDescriptor>,
    #[prost(uint64, optional, tag = "5")]
    pub(super) parent_uuid: Option<u64>,
    #[prost(message, optional, tag = "8")]
    pub(super) counter: Option<CounterDescriptor>,
    #[prost(uint32, optional, tag = "15")]
    pub(super) sibling_merge_behavior: Option<u32>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct CounterDescriptor {
    #[prost(uint32, tag = "3")]
    pub(super) unit: u32,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ProcessDescriptor {
    #[prost(int32, tag = "1")]
    pub(super) pid: i32,
    #[prost(string, tag = "6")]
    pub(super) process_name: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ThreadDescriptor {
    #[prost(int32, tag = "1")]
    pub(super) pid: i32,
    #[prost(int32, tag = "2")]
    pub(super) tid: i32,
    #[prost(string, tag = "5")]
    pub(super) thread_name: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct PacketProcesses {
    #[prost(message, repeated, tag = "1")]
    pub(super) processes: Vec<TreeProcess>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct TreeProcess {
    #[prost(int32, tag = "1")]
    pub(super) pid: i32,
    #[prost(int32, tag = "2")]
    pub(super) ppid: i32,
    #[prost(string, repeated, tag = "3")]
    pub(super) cmdline: Vec<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct FtraceStats {
    #[prost(uint32, tag = "1")]
    pub(super) phase: u32,
    #[prost(message, repeated, tag = "2")]
    pub(super) cpu_stats: Vec<FtraceCpuStats>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct FtraceCpuStats {
    #[prost(uint64, tag = "1")]
    pub(super) cpu: u64,
    #[prost(uint64, tag = "3")]
    pub(super) overrun: u64,
    #[prost(uint64, tag = "8")]
    pub(super) dropped_events: u64,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct TraceStats {
    #[prost(message, repeated, tag = "1")]
    pub(super) buffer_stats: Vec<BufferStats>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct BufferStats {
    #[prost(uint64, tag = "19")]
    pub(super) trace_writer_packet_loss: u64,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct TaskState {
    #[prost(int32, tag = "1")]
    pub(super) cpu: i32,
    #[prost(string, tag = "2")]
    pub(super) comm: String,
    #[prost(int64, tag = "3")]
    pub(super) tid: i64,
    #[prost(uint32, tag = "4")]
    pub(super) state: u32,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct FtraceEventBundle {
    // Also that of CPU 0: else the bundle is of none.
    #[prost(uint32, required, tag = "1")]
    pub(super) cpu: u32,
    #[prost(message, repeated, tag = "2")]
    pub(super) event: Vec<FtraceEvent>,
    #[prost(message, optional, tag = "4")]
    pub(super) compact_sched: Option<CompactSched>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct FtraceEvent {
    #[prost(uint64, tag = "1")]
    pub(super) timestamp: u64,
    /// A TID.
    #[prost(uint32, tag = "2")]
    pub(super) pid: u32,
    #[prost(message, optional, tag = "4")]
    pub(super) sched_switch: Option<SchedSwitch>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct SchedSwitch {
    #[prost(int32, tag = "2")]
    pub(super) prev_pid: i32,
    #[prost(int64, tag = "4")]
    pub(super) prev_state: i64,
    #[prost(string, tag = "5")]
    pub(super) next_comm: String,
    #[prost(int32, tag = "6")]
    pub(super) next_pid: i32,
    #[prost(int32, tag = "7")]
    pub(super) next_prio: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct CompactSched {
    #[prost(uint64, repeated, tag = "1")]
    pub(super) switch_timestamp: Vec<u64>,
    #[prost(int64, repeated, tag = "2")]
    pub(super) switch_prev_state: Vec<i64>,
    #[prost(int32, repeated, tag = "3")]
    pub(super) switch_next_pid: Vec<i32>,
    #[prost(int32, repeated, tag = "4")]
    pub(super) switch_next_prio: Vec<i32>,
    #[prost(string, repeated, tag = "5")]
    pub(super) intern_table: Vec<String>,
    #[prost(uint32, repeated, tag = "6")]
    pub(super) switch_next_comm_index: Vec<u32>,
    #[prost(uint64, repeated, tag = "7")]
    pub(super) waking_timestamp: Vec<u64>,
    #[prost(int32, repeated, tag = "8")]
    pub(super) waking_pid: Vec<i32>,
    #[prost(int32, repeated, tag = "9")]
    pub(super) waking_target_cpu: Vec<i32>,
    #[prost(int32, repeated, tag = "10")]
    pub(super) waking_prio: Vec<i32>,
    #[prost(uint32, repeated, tag = "11")]
    pub(super) waking_comm_index: Vec<u32>,
    #[prost(uint32, repeated, tag = "12")]
    pub(super) waking_common_flags: Vec<u32>,
}
