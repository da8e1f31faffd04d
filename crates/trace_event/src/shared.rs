//! A session that this process takes part in.

use crate::instances::Instances;
use crate::process::{AttachError, Attachment, Hooks};
use crate::thread::is_tid_at;
use control::{ControlFile, NewProcess, Parts};
use core::sync::atomic::Ordering::{AcqRel, Relaxed};
use core::sync::atomic::{AtomicU32, AtomicU64};
use ring_buffer::{Buffer, Writer};
use rseq::Area;
use rustix::process::{Resource, getpid, getppid, getrlimit};

/// The session, as all threads of the process see it.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) control: ControlFile,
    /// Into the session's own buffer.
    pub(crate) writer: Writer,
    pub(crate) instances: Instances,
    pub(crate) hooks: Hooks,
    area_offset: Option<isize>,
    pid_namespace: AtomicU64,
    comm: [u8; 16],
    pid: AtomicU32,
    /// The process's entry + 1, or 0.
    entry: AtomicU32,
}

impl Shared {
    /// Maps the session's file.
    pub(crate) fn open(attachment: &Attachment<'_>) -> Result<Shared, AttachError> {
        if !is_tid_at(attachment.tid_offset) {
            return Err(AttachError::OtherLibc);
        }
        let segment = shm::open(attachment.file).map_err(AttachError::System)?;
        let damaged = AttachError::Control(control::Unusable::Damaged);
        let Parts { control, first, others } = Parts::of(segment).ok_or(damaged)?;
        let control = ControlFile::new(control).map_err(AttachError::Control)?;
        if control.identity().agent != attachment.agent {
            return Err(AttachError::OtherAgent);
        }
        let buffer = Buffer::new(first).map_err(AttachError::Buffer)?;
        if buffer.geometry().identity != control.identity().number {
            return Err(AttachError::Buffer(ring_buffer::Unusable::Damaged));
        }
        // Where addresses are short, the program needs them more.
        let rooms = others.filter(|_| getrlimit(Resource::As).current.is_none());
        let instances = Instances { rooms, session: control.identity().number };
        let writer = Writer::new(buffer);
        let area_offset = Area::offset();
        // SAFETY: the offset is libc's.
        if let Some(cpu) = area_offset.and_then(|offset| unsafe { Area::at(offset) }.cpu()) {
            writer.touch(cpu);
        }
        Ok(Shared {
            writer,
            instances,
            control,
            hooks: attachment.hooks,
            area_offset,
            pid_namespace: AtomicU64::new(0),
            comm: attachment.comm,
            pid: AtomicU32::new(0),
            entry: AtomicU32::new(0),
        })
    }

    /// Whether `pid`, which the calling process is, was not known to be so. True once.
    pub(crate) fn is_new_process(&self, pid: u32) -> bool {
        let before = self.pid.swap(pid, AcqRel);
        before != pid
    }

    /// Enters this process, which is new: started, or forked. Whether the session knew it.
    pub(crate) fn enter_process(&self) -> bool {
        let pid = getpid().as_raw_nonzero().get() as u32;
        let parent = getppid().map_or(0, |parent| parent.as_raw_nonzero().get() as u32);
        let creator = self.control.identity();
        let pid_namespace = match self.control.find_process(parent) {
            Some(parent) if parent.pid_namespace != 0 => parent.pid_namespace,
            _ if parent == creator.creator => creator.pid_namespace,
            _ => pid_namespace(),
        };
        let was_known = self.control.find_process(pid).is_some();
        self.pid_namespace.store(pid_namespace, Relaxed);
        let entry = self.enter(pid, parent);
        self.pid.store(pid, Relaxed);
        self.entry.store(entry.map_or(0, |entry| entry + 1), Relaxed);
        was_known
    }

    /// Enters a child that shares this process's memory.
    pub(crate) fn enter_child(&self, pid: u32) {
        self.enter(pid, self.pid());
    }

    /// Enters `pid`. If this process was forked, or `pid` is its child, it has the same name and the same
    /// files mapped as what was entered before.
    fn enter(&self, pid: u32, parent: u32) -> Option<u32> {
        let before = self.process();
        let new = NewProcess {
            pid,
            parent,
            pid_namespace: self.pid_namespace(),
            comm: self.comm(),
            time: self.now(),
        };
        let entry = self.control.add_process(&new)?;
        if let Some(before) = before {
            self.control.maps(before).for_each(|map| self.control.add_map(entry, map));
        }
        Some(entry)
    }

    /// The name of the process's first thread.
    pub(crate) fn comm(&self) -> [u8; 16] {
        let process = self.process().and_then(|process| self.control.process(process));
        process.map_or(self.comm, |process| process.comm)
    }

    /// Into the buffer of an instance. None while there is none.
    #[inline]
    pub(crate) fn writer_of(&'static self, instance: usize) -> Option<&'static Writer> {
        if instance == 0 { Some(&self.writer) } else { self.instances.writer(instance) }
    }

    /// Now, in the buffer's clock.
    pub(crate) fn now(&self) -> u64 {
        self.writer.now()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.pid.load(Relaxed)
    }

    /// The process's entry.
    pub(crate) fn process(&self) -> Option<u32> {
        self.entry.load(Relaxed).checked_sub(1)
    }

    pub(crate) fn pid_namespace(&self) -> u64 {
        self.pid_namespace.load(Relaxed)
    }

    /// The calling thread's rseq area.
    #[inline(always)]
    pub(crate) fn area(&self) -> Option<Area> {
        // SAFETY: the offset is libc's.
        self.area_offset.map(|offset| unsafe { Area::at(offset) })
    }
}

/// The inode of the pid namespace that this process counts in; 0 when it can't be found out. The kernel makes
/// files for each process that is asked about, so this takes some microseconds.
fn pid_namespace() -> u64 {
    rustix::fs::stat(c"/proc/self/ns/pid").map_or(0, |found| found.st_ino)
}
