//! The tables of a session: entries are used again when nobody needs them, full ones refuse and count, and
//! many who enter the same at once agree.

mod common;

use abi::control::{PROCESS_MAPS, Table};
use common::Temporary;
use control::{ControlArea, Map, NewObject, NewProcess, NewTask};

fn process(pid: u32, time: u64) -> NewProcess {
    NewProcess {
        pid,
        parent: 1,
        pid_namespace: 3,
        comm: *b"program\0\0\0\0\0\0\0\0\0",
        time,
        ..NewProcess::default()
    }
}

fn task(tid: u32, time: u64) -> NewTask {
    NewTask { tid, tgid: 1, process: None, comm: [0; 16], time }
}

/// Enters one thread so often that the part of the table where it can be is full: each ends the one before.
/// How many there was space for; they start at time 1, 2, ...
fn fill(file: &ControlArea) -> u64 {
    const WINDOW: u64 = 64;
    for time in 1..=WINDOW {
        file.add_task(&task(4711, time)).unwrap();
    }
    WINDOW
}

fn starts(file: &ControlArea) -> Vec<u64> {
    let mut starts: Vec<u64> = file.tasks().map(|task| task.start_time).collect();
    starts.sort_unstable();
    starts
}

#[test]
fn a_table_of_the_living_refuses_and_counts() {
    let temporary = Temporary::new();
    let file = &temporary.file;
    // All who look for space in the same place, and none of whom ends.
    let same_place = |tid: &u32| file.find_task(*tid).is_none();
    let mut refused = 0;
    for tid in (1..1 << 22).filter(same_place).take(20_000) {
        refused += u64::from(file.add_task(&task(tid, 1)).is_none());
    }
    assert!(refused > 0, "16384 fit");
    assert_eq!(file.refused(Table::Tasks), refused);
    assert_eq!(file.refused(Table::Processes), 0);
}

#[test]
fn a_full_table_drops_what_ended_first() {
    let temporary = Temporary::new();
    let file = &temporary.file;
    let space = fill(file);
    assert_eq!(starts(file), (1..=space).collect::<Vec<_>>());
    file.add_task(&task(4711, space + 1)).unwrap();
    assert_eq!(starts(file), (2..=space + 1).collect::<Vec<_>>());
    assert_eq!(file.refused(Table::Tasks), 0, "nobody needed it");
}

#[test]
fn programs_of_a_process_find_space_in_all_of_the_table() {
    const SPACE: u64 = abi::control::PROCESSES as u64;
    let temporary = Temporary::new();
    let file = &temporary.file;
    file.set_collected(0);
    file.add_process(&process(815, 1)).unwrap();
    for time in 2..=SPACE {
        file.add_process(&process(4711, time)).unwrap();
    }
    assert_eq!(file.processes().count() as u64, SPACE);
    assert_eq!(file.find_process(4711).unwrap().start_time, SPACE, "the last alone has not ended");
    assert!(file.knows_process(815) && !file.knows_process(816));
    assert_eq!(file.find_process(815).unwrap().start_time, 1);
    assert_eq!(file.refused(Table::Processes), 0);
    file.add_process(&process(4711, SPACE + 1)).unwrap();
    assert_eq!(file.refused(Table::Processes), 1, "nobody has seen the end of any");
    file.set_collected(SPACE);
    file.add_process(&process(4711, SPACE + 2)).unwrap();
    assert_eq!(file.refused(Table::Processes), 1);
    assert_eq!(file.find_process(4711).unwrap().start_time, SPACE + 2);
}

#[test]
fn what_a_reader_has_not_seen_is_counted() {
    let temporary = Temporary::new();
    let file = &temporary.file;
    file.set_collected(0);
    let space = fill(file);
    file.add_task(&task(4711, space + 1)).unwrap();
    assert_eq!(file.refused(Table::Tasks), 1, "nobody has seen the end of the first");
    file.set_collected(space + 1);
    file.add_task(&task(4711, space + 2)).unwrap();
    assert_eq!(file.refused(Table::Tasks), 1);
}

#[test]
fn what_a_snapshot_refers_to_goes_last() {
    let temporary = Temporary::new();
    let file = &temporary.file;
    let space = fill(file);
    // Each was ended by the next. The events in the snapshot are of times 2 to 5.
    file.keep_since(3);
    file.keep_until(5);
    file.add_task(&task(4711, space + 1)).unwrap();
    assert!(!starts(file).contains(&1), "that ended at 2");
    file.add_task(&task(4711, space + 2)).unwrap();
    assert_eq!(starts(file)[..5], [2, 3, 4, 5, 7], "2 ended at 3, 5 started at 5, and 6 is not in it");
    for time in space + 3..2 * space + 8 {
        file.add_task(&task(4711, time)).unwrap();
    }
    assert_eq!(starts(file)[..4], [2, 3, 4, 5]);
    assert_eq!(file.refused(Table::Tasks), 0);
    file.keep_since(1);
    file.add_task(&task(4711, 2 * space + 8)).unwrap();
    assert_eq!(file.refused(Table::Tasks), 1, "while one is taken all that may be in it are needed");
    assert_eq!(starts(file)[0], 3);
}

#[test]
fn a_program_that_executes_another_ends() {
    let temporary = Temporary::new();
    let file = &temporary.file;
    let first = file.add_process(&process(10, 100)).unwrap();
    let second = file.add_process(&process(10, 200)).unwrap();
    assert_ne!(first, second);
    assert_eq!(file.process(first).unwrap().end_time, 200);
    assert_eq!(file.find_process(10).unwrap().entry, second);
    assert!(file.end_process(second, 300), "the first to know");
    assert!(!file.end_process(second, 301), "the second");
    assert_eq!(file.process(second).unwrap().end_time, 300);
    assert!(file.find_process(10).is_none() && file.knows_process(10));
}

#[test]
fn who_has_the_same_number_in_another_namespace_lives_on() {
    let temporary = Temporary::new();
    let file = &temporary.file;
    let in_namespace = |pid_namespace, time| NewProcess { pid_namespace, ..process(7, time) };
    let entries = [(3, 1), (4, 2), (0, 3)].map(|(namespace, time)| {
        let entry = file.add_process(&in_namespace(namespace, time)).unwrap();
        file.add_task(&NewTask { process: Some(entry), tgid: 7, ..task(8, time) }).unwrap();
        entry
    });
    assert!(entries.iter().all(|entry| file.process(*entry).unwrap().end_time == 0));
    assert_eq!(file.tasks().filter(|task| task.end_time == 0).count(), 6);
    let found = [3, 4, 0, 5].map(|namespace| file.find_process_in(7, namespace).map(|found| found.entry));
    assert_eq!(found, [Some(entries[0]), Some(entries[1]), Some(entries[2]), None]);
    for entry in entries {
        let thread = file.find_task_entry(8, Some(entry)).unwrap();
        assert_eq!(file.task(thread).unwrap().process, Some(entry));
    }
    // What is of the same namespace was killed; where none is known, in doubt not.
    let ended = || entries.map(|entry| file.process(entry).unwrap().end_time);
    file.add_process(&in_namespace(4, 10)).unwrap();
    file.add_process(&in_namespace(0, 11)).unwrap();
    assert_eq!(ended(), [0, 10, 0]);
    // But whoever is about to execute a program is what executes it.
    assert_eq!(file.find_executing(7, 3).map(|found| found.entry), None);
    file.set_executing(entries[0], [0; 16], None);
    assert_eq!(file.find_executing(7, 5).map(|found| found.entry), None);
    assert_eq!(file.find_executing(7, 0).map(|found| found.entry), Some(entries[0]));
    file.add_process(&in_namespace(0, 12)).unwrap();
    assert_eq!(ended(), [12, 10, 0]);
}

#[test]
fn threads_end_with_their_process() {
    let temporary = Temporary::new();
    let file = &temporary.file;
    let [killed, other] = [1, 2].map(|pid| file.add_process(&process(pid, 1)).unwrap());
    let thread = |tid, tgid, process| NewTask { tgid, process: Some(process), ..task(tid, 2) };
    for (tid, tgid, process) in [(11, 1, killed), (12, 1, killed), (21, 2, other), (31, 3, other)] {
        file.add_task(&thread(tid, tgid, process)).unwrap();
    }
    file.add_task(&task(41, 2)).unwrap();
    file.end_tasks_of_ended(8);
    let ended = || {
        let mut ended: Vec<_> = file.tasks().filter(|task| task.end_time != 0).map(|task| task.tid).collect();
        ended.sort_unstable();
        ended
    };
    assert_eq!(ended(), [31], "the entry of its process is another's");
    file.end_process(killed, 9);
    file.end_tasks_of_ended(9);
    assert_eq!(ended(), [1, 11, 12, 31]);
}

#[test]
fn processes_can_have_many_objects_and_give_their_space_back() {
    let temporary = Temporary::new();
    let file = &temporary.file;
    for round in 0..3000 {
        let entry = file.add_process(&process(10, round + 1)).unwrap();
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
    let files: Vec<ControlArea> = (0..4).map(|_| temporary.again()).collect();
    let add_all = |file: &ControlArea| -> Vec<u16> {
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
    assert!((60..66).contains(&added), "{added} events of 8000 bytes in 512 KiB");
    assert_eq!(temporary.file.refused(Table::Events), 1);
}
