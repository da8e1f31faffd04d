//! Which thread runs: events that no program can record itself, from the kernel.

use crate::kernel_spools::KernelSpools;
use abi::clock::Clock;
use control::{Clocks, Here};
use events::EventType;
use events::switch::{CONTEXT_SWITCH_ID, KERNELS, SWITCH, SWITCH_ID, WAKING};
use kernel_events::{AttachedSwitches, ContextSwitches, Error, KernelRecord, SwitchInstance};
use reading::Spool;
use session::Instance;
use std::fs::File;
use std::io;
use std::path::Path;
use trace_data::bytes::u32_at;

/// Pages of a CPU that are consumed at once, at most; or records, as many as fit them.
pub(crate) const MOST_PAGES: usize = 512;
const MOST_RECORDS: usize = MOST_PAGES * 128;

/// The kernel's events of the traced threads, from when somebody wants them on.
#[derive(Debug)]
pub(crate) struct SwitchSource(Source);

#[derive(Debug)]
enum Source {
    /// The kernel's own events, for root.
    Instance(Box<SwitchInstance>),
    /// When threads of our own run, for anybody; and the clocks when somebody has last looked.
    Perf(PerfSwitches, Clocks),
}

/// When threads run that the calling thread starts, or that are attached.
#[derive(Debug)]
enum PerfSwitches {
    Started(ContextSwitches),
    Attached(AttachedSwitches),
}

/// Whose events are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SwitchingThreads {
    /// Of what the calling thread starts from now on, and of who is attached.
    Started,
    /// Of who is attached.
    Attached,
}

impl SwitchSource {
    /// Has those come that are enabled, if any are. To be called by the thread that starts programs, if they
    /// are of what it starts. What can't be had, and why.
    pub(crate) fn start(
        session: &Instance,
        threads: SwitchingThreads,
    ) -> (Option<SwitchSource>, Option<String>) {
        let is_enabled = |id: u16| session.control().is_enabled(id, session.index());
        let kernels: Vec<EventType> = KERNELS.into_iter().filter(|event| is_enabled(event.id)).collect();
        let mut missing = None;
        if !kernels.is_empty() {
            match instance(session, &kernels) {
                // Its events say more than ours.
                Ok(source) => return (Some(SwitchSource(source)), None),
                Err(error) => {
                    let names: Vec<&str> = kernels.iter().map(|event| event.name).collect();
                    missing = Some(format!("{}: {error}", names.join(", ")));
                }
            }
        }
        if !is_context_switch_wanted(is_enabled) {
            return (None, missing);
        }
        match perf(session, threads) {
            Ok(source) => {
                let instead = |missing| format!("{missing}; context_switch was recorded instead");
                (Some(SwitchSource(source)), missing.map(instead))
            }
            Err(error) => {
                let reasons: Vec<String> =
                    missing.into_iter().chain([format!("context_switch: {error}")]).collect();
                (None, Some(reasons.join("; ")))
            }
        }
    }

    /// The file by which a process has its threads followed, where it has to do something for that.
    pub(crate) fn entrance(&mut self) -> Option<File> {
        match &mut self.0 {
            Source::Instance(instance) => instance.instance().entrance().ok().flatten(),
            Source::Perf(..) => None,
        }
    }

    /// Follows the threads that are attached by now.
    pub(crate) fn look(&mut self, session: &Instance) {
        match &mut self.0 {
            // Where the kernel takes none, it has not got the memory for it.
            Source::Instance(instance) => drop(instance.instance().follow(threads(session))),
            Source::Perf(PerfSwitches::Attached(switches), _) => switches.follow(threads(session)),
            Source::Perf(PerfSwitches::Started(_), _) => {}
        }
    }

    /// Takes what is there, each with whether the session wants it. Bytes that the fullest CPU had, of as
    /// many as the session's buffers have.
    pub(crate) fn take(
        &mut self,
        session: &Instance,
        mut take: impl FnMut(&KernelRecord<'_>, bool) -> io::Result<()>,
    ) -> io::Result<u64> {
        let is_on = session.buffer().is_tracing() && session.buffer().is_recording();
        let mut take = |record: &KernelRecord<'_>| take(record, is_on && is_wanted(session, record));
        match &mut self.0 {
            Source::Instance(instance) => instance.consume(MOST_PAGES, take),
            Source::Perf(switches, before) => {
                let (clock, now) = (session.buffer().geometry().clock, Clocks::now());
                let before = std::mem::replace(before, now);
                let take = |record: &KernelRecord<'_>| {
                    let time = in_clock(clock, record.time, &before, &now);
                    take(&KernelRecord { time, ..*record })
                };
                match switches {
                    PerfSwitches::Started(switches) => switches.consume(MOST_RECORDS, take).map(|()| 0),
                    PerfSwitches::Attached(switches) => {
                        let thousandths = switches.consume(now.mono, take)?;
                        Ok(session.buffer().smallest_capacity() * thousandths / 1000)
                    }
                }
            }
        }
    }
}

/// Takes the kernel's events of the traced threads while somebody records them.
#[derive(Debug)]
pub(crate) struct SwitchRecording {
    source: SwitchSource,
    pub(crate) spools: KernelSpools,
}

impl SwitchRecording {
    /// Takes those that are enabled from now on, if any are, and keeps them in files in `directory`. To be
    /// called by the thread that starts programs. What can't be had, and why.
    pub(crate) fn start(session: &Instance, directory: &Path) -> (Option<SwitchRecording>, Option<String>) {
        let (source, missing) = SwitchSource::start(session, SwitchingThreads::Started);
        let of = |source| SwitchRecording { source, spools: KernelSpools::new(session, directory) };
        (source.map(of), missing)
    }

    /// As [`SwitchSource::entrance`].
    pub(crate) fn entrance(&mut self) -> Option<File> {
        self.source.entrance()
    }

    /// Follows the threads that are attached by now.
    pub(crate) fn look(&mut self, session: &Instance) {
        self.source.look(session);
    }

    /// Takes what is there.
    pub(crate) fn take(&mut self, session: &Instance) -> io::Result<()> {
        let SwitchRecording { source, spools } = self;
        source.take(session, |record, is_wanted| spools.take(record, is_wanted)).map(drop)
    }

    /// What was taken, as spools of lanes have it.
    pub(crate) fn into_spools(self) -> io::Result<Vec<Spool>> {
        self.spools.finish()
    }
}

fn instance(session: &Instance, events: &[EventType]) -> Result<Source, Error> {
    let instance = SwitchInstance::make(events, buffer(session), threads(session))?;
    Ok(Source::Instance(Box::new(instance)))
}

fn perf(session: &Instance, whose: SwitchingThreads) -> Result<Source, Error> {
    let geometry = session.buffer().geometry();
    let switches = match (geometry.clock, whose) {
        (Clock::Counter, _) => return Err(Error::NoTime),
        (_, SwitchingThreads::Started) => PerfSwitches::Started(ContextSwitches::start(geometry.cpus)?),
        (_, SwitchingThreads::Attached) => PerfSwitches::Attached(AttachedSwitches::start(threads(session))?),
    };
    Ok(Source::Perf(switches, Clocks::now()))
}

/// A time of `CLOCK_MONOTONIC` in the clock of a buffer, by readings before and after it.
fn in_clock(clock: Clock, mono: u64, before: &Clocks, after: &Clocks) -> u64 {
    let read = |clocks: &Clocks| match clock {
        Clock::Tsc => clocks.tsc,
        Clock::Monotonic | Clock::Counter => clocks.mono,
        Clock::MonotonicRaw => clocks.mono_raw,
        Clock::Boot => clocks.boot,
        Clock::Tai => clocks.tai,
    };
    let (start, length) = (read(before), read(after).saturating_sub(read(before)));
    let whole = after.mono.saturating_sub(before.mono).max(1);
    let since = i128::from(mono) - i128::from(before.mono);
    let time = i128::from(start) + since * i128::from(length) / i128::from(whole);
    u64::try_from(time).unwrap_or(start)
}

/// Whether our own event is wanted, which stands for the kernel's where that can't be had.
fn is_context_switch_wanted(is_enabled: impl Fn(u16) -> bool) -> bool {
    is_enabled(CONTEXT_SWITCH_ID) || is_enabled(SWITCH_ID)
}

/// Whether an instance wants a record: it is of the right threads, and matches the event's filter.
fn is_wanted(session: &Instance, record: &KernelRecord<'_>) -> bool {
    let (control, index, payload) = (session.control(), session.index(), record.payload);
    let half = |offset: usize| u32_at(payload, offset).unwrap_or(0);
    let id = half(0) as u16;
    // Who runs or wakes, and who is to run or is woken: either is enough, as in the kernel.
    let own = half(4);
    let other = match id {
        SWITCH_ID => half(NEXT_PID),
        CONTEXT_SWITCH_ID => own,
        _ => half(WOKEN_PID),
    };
    let flags = control.instance_flags(index);
    let is_enabled = |id: u16| control.is_enabled(id, index);
    let is_asked_for = match id {
        CONTEXT_SWITCH_ID => is_context_switch_wanted(is_enabled),
        _ => is_enabled(id),
    };
    if !is_asked_for || [own, other].iter().all(|tid| control.ignores(index, flags, *tid)) {
        return false;
    }
    let name = match id {
        SWITCH_ID => payload.get(PREV_COMM..).and_then(|rest| rest.first_chunk()).copied(),
        _ => control.find_task(own).map(|task| task.comm),
    };
    let here = Here { cpu: record.cpu, comm: &name.unwrap_or_default() };
    control.passes(index, payload, &here)
}

const PREV_COMM: usize = SWITCH.offset(0);
const NEXT_PID: usize = SWITCH.offset(5);
const WOKEN_PID: usize = WAKING.offset(1);

/// The clock of a session's buffers, and their kilobytes for each CPU: what the kernel's are to be like.
pub(crate) fn buffer(session: &Instance) -> (Clock, u64) {
    (session.buffer().geometry().clock, session.buffer().smallest_capacity() / 1024)
}

/// The threads that are attached to a session.
pub(crate) fn threads(session: &Instance) -> impl Iterator<Item = u32> {
    session.control().tasks().filter(|task| task.end_time == 0).map(|task| task.tid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_lie_between_the_readings_as_they_do_in_the_other_clock() {
        let at = |mono: u64, tsc: u64| Clocks { tsc, mono, boot: mono + 7, ..Clocks::default() };
        let (before, after) = (at(1000, 50_000), at(2000, 53_000));
        let times = [1000, 1500, 2000, 900, 2100].map(|mono| in_clock(Clock::Tsc, mono, &before, &after));
        assert_eq!(times, [50_000, 51_500, 53_000, 49_700, 53_300]);
        assert_eq!(in_clock(Clock::Boot, 1500, &before, &after), 1507);
        assert_eq!(in_clock(Clock::Tsc, 5, &before, &before), 50_000);
    }
}
