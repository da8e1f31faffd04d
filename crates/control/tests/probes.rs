//! Words of probes, and what counts their hits.

mod common;

use abi::control::PROBE_WORDS;
use common::Temporary;
use control::{ControlArea, FileLayout};

/// Has an area use the lists and probes of its file.
fn use_probes(area: &Temporary, control: &ControlArea) {
    let file = shm::File::open(&area.path).unwrap();
    control.use_functions(file.map(FileLayout::read(&file).unwrap().functions()).unwrap());
}

fn words(control: &ControlArea) -> Vec<u64> {
    let words = control.probe_words();
    (0..).map_while(|index| words.and_then(|words| words.get(index))).collect()
}

#[test]
fn others_see_what_was_stored_last() {
    let area = Temporary::new();
    let other = area.again();
    assert!(area.file.set_probe_words(&area.path, &[1]).is_err(), "not mapped");
    for control in [&area.file, &other] {
        use_probes(&area, control);
    }
    assert_eq!((other.has_probes(), words(&other)), (false, vec![]));
    for stored in [&[1, 2, 3][..], &[4], &[]] {
        area.file.set_probe_words(&area.path, stored).unwrap();
        assert_eq!((other.has_probes(), words(&other)), (!stored.is_empty(), stored.to_vec()));
    }
    let version = other.probes_version();
    let many = vec![0; PROBE_WORDS / 8 + 1];
    assert!(area.file.set_probe_words(&area.path, &many).is_err());
    assert_eq!(other.probes_version(), version, "nothing has changed");
}

#[test]
fn hits_are_counted_by_all_threads_together() {
    let area = Temporary::new();
    use_probes(&area, &area.file);
    area.file.set_probe_words(&area.path, &[1]).unwrap();
    for tid in 1..100 {
        area.file.count_probe_hit(5, tid);
        area.file.count_probe_hit(255, tid);
    }
    area.file.count_probe_miss(5);
    let counts = |counter| (area.file.probe_hits(counter), area.file.probe_missed(counter));
    assert_eq!([4, 5, 6, 255].map(counts), [(0, 0), (99, 1), (0, 0), (99, 0)]);
    area.file.forget_probe_hits(5);
    assert_eq!([5, 255].map(counts), [(0, 0), (99, 0)]);
}
