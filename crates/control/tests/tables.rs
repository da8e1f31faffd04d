//! The tables of a session: entries are used again when nobody needs them, full ones refuse and count, and
//! many who enter the same at once agree.

use abi::clock::TraceClock;
use abi::control::{FILE_SIZE, PROCESS_MAPS, Table};
use control::{Clocks, ControlFile, Identity, Map, NewObject, NewProcess, NewTask};
use std::ffi::CString;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// A control file of its own, which is gone when the test ends.
struct Temporary {
    path: CString,
    file: ControlFile,
}

impl Temporary {
    fn new() -> Temporary {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Relaxed);
        let path = format!("/dev/shm/lookback-control-{}-{number}", std::process::id());
        let path = CString::new(path).unwrap();
        let segment = shm::create(&path, FILE_SIZE).unwrap();
        let identity = Identity {
            number: 7,
            agent: 1,
            creator: 2,
            pid_namespace: 3,
            created: Clocks::default(),
            trace_clock: TraceClock::Mono,
        };
        Temporary { path, file: ControlFile::create(segment, &identity).unwrap() }
    }

    /// Another mapping of the same file, as another process has it.
    fn again(&self) -> ControlFile {
        ControlFile::new(shm::open(&self.path).unwrap()).unwrap()
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(self.path.to_str().unwrap());
    }
}

fn process(pid: u32, time: u64) -> NewProcess {
    NewProcess { pid, parent: 1, pid_namespace: 3, comm: *b"program\0\0\0\0\0\0\0\0\0", time }
}

fn task(tid: u32, time: u64) -> NewTask {
    NewTask { tid, tgid: 1, process: None, comm: [0; 16], time }
}

/// Enters threads until one is refused; how many there was room for. `tid` is only one: all of them look for
/// room in the same part of the table.
fn fill(file: &ControlFile, tid: u32) -> usize {
    let add = |time| file.add_task(&task(tid, time), || 0);
    (1..).take_while(|time| add(*time).is_some()).count()
}

#[test]
fn a_full_table_refuses_and_counts() {
    let temporary = Temporary::new();
    let room = fill(&temporary.file, 4711);
    assert!(room > 1);
    assert_eq!(temporary.file.refused(Table::Tasks), 1);
    assert_eq!(temporary.file.refused(Table::Processes), 0);
    assert!(temporary.file.add_task(&task(4711, 9999), || 0).is_none());
    assert_eq!(temporary.file.refused(Table::Tasks), 2);
}

#[test]
fn an_entry_is_used_again_when_no_event_is_as_old() {
    let temporary = Temporary::new();
    let file = &temporary.file;
    let room = fill(file, 4711) as u64;
    // Each was ended by the next: the first at time 2, the last not at all.
    assert!(file.add_task(&task(4711, room + 1), || 2).is_none(), "an event of time 2 is still there");
    assert!(file.add_task(&task(4711, room + 1), || 3).is_some());
    assert_eq!(file.tasks().filter(|task| task.start_time == 1).count(), 0, "the oldest is gone");
    assert_eq!(file.tasks().count() as u64, room);
}

#[test]
fn an_entry_is_kept_for_who_collects() {
    let temporary = Temporary::new();
    let file = &temporary.file;
    file.set_collected(0);
    let room = fill(file, 4711) as u64;
    assert!(file.add_task(&task(4711, room + 1), || u64::MAX).is_none(), "nobody has seen the ends");
    file.set_collected(room);
    assert!(file.add_task(&task(4711, room + 1), || u64::MAX).is_some());
}

#[test]
fn a_program_that_executes_another_ends() {
    let temporary = Temporary::new();
    let file = &temporary.file;
    let first = file.add_process(&process(10, 100), || 0).unwrap();
    let second = file.add_process(&process(10, 200), || 0).unwrap();
    assert_ne!(first, second);
    assert_eq!(file.process(first).unwrap().end_time, 200);
    assert_eq!(file.find_process(10).unwrap().entry, second);
    assert!(file.end_process(second, 300), "the first to know");
    assert!(!file.end_process(second, 301), "the second");
    assert_eq!(file.process(second).unwrap().end_time, 300);
    assert!(file.find_process(10).is_none() && file.knows_process(10));
}

#[test]
fn processes_can_have_many_objects_and_give_their_room_back() {
    let temporary = Temporary::new();
    let file = &temporary.file;
    for round in 0..3000 {
        let entry = file.add_process(&process(10, round + 1), || u64::MAX).unwrap();
        assert_eq!(file.maps(entry).count(), 0);
        let maps: Vec<Map> =
            (0..PROCESS_MAPS as u64 + 40).map(|index| Map { base: index << 12, object: 5 }).collect();
        maps.iter().chain(&maps).for_each(|map| file.add_map(entry, *map));
        assert_eq!(file.maps(entry).collect::<Vec<_>>(), maps, "each once, in order");
    }
    assert_eq!(file.refused(Table::Objects), 0);
}

#[test]
fn the_same_file_has_one_entry() {
    let temporary = Temporary::new();
    let file = &temporary.file;
    let object = NewObject { path: b"/lib/a", build_id: &[1; 20], low: 0, high: 4096 };
    let entry = file.add_object(&object).unwrap();
    assert_eq!(file.add_object(&NewObject { path: b"/other/a", ..object }), Some(entry));
    assert_ne!(file.add_object(&NewObject { build_id: &[], ..object }), Some(entry));
    assert_eq!(file.find_object(&[1; 20]), Some(entry));
    assert_eq!(file.find_object(&[2; 20]), None);
    let info = file.object(entry).unwrap();
    let mut buffer = vec![0; info.path_len()];
    assert_eq!(file.object_path(&info, &mut buffer), Some(&b"/lib/a"[..]));
}

#[test]
fn who_enters_the_same_event_at_once_gets_the_same_id() {
    let temporary = Temporary::new();
    let files: Vec<ControlFile> = (0..4).map(|_| temporary.again()).collect();
    let add_all = |file: &ControlFile| -> Vec<u16> {
        (0..200).map(|number| file.add_event("app", &format!("event{number}"), "format").unwrap()).collect()
    };
    let found: Vec<Vec<u16>> = std::thread::scope(|scope| {
        let threads: Vec<_> = files.iter().map(|file| scope.spawn(|| add_all(file))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(found.windows(2).all(|pair| pair[0] == pair[1]));
    assert_eq!(temporary.file.event_ids().count(), 200);
    assert_ne!(temporary.file.add_event("app", "event1", "another format"), Some(found[0][1]));
}

#[test]
fn the_heap_is_bounded() {
    let temporary = Temporary::new();
    let text = "x".repeat(8000);
    let added =
        (0..).take_while(|number| temporary.file.add_event("app", &format!("{number}"), &text).is_some());
    let added = added.count();
    assert!((100..200).contains(&added), "{added} events of 8000 bytes in 1 MiB");
    assert_eq!(temporary.file.refused(Table::Events), 1);
}
