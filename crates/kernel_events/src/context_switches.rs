//! When threads of our own run, for anybody: perf's records of context switches.

use crate::switch_record::{SwitchRecord, sampler};
use crate::{Error, KernelRecord};
use perf_event::Sampler;
use rustix::io::Errno;
use std::io;
use trace_data::page::Missed;

/// Bytes of a CPU's buffer, at most: with the page before it what `perf_event_mlock_kb` lets each user have.
const MOST_BYTES: usize = 512 << 10;
/// Less than that is lost within a moment.
const LEAST_BYTES: usize = 16 << 10;

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
            match of_cpu(cpu) {
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
                match SwitchRecord::next(sampler) {
                    None => break,
                    Some(SwitchRecord::Lost { lost: more, .. }) => *lost = lost.and(Missed::of(more)),
                    Some(SwitchRecord::Switch(found)) if found.process != own && found.tid != 0 => {
                        found.payload(&mut self.record);
                        let (payload, lost) = (&self.record, std::mem::take(lost));
                        take(&KernelRecord { cpu: *cpu, time: found.time, payload, lost })?;
                    }
                    Some(SwitchRecord::Switch(_)) => {}
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

fn of_cpu(cpu: u32) -> io::Result<Sampler> {
    sampler((LEAST_BYTES, MOST_BYTES), |builder| {
        builder.observe_self().one_cpu(cpu as usize).inherit(true);
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use events::switch::{IN, OUT};
    use trace_data::bytes::u32_at;

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
