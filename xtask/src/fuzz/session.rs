//! Damaged session files: read by who looks at them, written to by traced processes.

use super::damage::damage;
use super::damaged_tree;
use super::events::write_events;
use super::page;
use super::random::Random;
use abi::buffer::BLOCKS_OFFSET;
use abi::control::{
    CONTROL_SIZE, ENABLED_OFFSET, EVENTS_OFFSET, FILTERING_OFFSET, FILTERS, FILTERS_OFFSET, PID_PAGES_OFFSET,
    SESSION_FILE, SWITCHES_OFFSET, TASKS_OFFSET, event_id,
};
use control::{FileLayout, Here};
use core::ops::Range;
use ring_buffer::{Buffer, Writer};
use session::{FilteredSelection, Instance, PidFilter, Session, SessionOptions};
use std::ffi::CString;
use std::fs::File;
use std::hint::black_box;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use trace_data::format::Format;
use trigger_effect::Stage;

/// KB of a CPU's.
const BUFFER_KB: u64 = 64;

/// Events that are in the buffers before damage is done: some laps around.
const EVENTS: u64 = 20_000;

/// Pages that reading a block may give. The file has far fewer: with more, reading never ends.
const MOST_PAGES: usize = 100_000;

/// A session whose file is damaged again and again.
#[derive(Debug)]
pub struct Damaged {
    path: PathBuf,
    file: File,
    good: Vec<u8>,
    blocks: usize,
    layout: FileLayout,
}

impl Damaged {
    /// A new one in `directory`, with something in all of its tables and buffers.
    pub fn new(directory: &Path) -> Result<Damaged, String> {
        let path = directory.join(format!("session-{}", std::process::id()));
        let options = SessionOptions { buffer_kb: BUFFER_KB, ..SessionOptions::default() };
        let session = Session::create(&path, &options).map_err(|error| error.to_string())?;
        fill_tables(&session);
        fill_filters(&session).map_err(|error| error.to_string())?;
        let blocks = session.buffer().geometry().blocks() as usize;
        let file = path.join(SESSION_FILE);
        let opened = shm::File::open(&CString::new(file.as_os_str().as_bytes()).unwrap()).unwrap();
        let layout = FileLayout::read(&opened).map_err(|error| format!("{error:?}"))?;
        write(&file, &layout, EVENTS);
        let file = File::options().read(true).write(true).open(file).map_err(|error| error.to_string())?;
        let len = file.metadata().map_err(|error| error.to_string())?.len() as usize;
        let mut good = vec![0; len];
        file.read_exact_at(&mut good, 0).map_err(|error| error.to_string())?;
        Ok(Damaged { path, file, good, blocks, layout })
    }

    /// The session, with its file whole.
    pub fn whole(&self) -> Result<Instance, String> {
        self.store(&self.good).map_err(|error| error.to_string())?;
        Instance::open(&self.path).map_err(|error| error.to_string())
    }

    /// Damages the file, which was repaired first, reads it, writes to it, and reads it again. Now and then
    /// it is also damaged while others read it.
    pub fn run(&self, random: &mut Random) {
        if random.one_in(4) {
            self.damage_under_readers(random);
        }
        if self.store(&self.damaged(random)).is_err() {
            return;
        }
        read_tables(&self.path);
        use_filters(&self.path);
        use_triggers(&self.path);
        read_buffer(&self.path);
        // That takes as long as many other cases.
        if random.one_in(20) {
            damaged_tree::read_and_write(&self.path);
        }
        write(&self.path.join(SESSION_FILE), &self.layout, 200);
        read_buffer(&self.path);
        if let Ok(session) = Instance::open(&self.path) {
            session.buffer().set_overwrite(random.one_in(2));
            session.buffer().clear();
            write(&self.path.join(SESSION_FILE), &self.layout, 200);
            read_buffer(&self.path);
        }
    }

    /// Damages the file several times while somebody who has found it whole reads it.
    fn damage_under_readers(&self, random: &mut Random) {
        if self.store(&self.good).is_err() {
            return;
        }
        std::thread::scope(|scope| {
            scope.spawn(|| {
                read_tables(&self.path);
                read_buffer(&self.path);
            });
            for _ in 0..4 {
                let bytes = self.damaged(random);
                // A file that becomes shorter is another matter: see `shm`.
                if bytes.len() == self.good.len() && self.file.write_all_at(&bytes, 0).is_err() {
                    return;
                }
            }
        });
    }

    /// The file, damaged.
    fn damaged(&self, random: &mut Random) -> Vec<u8> {
        let mut bytes = self.good.clone();
        for _ in 0..1 + random.below(8) {
            let range = self.place(random);
            damage(&mut bytes, range, random);
        }
        if random.one_in(50) {
            bytes.truncate(random.below(bytes.len()));
        }
        bytes
    }

    /// Some part of the file: those that say where others are come more often than they are large.
    fn place(&self, random: &mut Random) -> Range<usize> {
        let blocks = CONTROL_SIZE + BLOCKS_OFFSET as usize;
        let block = blocks + random.below(self.blocks) * 4096;
        let after = blocks + self.blocks * 4096;
        let buffer = after..self.layout.functions().start as usize;
        match random.below(15) {
            14 => self.used_part(PID_PAGES_OFFSET as usize..CONTROL_SIZE, random),
            10 => self.used_part(FILTERS_OFFSET as usize..FILTERS_OFFSET as usize + FILTERS, random),
            11 => self.used_part(SWITCHES_OFFSET as usize..FILTERS_OFFSET as usize, random),
            12 => self.used_part(FILTERING_OFFSET as usize..PID_PAGES_OFFSET as usize, random),
            13 => self.used_part(EVENTS_OFFSET as usize..TASKS_OFFSET as usize, random),
            0 => 0..ENABLED_OFFSET as usize,
            1 => 0..CONTROL_SIZE,
            2 => self.used_part(0..CONTROL_SIZE, random),
            3 => CONTROL_SIZE..blocks,
            4 | 5 => block..block + 1024,
            6 | 7 => self.used_part(buffer, random),
            _ => buffer,
        }
    }

    /// Some bytes in `range` of which not all are 0.
    fn used_part(&self, range: Range<usize>, random: &mut Random) -> Range<usize> {
        const PART: usize = 64;
        let parts = range.len() / PART;
        let start = random.below(parts);
        let order = (start..parts).chain(0..start);
        let mut places = order.map(|part| range.start + part * PART..range.start + (part + 1) * PART);
        places.find(|place| self.good[place.clone()].iter().any(|byte| *byte != 0)).unwrap_or(range)
    }

    fn store(&self, bytes: &[u8]) -> std::io::Result<()> {
        self.file.set_len(bytes.len() as u64)?;
        self.file.write_all_at(bytes, 0)
    }
}

/// Enters threads, processes, files and an event of a program's own.
fn fill_tables(session: &Instance) {
    let control = session.control();
    let fields = "\tfield:int n;\toffset:8;\tsize:4;\tsigned:1;\n";
    control.add_event("app", "request", &format!("{fields}\nprint fmt: \"%d\", REC->n\n"));
    let comm = *b"server\0\0\0\0\0\0\0\0\0\0";
    for number in 1..20 {
        let (pid, parent, time) = (number * 10, number, u64::from(number));
        let process = control::NewProcess { pid, parent, pid_namespace: 1, comm, time, ..Default::default() };
        let Some(process) = control.add_process(&process) else { continue };
        let (path, build_id) = (format!("/usr/lib/lib{number}.so"), [number as u8; 20]);
        for object in 0..number as u64 {
            let new = control::NewObject {
                path: path.as_bytes(),
                build_id: &build_id,
                low: object,
                high: object + 4096,
            };
            let Some(entry) = control.add_object(&new) else { continue };
            control.add_map(process, control::Map { base: object << 12, object: entry });
        }
        let task = control::NewTask { tid: pid + 1, tgid: pid, process: Some(process), comm, time };
        if let Some(task) = control.add_task(&task) {
            control.end_task(task, time + 5);
        }
    }
}

/// Gives events filters with every kind of test.
fn fill_filters(session: &Instance) -> Result<(), session::Error> {
    for filter in [
        "*_exit if ret < 0 && !(error == 2 || common_pid == 0)",
        "open*_exit if pathname ~ \"*.conf\" || COMM != \"cat\" && pathname == \"/etc/passwd\"",
        "libc:read if CPU & CPUS{0-3,7} || fd & CPUS{1}",
        "app:request if n == 1 || CPU > 3",
    ] {
        if let Ok(wanted) = filter.parse::<FilteredSelection>() {
            session.enable(&wanted)?;
        }
    }
    for (event, trigger) in [
        (32, "traceoff:5 if common_pid == 3"),
        (32, "enable_event:app:request:100"),
        (33, "disable_event:app:request if COMM ~ \"s*\""),
        (33, "traceon"),
        (40, "enable_event:libc:read"),
    ] {
        session.set_trigger(event_id(event), trigger)?;
    }
    session.add_pids(PidFilter::Only, &[1, 77, 40_000, 5_000_000])?;
    session.add_pids(PidFilter::Never, &[5])
}

/// Has all triggers act as in a traced process, and changes some; asks the PID filters.
fn use_triggers(path: &Path) {
    let Ok(session) = Instance::open(path) else { return };
    let (control, buffer) = (session.control(), session.buffer());
    for id in control.event_ids().filter(|id| control.has_triggers(*id, 0)) {
        let first_word = abi::common::word(id, 0, 0, 3);
        let record = [&first_word.to_le_bytes()[..], &[7; 100]].concat();
        let due = control.due(0, &record, &Here { cpu: 1, comm: b"server\0" });
        Stage { control, buffer, instance: 0, first_word }.act_all(&due);
        black_box(session.triggers(id));
    }
    black_box(session.soft_events());
    let _ = session.set_trigger(event_id(32), "!traceoff");
    let _ = session.set_trigger(event_id(34), "traceoff:7 if common_pid == 1");
    for tid in [0, 77, 40_000, 5_000_000, u32::MAX] {
        black_box(control.ignores(0, u32::MAX, tid));
    }
    for filter in PidFilter::ALL {
        black_box(session.pids(filter));
        let _ = session.add_pids(filter, &[9, 70_000]);
    }
}

/// Evaluates all filters as a traced process does, on records of several sizes, and replaces one.
fn use_filters(path: &Path) {
    let Ok(session) = Instance::open(path) else { return };
    let control = session.control();
    for id in control.event_ids().filter(|id| control.has_filter(*id, 0)) {
        let mut record = abi::common::word(id, 0, 0, 77).to_le_bytes().to_vec();
        record.extend([16, 0, 8, 0].repeat(60));
        for len in [record.len(), 24, 9, 0] {
            black_box(control.passes(0, &record[..len], &Here { cpu: 1, comm: b"server\0" }));
        }
    }
    for event in session.events().take(3) {
        let _ = session.set_filters(&[event.id], "common_pid == 1");
    }
}

/// Goes over all events in the buffer, as a reader that consumes and as one that doesn't.
fn read_buffer(path: &Path) {
    let Ok(session) = Instance::open(path) else { return };
    let buffer = session.buffer();
    let mut page = vec![0; buffer.geometry().page_size as usize];
    for block in 0..buffer.geometry().blocks() {
        black_box(buffer.statistics(block));
        let mut position = 0;
        read_pages("reading", || {
            let taken = buffer.read(block, position, &mut page)?;
            page::read(&page[..taken.len]);
            position = taken.next_event();
            Some(())
        });
        read_pages("consuming", || {
            let taken = buffer.consume(block, &mut page)?;
            page::read(&page[..taken.len]);
            Some(())
        });
    }
    black_box(buffer.oldest_time());
}

/// Repeats `next` to the end, which has to come.
fn read_pages(what: &str, next: impl FnMut() -> Option<()>) {
    let pages = std::iter::from_fn(next).take(MOST_PAGES).count();
    assert!(pages < MOST_PAGES, "{what} does not end");
}

/// Goes over everything else that the command looks at.
fn read_tables(path: &Path) {
    let Ok(session) = Instance::open(path) else { return };
    for event in session.events() {
        black_box(Format::parse(&event.system, &event.format).is_ok());
    }
    let control = session.control();
    black_box(control.tasks().map(|task| task.name().len()).sum::<usize>());
    for process in control.processes() {
        for map in control.maps(process.entry) {
            let Some(object) = control.object(map.object) else { continue };
            let mut path = vec![0; object.path_len().min(1 << 16)];
            black_box(control.object_path(&object, &mut path));
        }
    }
}

/// Writes so many events as a traced process does, with rseq and without.
fn write(file: &Path, layout: &FileLayout, events: u64) {
    let Ok(path) = CString::new(file.as_os_str().as_bytes()) else { return };
    let Ok(segment) = shm::open(&path) else { return };
    let Some((_, rest)) = segment.split(CONTROL_SIZE) else { return };
    let Some(range) = layout.buffer(0) else { return };
    let Some((buffer, _)) = rest.split((range.end - range.start) as usize) else { return };
    let Ok(buffer) = Buffer::new(buffer) else { return };
    write_events(&Writer::new(buffer), events);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_undamaged_file_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let damaged = Damaged::new(directory.path()).unwrap();
        read_tables(&damaged.path);
        read_buffer(&damaged.path);
        let session = Instance::open(&damaged.path).unwrap();
        assert_eq!(session.control().processes().count(), 19);
        assert!(session.events().filter(|event| event.filter.is_some()).count() > 100);
        assert!((0..damaged.blocks as u32).any(|block| session.buffer().statistics(block).overrun > 0));
    }

    #[test]
    fn most_damage_is_not_seen_at_once() {
        let directory = tempfile::tempdir().unwrap();
        let damaged = Damaged::new(directory.path()).unwrap();
        let mut random = Random::new(5);
        let is_opened = |_: &usize| {
            damaged.store(&damaged.damaged(&mut random)).unwrap();
            Instance::open(&damaged.path).is_ok()
        };
        assert!((0..100).filter(is_opened).count() > 50);
    }
}
