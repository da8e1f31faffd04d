//! `lookback persist`, killed at any moment while events come, and with the disk full in between.
//!
//! It is killed 25 times, or as often as `LOOKBACK_PERSIST_KILLS` says.

use super::journal::lost_in;
use super::*;
use rustix::process::Signal;
use std::fs::{self, File};
use std::io::Write;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A number below `end` that nobody knows before.
fn any_below(end: u64) -> u64 {
    u64::from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().subsec_nanos()) / 7 % end
}

/// With space for all.
const OPTIONS: &[&str] = &["--interval", "0.01", "--size", "8192"];

/// A session in which a program opens numbered paths, until it is killed.
struct Numbered {
    session: Persistent,
    running: Running,
}

impl Numbered {
    fn new() -> Numbered {
        let session = Persistent::of_size("8192", &["-e", "libc:open_exit"]);
        let mut running = start(&mut session.running(&[&session.numbered(), "0"]));
        running.wait_for("begins");
        Numbered { session, running }
    }

    /// Copies for a while, and is killed: now and then before it has begun.
    fn copy_and_kill(&self) {
        let mut persist = start(self.session.task("persist", OPTIONS).arg(self.session.journal()));
        if any_below(4) > 0 {
            persist.wait_for_error("lookback: copies ");
        }
        std::thread::sleep(Duration::from_micros(any_below(40_000)));
        persist.signal(Signal::KILL);
        assert_eq!(persist.wait().signal(), Some(9), "it was copying");
    }

    /// Ends the program, copies what is left, and checks that each event is there once, or counted as lost:
    /// what is killed too often is too slow.
    #[track_caller]
    fn ends(self) {
        let Numbered { session, running } = self;
        running.signal(Signal::KILL);
        running.wait();
        let persist = session.persist(OPTIONS);
        persist.signal(Signal::INT);
        persist.wait().success();
        // What the buffer has lost meanwhile, the journal has.
        let shown = session.done("show", &[]).stdout;
        let is_event = |line: &&str| !line.contains(" [LOST ");
        let events = shown.lines().filter(is_event).collect::<Vec<_>>().join("\n");
        let live = opened_in(&Trace::new(&events));
        let live: Vec<i64> = live.iter().filter_map(|path| path.strip_prefix('/')?.parse().ok()).collect();
        let (numbers, said) = session.journal_at(&session.journal());
        assert!(numbers.is_sorted_by(|one, next| one < next), "each once: {said:?}");
        assert_eq!(numbers.last(), live.last(), "up to the last event of the killed program");
        let (all, lost) = (numbers.last().unwrap() + 1, lost_in(&said));
        println!("{all} events, {lost} of them lost");
        assert_eq!(all - numbers.len() as i64, lost as i64, "each is there or counted: {said:?}");
    }
}

/// What the disk has got is there, whoever is gone.
#[track_caller]
fn has_all_until_its_last_commit(numbered: &Numbered) {
    let session = &numbered.session;
    let (numbers, said) = session.journal_at(&session.journal());
    assert!(numbers.is_sorted_by(|one, next| one < next), "{said:?}");
    // What it was killed in the middle of may have events of one CPU and not of another.
    let first_missing = numbers.iter().zip(0..).take_while(|(found, number)| *found == number).count();
    // On a slow machine it may have been killed each time before it could commit.
    let Some((_, until)) = said.stderr.split_once(": copied until ") else { return };
    let until = until.lines().next().unwrap();
    let shown = session.done("show", &["--wall-clock"]).stdout;
    let missing = format!("pathname=\"/{first_missing}\"");
    let Some(line) = shown.lines().find(|line| line.contains(&missing)) else { return };
    let date = line.split_whitespace().find(|word| word.starts_with("20") && word.contains('T'));
    assert!(date.expect("a date") >= until, "{line} was there before {until}");
}

/// Whenever it is killed, each event is there once in the end.
#[test]
fn a_killed_copy_goes_on_where_it_was() {
    let numbered = Numbered::new();
    for _ in 0..times("LOOKBACK_PERSIST_KILLS", 25) {
        numbered.copy_and_kill();
    }
    has_all_until_its_last_commit(&numbered);
    numbered.ends();
}

/// On a small disk, which others fill and leave, what is dropped for that is counted.
#[test]
fn a_killed_copy_goes_on_after_the_disk_was_full() {
    let numbered = Numbered::new();
    let session = &numbered.session;
    let place = session.scratch.outside("small");
    let script = "echo mounted; exec sleep 100000";
    let Some(mut mount) = with_mount(&session.scratch, place.to_str().unwrap(), "size=24m", script) else {
        return;
    };
    let mut disk = start(&mut mount);
    disk.wait_for("mounted");
    // As who has mounted it sees it.
    let seen = PathBuf::from(format!("/proc/{}/root{}", disk.pid(), place.display()));
    fs::create_dir(seen.join("journal")).unwrap();
    std::os::unix::fs::symlink(seen.join("journal"), session.journal()).unwrap();
    let filler = seen.join("filler");
    let fill = || {
        while File::options()
            .append(true)
            .create(true)
            .open(&filler)
            .unwrap()
            .write_all(&[1; 1 << 16])
            .is_ok()
        {}
    };
    for round in 0..times("LOOKBACK_PERSIST_KILLS", 25) {
        match any_below(4) {
            0 => fill(),
            1 | 2 => drop(fs::remove_file(&filler)),
            _ => {}
        }
        numbered.copy_and_kill();
        if round % 10 == 9 {
            // It drops what it has first.
            let persist = session.persist(OPTIONS);
            persist.wait_until(|| {
                fill();
                persist.said().contains(": tries again")
            });
            persist.signal(Signal::KILL);
            persist.wait();
        }
    }
    let _ = fs::remove_file(&filler);
    numbered.ends();
}
