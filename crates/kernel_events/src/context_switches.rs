//! When threads of our own run, for anybody: perf's records of context switches.

use crate::{Error, KernelRecord};
use events::switch::{CONTEXT_SWITCH, IN, OUT, PREEMPTED};
use perf_event::events::Software;
use perf_event::{Builder, Clock, ReadFormat, SampleFlag, Sampler};
use rustix::io::Errno;
use std::io;
use trace_data::bytes::{u32_at, u64_at};
use trace_data::page::Missed;

/// Bytes of a CPU's buffer, at most: with the page before it what `perf_event_mlock_kb` lets each user have.
const MOST_BYTES: usize = 512 << 10;
/// Less than that is lost within a moment.
const LEAST_BYTES: usize = 16 << 10;

/// `PERF_RECORD_LOST` and `PERF_RECORD_SWITCH`.
const LOST: u32 = 2;
const SWITCH: u32 = 14;
/// `PERF_RECORD_MISC_SWITCH_OUT` and `PERF_RECORD_MISC_SWITCH_OUT_PREEMPT`.
const MISC_OUT: u16 = 1 << 13;
const MISC_PREEMPTED: u16 = 1 << 14;

/// Records when the threads run that the calling thread starts from now on, and those that they start.
pub struct ContextSwitches {
    cpus: Vec<CpuSwitches>,
    record: Vec<u8>,
}

struct CpuSwitches {
    cpu: u32,
    sampler: Sampler,
    /// Whether records were lost since the last one that was handed on.
    lost: Missed,
}

impl ContextSwitches {
    /// Of what the calling thread starts, on so many CPUs. Times are `CLOCK_MONOTONIC`, in nanoseconds.
    ///
    /// # Errors
    ///
    /// When the kernel doesn't let us: by `perf_event_paranoid`, or in a container.
    pub fn start(cpus: u32) -> Result<ContextSwitches, Error> {
        let mut found = Vec::new();
        for cpu in 0..cpus {
            match sampler(cpu) {
                Ok(sampler) => found.push(CpuSwitches { cpu, sampler, lost: Missed::None }),
                Err(error) => match Errno::from_io_error(&error) {
                    // It is offline.
                    Some(Errno::NODEV) => {}
                    // After the last that there can be.
                    Some(Errno::INVAL) if !found.is_empty() => break,
                    _ => return Err(Error::Perf(error)),
                },
            }
        }
        Ok(ContextSwitches { cpus: found, record: Vec::new() })
    }

    /// Consumes what is there, CPU by CPU: at most so many records of each, as the kernel goes on meanwhile.
    ///
    /// # Errors
    ///
    /// That of `take`.
    pub fn consume<E>(
        &mut self,
        most: usize,
        mut take: impl FnMut(&KernelRecord<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let own = std::process::id();
        for CpuSwitches { cpu, sampler, lost } in &mut self.cpus {
            for _ in 0..most {
                let Some(record) = sampler.next_record() else { break };
                let (kind, misc, body) = (record.ty(), record.misc(), record.to_vec());
                // Read, so that the kernel can use its place again.
                drop(record);
                match kind {
                    LOST => *lost = lost.and(Missed::of(u64_at(&body, 8).unwrap_or(1))),
                    SWITCH => {
                        let (Some(process), Some(tid), Some(time)) =
                            (u32_at(&body, 0), u32_at(&body, 4), u64_at(&body, 8))
                        else {
                            continue;
                        };
                        if process == own || tid == 0 {
                            continue;
                        }
                        let common = abi::common::word(CONTEXT_SWITCH.id, 0, 0, tid as i32);
                        self.record.clear();
                        self.record.extend_from_slice(&common.to_le_bytes());
                        self.record.extend_from_slice(&direction(misc).to_le_bytes());
                        let (payload, lost) = (&self.record, std::mem::take(lost));
                        take(&KernelRecord { cpu: *cpu, time, payload, lost })?;
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

impl std::fmt::Debug for ContextSwitches {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ContextSwitches").field("cpus", &self.cpus.len()).finish_non_exhaustive()
    }
}

fn sampler(cpu: u32) -> io::Result<Sampler> {
    let mut bytes = MOST_BYTES;
    loop {
        let counter = Builder::new(Software::DUMMY)
            .observe_self()
            .one_cpu(cpu as usize)
            .inherit(true)
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
            // Others of this user's may have some of it already.
            Err(_) if bytes > LEAST_BYTES => bytes /= 2,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_runs_and_waits() {
        let mut switches = match ContextSwitches::start(1024) {
            Err(error @ Error::Perf(_)) => return eprintln!("skipped: {error}"),
            started => started.unwrap(),
        };
        let mut child = std::process::Command::new("sleep").arg("0.01").spawn().unwrap();
        child.wait().unwrap();
        let mut found: Vec<(u64, u32, u32)> = Vec::new();
        let taken: Result<(), ()> = switches.consume(usize::MAX, |record| {
            let tid = u32_at(record.payload, 4).unwrap();
            found.push((record.time, tid, u32_at(record.payload, 8).unwrap()));
            Ok(())
        });
        taken.unwrap();
        found.retain(|(_, tid, _)| *tid == child.id());
        found.sort_unstable();
        // It begins by running, and each time off the CPU ends by that.
        assert_eq!(found.first().unwrap().2, IN);
        assert!(found.iter().any(|(_, _, direction)| *direction == OUT), "{found:?}");
        assert!(found.windows(2).all(|pair| (pair[0].2 == IN) != (pair[1].2 == IN)), "{found:?}");
    }
}
