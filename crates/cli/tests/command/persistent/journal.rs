//! What `lookback persist` copies to disk, and what `extract --from` makes of it.

use super::*;
use rustix::process::Signal;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// Opens numbered paths: as many as it is told to, or without end, and says when it has begun.
const NUMBERED: &str = r#"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int count, char **arguments) {
    long first = atol(arguments[1]), last = count > 2 ? atol(arguments[2]) : -1;
    puts("begins");
    fflush(stdout);
    for (long number = first; number != last; number++) {
        char path[32];
        snprintf(path, sizeof path, "/%ld", number);
        open(path, O_RDONLY);
        if (last < 0) usleep(20);
    }
}"#;

impl Persistent {
    pub(super) fn journal(&self) -> PathBuf {
        self.scratch.outside("journal")
    }

    pub(super) fn numbered(&self) -> String {
        compile(&self.scratch, "numbered", NUMBERED, &[]).to_str().unwrap().to_owned()
    }

    /// `lookback persist`, once it copies.
    #[track_caller]
    pub(super) fn persist(&self, options: &[&str]) -> Running {
        let mut running = start(self.task("persist", options).arg(self.journal()));
        running.wait_for_error("lookback: copies ");
        running
    }

    /// What the journal has, and what is said of it.
    #[track_caller]
    pub(super) fn journal_at(&self, journal: &Path) -> (Vec<i64>, Outcome) {
        let file = self.scratch.outside("journal.dat");
        let mut extract = self.scratch.lookback(&["extract", "--from"]);
        let said = run(extract.arg(journal).arg("-o").arg(&file)).success();
        let mut report = self.scratch.lookback(&["report"]);
        let report = run(report.arg(&file)).success().stdout;
        let events = report.lines().filter(|line| !line.ends_with(" EVENTS]"));
        let opened = opened_in(&Trace::new(&events.collect::<Vec<_>>().join("\n")));
        (opened.iter().filter_map(|path| path.strip_prefix('/')?.parse().ok()).collect(), said)
    }
}

/// How many events are missing, by what `extract` says.
pub(super) fn lost_in(said: &Outcome) -> u64 {
    let Some((before, _)) = said.stderr.split_once(" overwritten before them") else { return 0 };
    let number = before.rsplit("; ").next().and_then(|words| words.split(' ').next()).unwrap();
    number.replace(',', "").parse().unwrap()
}

#[test]
fn what_was_copied_outlives_the_session() {
    let session = Persistent::new(&["-e", "libc:open_exit", "--snapshots", "2"]);
    let numbered = session.numbered();
    let persist = session.persist(&[]);
    session.run(&[&numbered, "0", "10"]);
    session.done("snapshot", &["-s", "-q"]);
    session.run(&[&numbered, "10", "20"]);
    run(session.task("persist", &[]).arg(session.journal())).failure(125, &["another lookback persist"]);
    persist.signal(Signal::TERM);
    let ended = persist.wait().success();
    assert!(ended.stderr.contains("lookback: 20 events, "), "{ended:?}");
    session.run(&[&numbered, "20", "30"]);
    let persist = session.persist(&["--interval", "0.01"]);
    session.run(&[&numbered, "30", "40"]);
    session.done("delete", &[]);
    let ended = persist.wait().success();
    assert!(ended.stderr.contains(" copied; the session was removed\n"), "{ended:?}");
    let (numbers, said) = session.journal_at(&session.journal());
    assert_eq!(numbers, (0..40).collect::<Vec<_>>());
    assert!(said.stderr.contains("lookback: 40 events, "), "{said:?}");
    assert!(said.stderr.contains(": copied until 20"), "{said:?}");
    assert!(!said.stderr.contains("can't be read") && !said.stderr.contains("overwritten"), "{said:?}");
}

#[test]
fn damaged_files_give_what_can_be_read() {
    let session = Persistent::new(&["-e", "libc:open_exit"]);
    let numbered = session.numbered();
    let persist = session.persist(&["--interval", "0.01"]);
    for first in [0, 100, 200] {
        session.run(&[&numbered, &first.to_string(), &(first + 100).to_string()]);
        std::thread::sleep(Duration::from_millis(150));
    }
    persist.signal(Signal::TERM);
    persist.wait().success();
    let run_directory = fs::read_dir(session.journal()).unwrap().next().unwrap().unwrap().path();
    let file = run_directory.join("00000001.journal");
    let mut bytes = fs::read(&file).unwrap();
    let text = b"/150\0";
    let at = bytes.windows(text.len()).position(|bytes| bytes == text).unwrap();
    bytes[at] ^= 1;
    fs::write(&file, &bytes).unwrap();
    let (numbers, said) = session.journal_at(&run_directory);
    assert!(numbers.contains(&0) && numbers.contains(&299) && !numbers.contains(&150), "{numbers:?}");
    assert!(said.stderr.contains("1 place of it can't be read, "), "{said:?}");
    assert!(said.stderr.contains("1 entry is missing: the events in there are counted as lost"), "{said:?}");
    let lost = format!("; {} were overwritten before them", 300 - numbers.len());
    assert!(said.stderr.contains(&lost), "{said:?}");
    fs::write(&file, &bytes[..40]).unwrap();
    let mut extract = session.scratch.lookback(&["extract", "-o", "x.dat", "--from"]);
    extract.arg(session.journal());
    run(&mut extract).failure(125, &["nothing can be read"]);
    fs::remove_file(&file).unwrap();
    let expected = "has no journal: expected a directory that `lookback persist` writes to";
    run(&mut extract).failure(125, &[expected]);
}

/// Runs a script on a small disk of its own, where the journal is, and copies that to where it is read.
fn on_a_small_disk(session: &Persistent, size: &str, script: &str) -> Option<Outcome> {
    let place = session.scratch.outside("small");
    let script = format!(
        "cd {}; persist() {{
            $LOOKBACK persist --session $SESSION --size 1024 --interval 0.05 journal 2>said & persist=$!
            until grep -q copies said; do sleep 0.02; done
        }}
        numbered() {{ $LOOKBACK run --session $SESSION -- $NUMBERED $1 $2 >/dev/null; sleep 0.3; }}
        ends() {{ kill $persist; wait $persist || exit 3; cat said; cp -r journal $JOURNAL; }}
        {script}",
        place.display()
    );
    let options = format!("size={size}");
    let mut command = with_mount(&session.scratch, place.to_str().unwrap(), &options, &script)?;
    command.env("SESSION", &session.path).env("NUMBERED", session.numbered());
    Some(run(command.env("JOURNAL", session.journal())).success())
}

/// What exceeds the disk costs the oldest events.
#[test]
fn a_full_disk_costs_the_oldest() {
    let session = Persistent::of_size("4096", &["-e", "libc:open_exit"]);
    let script =
        "persist; for part in 0 1 2 3 4 5 6 7; do numbered ${part}0000 $((part + 1))0000; done; ends";
    let Some(outcome) = on_a_small_disk(&session, "4m", script) else { return };
    assert!(!outcome.stdout.contains("lost"), "{outcome:?}");
    let (numbers, said) = session.journal_at(&session.journal());
    let first = numbers[0];
    assert!(first > 0 && first < 80_000, "{first}");
    assert_eq!(numbers, (first..80_000).collect::<Vec<_>>(), "{said:?} {outcome:?}");
    let dropped = format!("; {},{:03} were overwritten before them", first / 1000, first % 1000);
    assert!(said.stderr.contains(&dropped), "{said:?} {outcome:?}");
}

/// Where others have filled the disk, it is said, and copying goes on once there is space.
#[test]
fn a_disk_that_others_have_filled_is_waited_for() {
    let session = Persistent::of_size("4096", &["-e", "libc:open_exit"]);
    let script = "persist; numbered 0 100; head -c 9M /dev/zero >filler 2>/dev/null; numbered 100 10000
        until grep -q 'No space left on device.*: tries again' said; do sleep 0.02; done
        rm filler; numbered 10000 10100; ends";
    let Some(outcome) = on_a_small_disk(&session, "8m", script) else { return };
    assert!(!outcome.stdout.contains("lost"), "{outcome:?}");
    assert_eq!(outcome.stdout.matches("tries again").count(), 1, "{outcome:?}");
    let (numbers, said) = session.journal_at(&session.journal());
    assert_eq!(numbers, (0..10_100).collect::<Vec<_>>(), "{said:?}");
}

#[test]
fn several_sessions_have_journals_in_one_directory() {
    let session = Persistent::new(&["-e", "libc:open_exit"]);
    let numbered = session.numbered();
    for round in 0..2 {
        session.run(&[&numbered, "0", &(round + 1).to_string()]);
        let persist = session.persist(&[]);
        persist.signal(Signal::TERM);
        persist.wait().success();
        session.done("delete", &["-q"]);
        session.done("start", &["-q", "-e", "libc:open_exit"]);
    }
    let (numbers, said) = session.journal_at(&session.journal());
    assert_eq!(numbers, [0, 1], "the last one");
    let other = said.stderr.lines().find_map(|line| line.strip_prefix("  there is also --from ")).unwrap();
    assert_eq!(session.journal_at(other.as_ref()).0, [0]);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let session = Persistent::new(&["-e", "libc:open_exit"]);
    for (options, expected) in [
        (&["--interval", "0"][..], "expected seconds from 0.01 to 3600"),
        (&["--size", "1"], "1 is not in 16.."),
        (&["-B", "none"], "none"),
    ] {
        run(&mut session.task("persist", &[options, &["journal"]].concat())).failure(125, &[expected]);
    }
    run(&mut session.task("persist", &["/dev/null"])).failure(125, &["/dev/null"]);
    run(&mut session.task("extract", &["--from", "x"])).failure(125, &["cannot be used with"]);
    let mut none = session.scratch.lookback(&["persist", "--session", "none", "journal"]);
    run(&mut none).failure(125, &["no session at"]);
}
