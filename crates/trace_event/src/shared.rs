//! The session that this process is attached to, as its threads use it.

use crate::attachment::{AttachError, Attachment, Hooks};
use crate::writers;
use abi::control::{Obstacle, ProcessStatus};
use control::{ControlArea, FileLayout, NewProcess, NoLayout, ProcessInfo};
use core::sync::atomic::Ordering::{AcqRel, Relaxed};
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64};
use ring_buffer::{Buffer, PageTurned, Writer};
use rseq::Area;
use shm::{File, Stat};

/// The session, as all threads of the process see it.
#[derive(Debug)]
pub(crate) struct SharedSession {
    pub(crate) control: ControlArea,
    /// Where the session's file has what is not mapped here yet.
    pub(crate) layout: FileLayout,
    /// Which session it is.
    pub(crate) session: u64,
    pub(crate) hooks: Hooks,
    /// Called when a page of its own buffer was turned.
    pub(crate) page_turned: PageTurned,
    stat: Stat,
    /// Where threads have their rseq areas; any place they have where they [have none](Self::has_areas).
    area_offset: isize,
    has_areas: bool,
    pid_namespace: AtomicU64,
    /// Whether what this process makes may count in another pid namespace.
    makes_elsewhere: AtomicBool,
    comm: [u8; 16],
    pid: AtomicU32,
    /// The process's entry + 1, or 0.
    entry: AtomicU32,
    /// The entry's status; [`NO_STATUS`] where there is none.
    status: AtomicPtr<AtomicU32>,
}

/// What stands for the status of a process without an entry.
static NO_STATUS: AtomicU32 = AtomicU32::new(0);

impl SharedSession {
    /// Opens the session's file, maps what is needed of it, and closes it.
    pub(crate) fn open(
        attachment: &Attachment<'_>,
        page_turned: PageTurned,
    ) -> Result<SharedSession, AttachError> {
        // SAFETY: the caller's promise.
        let file = unsafe { File::open_by(attachment.file, attachment.stat) }.map_err(AttachError::System)?;
        if !file.status().is_trusted_by(attachment.user) {
            return Err(AttachError::Foreign);
        }
        let layout = FileLayout::read(&file).map_err(|reason| match reason {
            NoLayout::System(error) => AttachError::System(error),
            NoLayout::Unusable(reason) => AttachError::Control(reason),
        })?;
        let wanted = layout.attached();
        if wanted.end > attachment.most_addresses as u64 {
            return Err(AttachError::TooLarge(wanted.end));
        }
        let segment = file.map(wanted).map_err(AttachError::System)?;
        let damaged = AttachError::Control(control::Unusable::Damaged);
        let (control, buffer) = segment.split(abi::control::CONTROL_SIZE).ok_or(damaged)?;
        let control = ControlArea::new(control).map_err(AttachError::Control)?;
        if control.identity().agent != attachment.agent {
            return Err(AttachError::OtherAgent);
        }
        let buffer = Buffer::new(buffer).map_err(AttachError::Buffer)?;
        let session = control.identity().number;
        if buffer.geometry().identity != session {
            return Err(AttachError::Buffer(ring_buffer::UnusableBuffer::Damaged));
        }
        let area_offset = Area::offset();
        let writer = writers::use_first(buffer, |writer| {
            let writer = writer.asking(attachment.hooks.may_call).telling(page_turned);
            writer.having_areas(area_offset.is_some())
        });
        // SAFETY: the offset is libc's.
        if let Some(cpu) = area_offset.and_then(|offset| unsafe { Area::at(offset) }.cpu()) {
            writer.touch(cpu);
        }
        Ok(SharedSession {
            layout,
            session,
            control,
            hooks: attachment.hooks,
            page_turned,
            stat: attachment.stat,
            area_offset: area_offset.unwrap_or(0),
            has_areas: area_offset.is_some(),
            pid_namespace: AtomicU64::new(attachment.pid_namespace.unwrap_or(0)),
            makes_elsewhere: AtomicBool::new(false),
            comm: attachment.comm,
            pid: AtomicU32::new(0),
            entry: AtomicU32::new(0),
            status: AtomicPtr::new((&raw const NO_STATUS).cast_mut()),
        })
    }

    /// Into the session's own buffer.
    #[inline(always)]
    pub(crate) fn writer(&self) -> &'static Writer {
        writers::first()
    }

    /// Whether `pid`, which the calling process is, was not known to be so. True once. In another pid
    /// namespace a child may have the number that its maker has in its own.
    pub(crate) fn is_new_process(&self, pid: u32) -> bool {
        let before = self.pid.swap(pid, AcqRel);
        before != pid || self.makes_elsewhere.load(Relaxed)
    }

    /// Enters this process, `pid`, which is new: started, or forked. Whether the session knew it.
    pub(crate) fn enter_process(&self, pid: u32) -> bool {
        // Not that of who executed it: he may be another one of this number.
        let pid_namespace = match self.pid_namespace() {
            0 => self.own_namespace(),
            told => told,
        };
        self.pid_namespace.store(pid_namespace, Relaxed);
        let known = self.control.find_executing(pid, pid_namespace);
        // Whom its maker has entered has not said himself that he is there.
        let was_there = known.is_some_and(|before| self.control.maps(before.entry).next().is_some());
        let new = match known {
            Some(before) => NewProcess {
                parent: before.parent,
                pid_namespace,
                status: before.status.executed(),
                limit_raised: before.limit_raised,
                ..self.new_process(pid)
            },
            None => self.unknown_process(pid),
        };
        self.use_entry(pid, self.enter(&new));
        was_there
    }

    /// A process of which the session knows nothing: what made it has to be found out.
    fn unknown_process(&self, pid: u32) -> NewProcess {
        let origin = (self.hooks.origin)();
        let pid_namespace = self.pid_namespace();
        NewProcess { parent: origin.parent, pid_namespace, status: origin.status, ..self.new_process(pid) }
    }

    /// A process that has just been made, with what is known of all. Its name is that of the thread that has
    /// made it.
    fn new_process(&self, pid: u32) -> NewProcess {
        NewProcess { pid, comm: self.thread_comm(), time: self.now(), ..NewProcess::default() }
    }

    /// Enters this process, `pid`, which was forked from `parent`, the one that was entered before: it has
    /// what that has.
    pub(crate) fn enter_copy(&self, pid: u32, parent: u32) {
        // The first of a namespace has a number that no other child gets.
        let is_elsewhere = self.makes_elsewhere.swap(false, Relaxed) || pid == 1;
        let pid_namespace = match is_elsewhere {
            true if (self.hooks.may_call)() => self.own_namespace(),
            true => 0,
            false => self.pid_namespace(),
        };
        let new = NewProcess { parent, pid_namespace, ..self.child(pid) };
        self.pid_namespace.store(pid_namespace, Relaxed);
        self.use_entry(pid, self.enter(&new));
    }

    /// Enters a child that shares this process's memory.
    pub(crate) fn enter_child(&self, pid: u32) {
        self.enter(&self.child(pid));
    }

    /// Enters a child that runs a program unrecorded, unless that is known already. It has nothing mapped
    /// that is of interest.
    pub(crate) fn enter_unrecorded(&self, pid: u32, name: [u8; 16], obstacle: Obstacle) {
        if self.find_child(pid).is_none() {
            let new = NewProcess { parent: self.pid(), comm: name, ..self.child(pid) };
            if let Some(entry) = self.control.add_process(&new) {
                self.control.set_executing(entry, name, Some(obstacle));
            }
        }
    }

    /// Says that what this process makes from now on may count in another pid namespace.
    // Relaxed: the flag carries nothing but itself; a child has a copy of what its maker has stored.
    pub(crate) fn makes_elsewhere(&self) {
        self.makes_elsewhere.store(true, Relaxed);
    }

    /// What this process has made under a number, where it is known whose number that is.
    pub(crate) fn find_child(&self, pid: u32) -> Option<ProcessInfo> {
        self.control.find_process_in(pid, self.namespace_of_children()?)
    }

    /// The pid namespace that children of this process count in; None where each has to find that out.
    pub(crate) fn namespace_of_children(&self) -> Option<u64> {
        (!self.makes_elsewhere.load(Relaxed)).then(|| self.pid_namespace())
    }

    /// A child of the process that is entered.
    fn child(&self, pid: u32) -> NewProcess {
        let own = self.process().and_then(|entry| self.control.process(entry));
        NewProcess {
            parent: self.pid(),
            pid_namespace: self.namespace_of_children().unwrap_or(0),
            status: own.map_or_else(Default::default, |own| own.status.inherited()),
            limit_raised: own.map_or(0, |own| own.limit_raised),
            ..self.new_process(pid)
        }
    }

    /// Enters a process. If this one was forked, or the new one is its child, that has the same files
    /// mapped as what was entered before.
    fn enter(&self, new: &NewProcess) -> Option<u32> {
        let before = self.process();
        let entry = self.control.add_process(new)?;
        if let Some(before) = before {
            self.control.maps(before).for_each(|map| self.control.add_map(entry, map));
            if let Some(before) = self.control.process(before) {
                self.control.set_functions_done(entry, before.functions_done, before.traced_functions);
            }
        }
        Some(entry)
    }

    /// Has the calling process be `pid`, with this entry.
    fn use_entry(&self, pid: u32, entry: Option<u32>) {
        let status = entry.and_then(|entry| self.control.process_status(entry));
        self.pid.store(pid, Relaxed);
        self.entry.store(entry.map_or(0, |entry| entry + 1), Relaxed);
        self.status.store((&raw const *status.unwrap_or(&NO_STATUS)).cast_mut(), Relaxed);
    }

    /// The name of the process's first thread.
    pub(crate) fn comm(&self) -> [u8; 16] {
        let process = self.process().and_then(|process| self.control.process(process));
        process.map_or(self.comm, |process| process.comm)
    }

    /// Now, in the buffer's clock.
    pub(crate) fn now(&self) -> u64 {
        self.writer().now()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.pid.load(Relaxed)
    }

    /// Whether the process's events are not recorded, as it reads the control tree. Two loads.
    // Relaxed: the flag carries nothing but itself.
    #[inline(always)]
    pub(crate) fn is_left_out(&self) -> bool {
        // SAFETY: the word of an entry in the control area, which stays mapped, or that of none.
        ProcessStatus(unsafe { (*self.status.load(Relaxed)).load(Relaxed) }).is_left_out()
    }

    /// The process's entry.
    pub(crate) fn process(&self) -> Option<u32> {
        self.entry.load(Relaxed).checked_sub(1)
    }

    pub(crate) fn pid_namespace(&self) -> u64 {
        self.pid_namespace.load(Relaxed)
    }

    /// The inode of the pid namespace that this process counts in; 0 when it can't be found out. By the calls
    /// that have loaded it, which a filter of system calls allows, as that of a container. The kernel makes
    /// files for each process that is asked about, so this takes some microseconds.
    fn own_namespace(&self) -> u64 {
        // SAFETY: who has attached the process has promised it.
        unsafe { shm::status_by(c"/proc/self/ns/pid", self.stat) }.map_or(0, |found| found.inode)
    }

    /// The calling thread's rseq area.
    #[inline(always)]
    pub(crate) fn area(&self) -> Option<Area> {
        // SAFETY: the offset is libc's.
        self.has_areas.then(|| unsafe { Area::at(self.area_offset) })
    }

    /// As [`SharedSession::area`], for a writer that knows whether there are any. Two loads.
    #[inline(always)]
    pub(crate) fn area_of_writer(&self) -> Option<Area> {
        // SAFETY: the offset is libc's, or that of the thread pointer itself; there is more after that. Who
        // has no area takes no CPU that he finds there.
        Some(unsafe { Area::at(self.area_offset) })
    }

    /// Whether threads have rseq areas.
    pub(crate) fn has_areas(&self) -> bool {
        self.has_areas
    }
}
