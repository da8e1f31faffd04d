//! What perf says of a context switch.

use events::switch::{CONTEXT_SWITCH, IN, OUT, PREEMPTED};
use perf_event::events::Software;
use perf_event::{Builder, Clock, ReadFormat, SampleFlag, Sampler};
use std::io;
use trace_data::bytes::{u32_at, u64_at};

/// `PERF_RECORD_LOST` and `PERF_RECORD_SWITCH`.
const LOST: u32 = 2;
const SWITCH: u32 = 14;
/// `PERF_RECORD_MISC_SWITCH_OUT` and `PERF_RECORD_MISC_SWITCH_OUT_PREEMPT`.
const MISC_OUT: u16 = 1 << 13;
const MISC_PREEMPTED: u16 = 1 << 14;

/// A record of perf's that is about switches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SwitchRecord {
    /// So many were lost on a CPU.
    Lost { cpu: u32, lost: u64 },
    /// A thread begins to run, or no longer does.
    Switch(ThreadSwitch),
}

/// A thread begins to run on a CPU, or no longer does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ThreadSwitch {
    pub(crate) process: u32,
    pub(crate) tid: u32,
    /// By `CLOCK_MONOTONIC`, in nanoseconds.
    pub(crate) time: u64,
    pub(crate) cpu: u32,
    direction: u32,
}

impl SwitchRecord {
    /// The next one of a buffer that is about switches. None where there is no more.
    pub(crate) fn next(sampler: &mut Sampler) -> Option<SwitchRecord> {
        loop {
            let record = sampler.next_record()?;
            let (kind, misc, body) = (record.ty(), record.misc(), record.to_vec());
            // Read, so that the kernel can use its place again.
            drop(record);
            if let Some(found) = SwitchRecord::of(kind, misc, &body) {
                return Some(found);
            }
        }
    }

    fn of(kind: u32, misc: u16, body: &[u8]) -> Option<SwitchRecord> {
        let (half, word) = (|offset| u32_at(body, offset), |offset| u64_at(body, offset));
        match kind {
            // After its identity and the count there is what each record ends with.
            LOST => Some(SwitchRecord::Lost { lost: word(8).unwrap_or(1), cpu: half(32).unwrap_or(0) }),
            SWITCH => Some(SwitchRecord::Switch(ThreadSwitch {
                process: half(0)?,
                tid: half(4)?,
                time: word(8)?,
                cpu: half(16)?,
                direction: direction(misc),
            })),
            _ => None,
        }
    }
}

impl ThreadSwitch {
    /// Makes an event of it.
    pub(crate) fn payload(&self, into: &mut Vec<u8>) {
        let common = abi::common::word(CONTEXT_SWITCH.id, 0, 0, self.tid as i32);
        into.clear();
        into.extend_from_slice(&common.to_le_bytes());
        into.extend_from_slice(&self.direction.to_le_bytes());
    }
}

/// A buffer for what perf says of switches, as large as `bytes` has it, or where others of this user's have
/// some of what there may be, smaller, but no smaller than that. `of` says of whom.
pub(crate) fn sampler((least, most): (usize, usize), of: impl Fn(&mut Builder<'_>)) -> io::Result<Sampler> {
    let mut bytes = most;
    loop {
        let mut builder = Builder::new(Software::DUMMY);
        of(&mut builder);
        let counter = builder
            .exclude_kernel(true)
            .exclude_hv(true)
            .context_switch(true)
            .sample_id_all(true)
            .read_format(ReadFormat::empty())
            .sample(SampleFlag::TID | SampleFlag::TIME | SampleFlag::CPU)
            .clockid(Clock::MONOTONIC)
            .enabled(true)
            .build()?;
        match counter.sampled(bytes) {
            Err(_) if bytes > least => bytes /= 2,
            sampler => return sampler,
        }
    }
}

fn direction(misc: u16) -> u32 {
    match (misc & MISC_OUT != 0, misc & MISC_PREEMPTED != 0) {
        (false, _) => IN,
        (true, false) => OUT,
        (true, true) => PREEMPTED,
    }
}
