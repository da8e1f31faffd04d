//! Recording the end of processes that were killed.
//!
//! A killed process can't say that it has ended. Its parent does when it waits for it; what nobody waits
//! for is found here: by asking the kernel, from time to time, whether it is still there. The session's table
//! of processes says who was the first to know.

use crate::Error;
use abi::instance::RECORDING;
use control::{Here, ProcessInfo, TaskInfo};
use events::sched;
use ring_buffer::{Buffer, RecordBuffer, Writer, WriterThread, current_cpu};
use rustix::process::{Pid, test_kill_process};
use session::{CallInProgress, Instance, OwnPid, ProcessesHere, pid_namespace};

/// Finds processes that are gone, and records their end.
#[derive(Debug)]
pub struct Obituary {
    writer: Writer,
    thread: WriterThread,
    /// The calling process's pid namespace; 0 where that isn't known.
    namespace: u64,
}

/// Words of the event: common fields, name, numbers.
const WORDS: usize = 6;

/// The kernel's number for a nice value of 0. That of a dead process can't be asked for.
const PRIORITY: u32 = 120;

impl Obituary {
    /// For the calling thread, which is the only one that may use it.
    pub fn new(buffer: Buffer, session: &Instance) -> Obituary {
        Obituary { writer: Writer::new(buffer), thread: session.observer(), namespace: pid_namespace() }
    }

    /// Looks at all processes, also at those of other pid namespaces that are seen from here.
    pub fn look(&self, session: &Instance) {
        self.look_for(session, |pid| is_gone(pid).then_some(sched::UNKNOWN_SIGNAL));
    }

    /// Looks at all processes for the last time: those that nobody has waited for have ended, too.
    pub(crate) fn look_last(&self, session: &Instance) {
        let signal = |pid| if is_gone(pid) { Some(sched::UNKNOWN_SIGNAL) } else { zombie_signal(pid) };
        self.look_for(session, signal);
    }

    /// Records which calls the processes that run are in, at the end of a recording.
    pub(crate) fn record_calls(&self, session: &Instance) {
        session.write_calls(&self.writer, self.thread, &session.calls_of_running());
    }

    /// Records the end of those processes for which `death` has a signal, as the event has it.
    fn look_for(&self, session: &Instance, death: impl Fn(u32) -> Option<u32>) {
        let control = session.control();
        let suspects =
            control.processes().filter(|process| process.end_time == 0 && process.pid_namespace != 0);
        // All before others are looked for: whoever starts after that is none of them.
        let (near, far): (Vec<_>, Vec<_>) =
            suspects.partition(|process| process.pid_namespace == self.namespace);
        let near = near.into_iter().filter_map(|process| Some((process, death(process.pid)?)));
        let gone: Vec<_> = near.chain(gone_elsewhere(far, &death)).collect();
        if gone.is_empty() {
            return;
        }
        // Who is the first to know reports it in all instances: nobody else will.
        let others = session.session().open_others(session.index());
        let others = others.iter().filter_map(|other| Some((other, other.again().ok()?.into_buffer())));
        let others: Vec<_> = others.map(|(other, buffer)| (other, Writer::new(buffer))).collect();
        let own = std::iter::once((session, &self.writer));
        let all = own.chain(others.iter().map(|(other, writer)| (*other, writer)));
        let mut places: Vec<InstanceEnds<'_>> = all.map(|all| InstanceEnds::new(all, &gone)).collect();
        for (process, signal) in gone {
            // Before it is said that it has ended: PID filters may forget it then.
            let wanting: Vec<bool> = places.iter().map(|place| place.wants_end(&process)).collect();
            if !control.end_process(process.entry, session.buffer().now()) {
                continue;
            }
            for (place, wants_end) in places.iter_mut().zip(wanting) {
                let its = place.calls.extract_if(.., |(task, _)| task.process == Some(process.entry));
                place.instance.write_calls(place.writer, self.thread, &its.collect::<Vec<_>>());
                if wants_end {
                    self.record(place, &process, signal);
                }
            }
            let signal = Some(signal).filter(|signal| *signal != sched::UNKNOWN_SIGNAL);
            for place in places.iter().filter(|place| place.instance.index() == RECORDING) {
                // One that can't be taken has been counted.
                let _ = place.instance.take_snapshot_of_end(&process, signal);
            }
        }
    }

    fn record(&self, place: &InstanceEnds<'_>, process: &ProcessInfo, signal: u32) {
        let comm = process.last_comm();
        let mut record = RecordBuffer::<WORDS>::new();
        record.push(abi::common::word(sched::EXIT_ID, 0, 0, process.pid as i32));
        for half in comm.as_chunks::<8>().0 {
            record.push(u64::from_le_bytes(*half));
        }
        record.push_half(process.pid);
        record.push_half(PRIORITY);
        // The last of its threads.
        record.push_half(1);
        record.push_half(sched::OBSERVER);
        record.push_half(signal);
        let event = record.event();
        let cpu = self.thread.area.and_then(rseq::Area::cpu).unwrap_or_else(current_cpu);
        let here = Here { cpu, comm: &comm };
        let instance = place.instance;
        if instance.control().passes(instance.index(), event.payload(), &here) {
            // If it can't be written, the buffer has counted it.
            let _ = place.writer.write(self.thread, event);
        }
    }
}

/// Those of other pid namespaces for which `death` has a signal, and those that have ended, as all are seen
/// that run.
fn gone_elsewhere(
    processes: Vec<ProcessInfo>,
    death: impl Fn(u32) -> Option<u32>,
) -> Vec<(ProcessInfo, u32)> {
    if processes.is_empty() {
        return Vec::new();
    }
    let here = ProcessesHere::look();
    let signal = |process: &ProcessInfo| match here.pids.get(&OwnPid::from(process)) {
        Some(pid) => death(*pid),
        None => here.are_all.then_some(sched::UNKNOWN_SIGNAL),
    };
    processes.into_iter().filter_map(|process| Some((process, signal(&process)?))).collect()
}

/// An instance in which ends are recorded.
struct InstanceEnds<'a> {
    instance: &'a Instance,
    writer: &'a Writer,
    /// What threads of processes that are gone were in, as far as it is wanted there.
    calls: Vec<(TaskInfo, CallInProgress)>,
}

impl<'a> InstanceEnds<'a> {
    fn new((instance, writer): (&'a Instance, &'a Writer), gone: &[(ProcessInfo, u32)]) -> InstanceEnds<'a> {
        let calls = instance.calls_in_progress(|task| {
            gone.iter().any(|(process, _)| (task.process, task.tgid) == (Some(process.entry), process.pid))
        });
        InstanceEnds { instance, writer, calls }
    }

    /// Whether the end of a process is wanted there.
    fn wants_end(&self, process: &ProcessInfo) -> bool {
        let (control, index) = (self.instance.control(), self.instance.index());
        control.is_enabled(sched::EXIT_ID, index)
            && !process.status.is_left_out()
            && !control.ignores(index, control.instance_flags(index), process.pid)
    }
}

/// Looks once, for one who looks at a session that nobody records: records the end of processes that have
/// ended, so that their entries can be used again. Also of those that nobody waits for, which are there
/// still.
pub fn record_ends(session: &Instance) -> Result<(), Error> {
    // A second mapping: who writes has one of its own.
    Obituary::new(session.again()?.into_buffer(), session).look_last(session);
    session.control().end_tasks_of_ended(session.buffer().now());
    Ok(())
}

/// The signal, as the event has it, of a process that has ended and that its parent has not waited for.
fn zombie_signal(pid: u32) -> Option<u32> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = reading::fields_after_name(&status)?.collect();
    if !matches!(fields.first(), Some(&("Z" | "X"))) {
        return None;
    }
    // As wait(2) has it; 0, too, for an observer without the right to know it.
    let status: u32 = fields.last()?.parse().ok()?;
    Some(match status & 0x7f {
        0 if status == 0 => sched::UNKNOWN_SIGNAL,
        signal => signal,
    })
}

fn is_gone(pid: u32) -> bool {
    Pid::from_raw(pid as i32).is_some_and(|pid| test_kill_process(pid) == Err(rustix::io::Errno::SRCH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_record_has_the_fields_of_the_event() {
        let offsets: Vec<usize> = (0..=6).map(|field| sched::EXIT.offset(field)).collect();
        assert_eq!(
            offsets,
            [8, 24, 28, 32, 36, 40, 48],
            "comm, pid, prio, group_dead, noticed_by, signal, end"
        );
    }

    #[test]
    fn who_has_been_waited_for_is_gone() {
        let mut child = std::process::Command::new("sleep").arg("10").spawn().unwrap();
        assert!(!is_gone(child.id()));
        child.kill().unwrap();
        let start = std::time::Instant::now();
        while zombie_signal(child.id()).is_none() {
            assert!(start.elapsed().as_secs() < 10);
        }
        assert_eq!(zombie_signal(child.id()), Some(9));
        assert!(!is_gone(child.id()), "nobody has waited for it");
        child.wait().unwrap();
        assert!(is_gone(child.id()));
    }
}
