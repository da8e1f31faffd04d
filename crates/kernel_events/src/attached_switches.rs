//! When threads run that others have started, for anybody: perf's records of each.

use crate::switch_record::{SwitchRecord, ThreadSwitch, sampler};
use crate::{Error, KernelRecord};
use perf_event::Sampler;
use rustix::io::Errno;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use trace_data::page::Missed;

/// Bytes of a thread's buffer: `perf_event_mlock_kb` is for all of a user's.
const BYTES: (usize, usize) = (4 << 10, 32 << 10);

/// Bytes of a record, with its header.
const RECORD: u64 = 40;

/// Records when threads run that are there already. A thread that they start isn't known to the kernel as one
/// of them, and has to be followed, too.
pub struct AttachedSwitches {
    threads: BTreeMap<u32, Sampler>,
    /// Those that couldn't be followed, and why the last one couldn't.
    refused: BTreeSet<u32>,
    refusal: Option<io::Error>,
    /// What came after the others were looked at: by time, and of each CPU in its order.
    later: Vec<ThreadSwitch>,
    /// What was lost of a CPU since its last record.
    lost: BTreeMap<u32, Missed>,
    record: Vec<u8>,
}

impl AttachedSwitches {
    /// Of these threads.
    ///
    /// # Errors
    ///
    /// When the kernel doesn't let us: by `perf_event_paranoid`, or in a container. It is tried with the
    /// calling thread.
    pub fn start(threads: impl IntoIterator<Item = u32>) -> Result<AttachedSwitches, Error> {
        sampler(BYTES, |builder| {
            builder.observe_self().any_cpu();
        })
        .map_err(Error::Perf)?;
        let mut started = AttachedSwitches {
            threads: BTreeMap::new(),
            refused: BTreeSet::new(),
            refusal: None,
            later: Vec::new(),
            lost: BTreeMap::new(),
            record: Vec::new(),
        };
        started.follow(threads);
        Ok(started)
    }

    /// Follows these threads from now on, as far as they aren't followed yet, and those no longer that aren't
    /// among them: what they have had is to be consumed before.
    pub fn follow(&mut self, threads: impl IntoIterator<Item = u32>) {
        let wanted: BTreeSet<u32> = threads.into_iter().collect();
        self.threads.retain(|tid, _| wanted.contains(tid));
        self.refused.retain(|tid| wanted.contains(tid));
        for tid in wanted {
            if self.threads.contains_key(&tid) || self.refused.contains(&tid) {
                continue;
            }
            let opened = sampler(BYTES, |builder| {
                builder.observe_pid(tid as i32).any_cpu();
            });
            match opened {
                Ok(sampler) => drop(self.threads.insert(tid, sampler)),
                Err(error) => {
                    self.refused.insert(tid);
                    // One that has ended is none.
                    if Errno::from_io_error(&error) != Some(Errno::SRCH) {
                        self.refusal = Some(error);
                    }
                }
            }
        }
    }

    /// Why a thread couldn't be followed, if one couldn't since this was asked last.
    pub fn refusal(&mut self) -> Option<io::Error> {
        self.refusal.take()
    }

    /// Consumes what has come before `now`, by `CLOCK_MONOTONIC`, in the order of time. How much of its
    /// buffer the thread had that had most, in thousandths.
    ///
    /// # Errors
    ///
    /// That of `take`.
    pub fn consume<E>(
        &mut self,
        now: u64,
        mut take: impl FnMut(&KernelRecord<'_>) -> Result<(), E>,
    ) -> Result<u64, E> {
        let mut found = std::mem::take(&mut self.later);
        let mut fullest = 0;
        for sampler in self.threads.values_mut() {
            let before = found.len();
            while let Some(record) = SwitchRecord::next(sampler) {
                match record {
                    SwitchRecord::Lost { cpu, lost: more } => {
                        let known = self.lost.entry(cpu).or_default();
                        *known = known.and(Missed::of(more));
                    }
                    SwitchRecord::Switch(switch) => found.push(switch),
                }
            }
            fullest = fullest.max((found.len() - before) as u64 * RECORD * 1000 / BYTES.1 as u64);
        }
        found.sort_by_key(|switch| switch.time);
        self.later = found.split_off(found.partition_point(|switch| switch.time < now));
        for switch in found {
            switch.payload(&mut self.record);
            let (payload, lost) = (&self.record, self.lost.remove(&switch.cpu).unwrap_or_default());
            take(&KernelRecord { cpu: switch.cpu, time: switch.time, payload, lost })?;
        }
        Ok(fullest)
    }
}

impl std::fmt::Debug for AttachedSwitches {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AttachedSwitches").field("threads", &self.threads.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use events::switch::{IN, OUT};
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};
    use trace_data::bytes::u32_at;

    fn monotonic() -> u64 {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
    }

    #[test]
    fn one_that_runs_already_is_followed() {
        let mut switches = match AttachedSwitches::start([]) {
            Err(error @ Error::Perf(_)) => return eprintln!("skipped: {error}"),
            started => started.unwrap(),
        };
        let mut child = Command::new("sh")
            .args(["-c", "read line; sleep 0.01; exec true"])
            .arg0("sh")
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        switches.follow([child.id()]);
        drop(child.stdin.take());
        child.wait().unwrap();
        let (mut times, mut directions) = (Vec::new(), Vec::new());
        let consumed: Result<u64, ()> = switches.consume(monotonic(), |record| {
            assert_eq!(u32_at(record.payload, 4), Some(child.id()));
            times.push(record.time);
            directions.push(u32_at(record.payload, 8).unwrap());
            Ok(())
        });
        assert!(consumed.unwrap() > 0);
        assert!(switches.refusal().is_none());
        assert!(times.is_sorted(), "{times:?}");
        assert!(directions.contains(&IN) && directions.contains(&OUT), "{directions:?}");
    }
}
