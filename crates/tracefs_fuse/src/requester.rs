//! Who asks: which thread, and on which CPU.

use rustix::fd::OwnedFd;
use rustix::fs::{Mode, OFlags, open};
use rustix::io::pread;
use rustix::thread::{CpuSet, Pid, sched_getaffinity, sched_getcpu, sched_setaffinity};
use session::Author;

/// The thread that has asked last.
///
/// As long as nobody else asks for anything the server runs on the same CPU: to be woken on another one takes
/// several times as long as to answer. What is written to `trace_marker` has to be written there anyhow.
#[derive(Debug, Default)]
pub(crate) struct Requester {
    tid: u32,
    /// Its `/proc/TID/stat`.
    stat: Option<OwnedFd>,
    /// How often it has asked since anybody else has.
    requests: u32,
    /// Where the server ran before.
    before: Option<CpuSet>,
}

/// How often a thread has to ask until it is followed, and from then on until it is looked for again.
const FOLLOWED: u32 = 16;
const LOOKED_FOR: u32 = 128;

/// More than the first 39 fields of `stat` take.
const MOST: usize = 1024;

impl Requester {
    /// Notes a request of a thread. What the kernel asks for by itself is of none: 0.
    pub(crate) fn note(&mut self, tid: u32) {
        match tid {
            0 => {}
            tid if tid == self.tid => {
                self.requests += 1;
                if self.requests % LOOKED_FOR == FOLLOWED {
                    self.follow();
                }
            }
            tid => {
                self.leave();
                (self.tid, self.stat, self.requests) = (tid, None, 0);
            }
        }
    }

    /// A thread that was noted, with the CPU that it is on: it waits for the answer and goes nowhere
    /// meanwhile. Without one for a thread of which nothing can be seen here: of another pid namespace.
    pub(crate) fn author(&mut self, tid: u32) -> Author {
        Author { tid, cpu: if tid == self.tid { self.follow() } else { None } }
    }

    /// Has the server run where the thread is.
    fn follow(&mut self) -> Option<u32> {
        let found = only_cpu(self.tid).or_else(|| self.seen_cpu());
        match found {
            Some(cpu) => self.run_on(cpu as usize),
            // It has ended, and its number may be another's next time.
            None => self.stat = None,
        }
        found
    }

    /// The CPU that the kernel shows it on. Cost: 3 us, for 52 numbers of which one is wanted.
    fn seen_cpu(&mut self) -> Option<u32> {
        if self.stat.is_none() {
            let flags = OFlags::RDONLY | OFlags::CLOEXEC;
            self.stat = open(format!("/proc/{}/stat", self.tid), flags, Mode::empty()).ok();
        }
        let mut text = [0; MOST];
        let len = pread(self.stat.as_ref()?, &mut text, 0).ok()?;
        parse_cpu(str::from_utf8(text.get(..len)?).ok()?)
    }

    fn run_on(&mut self, cpu: usize) {
        if cpu == sched_getcpu() && self.before.is_some() || cpu >= CpuSet::MAX_CPU {
            return;
        }
        let mut there = CpuSet::new();
        there.set(cpu);
        let before = self.before.take().or_else(|| sched_getaffinity(None).ok());
        // Where it is refused, an event lies in the buffer of the CPU that it is written on.
        if sched_setaffinity(None, &there).is_ok() {
            self.before = before;
        }
    }

    /// Lets the server run everywhere again.
    fn leave(&mut self) {
        if let Some(before) = self.before.take() {
            let _ = sched_setaffinity(None, &before);
        }
    }
}

/// The CPU of a thread that may run on one alone: there it is. Cost: 0.4 us.
fn only_cpu(tid: u32) -> Option<u32> {
    let allowed = sched_getaffinity(Some(Pid::from_raw(tid.cast_signed())?)).ok()?;
    if allowed.count() != 1 {
        return None;
    }
    let here = sched_getcpu();
    let cpu =
        if allowed.is_set(here) { here } else { (0..CpuSet::MAX_CPU).find(|cpu| allowed.is_set(*cpu))? };
    Some(cpu as u32)
}

/// The field `processor` of proc_pid_stat(5), the 39th. The second, a name, may have blanks and parentheses.
fn parse_cpu(stat: &str) -> Option<u32> {
    let (_, after_name) = stat.rsplit_once(')')?;
    after_name.split_ascii_whitespace().nth(39 - 3)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cpu_is_found_after_any_name() {
        let stat = "7 (a) b (c) S 1 7 7 34 7 4 5 6 7 8 9 10 11 12 13 20 0 1 0 19 20 21 22 23 24 25 26 27 28 \
                    29 30 31 32 33 17 5 0 0 0";
        assert_eq!(parse_cpu(stat), Some(5));
        assert_eq!(parse_cpu("7 (a"), None);
    }

    #[test]
    fn a_thread_is_followed_until_another_asks() {
        let everywhere = sched_getaffinity(None).unwrap();
        let (sender, receiver) = std::sync::mpsc::channel();
        // As a thread that waits for its answer: it stays where it is.
        let cpus = (0..CpuSet::MAX_CPU).filter(|cpu| everywhere.is_set(*cpu));
        for cpu in cpus {
            let sender = sender.clone();
            let (end, ended) = std::sync::mpsc::channel::<()>();
            let thread = std::thread::spawn(move || {
                let mut set = CpuSet::new();
                set.set(cpu);
                sched_setaffinity(None, &set).unwrap();
                sender.send(Author::current().tid).unwrap();
                let _ = ended.recv();
            });
            let tid = receiver.recv().unwrap();
            let mut requester = Requester::default();
            (0..=FOLLOWED).for_each(|_| requester.note(tid));
            assert_eq!(sched_getcpu(), cpu);
            requester.note(1);
            assert_eq!(sched_getaffinity(None).unwrap(), everywhere);
            requester.note(tid);
            let author = requester.author(tid);
            assert_eq!((author.tid, author.cpu, sched_getcpu()), (tid, Some(cpu as u32), cpu));
            drop(end);
            thread.join().unwrap();
            // It has ended, but the kernel may have it in /proc for a moment.
            let mut looks = (0..1000).map(|_| requester.author(tid).cpu);
            assert!(looks.any(|cpu| {
                std::thread::sleep(std::time::Duration::from_millis(1));
                cpu.is_none()
            }));
            requester.leave();
        }
        assert_eq!(Requester::default().author(0).cpu, None);
    }

    #[test]
    fn who_may_run_anywhere_is_looked_for() {
        let everywhere = sched_getaffinity(None).unwrap();
        let (mut requester, tid) = (Requester::default(), Author::current().tid);
        requester.note(tid);
        let cpu = requester.seen_cpu().unwrap();
        assert!(everywhere.is_set(cpu as usize));
        assert_eq!(only_cpu(tid).is_some(), everywhere.count() == 1);
        assert_eq!(requester.author(tid).cpu, Some(sched_getcpu() as u32));
        requester.leave();
        assert_eq!(sched_getaffinity(None).unwrap(), everywhere);
    }
}
