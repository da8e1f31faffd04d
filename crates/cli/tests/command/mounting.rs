//! `lookback mount` and `umount`: the control tree as files.

use crate::common::*;
use rustix::process::Signal;
use session::{Options, Session};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// A scratch directory with a session, on which commands work.
struct Place {
    scratch: Scratch,
}

impl Place {
    fn new() -> Place {
        let scratch = Scratch::new();
        let options = Options { buffer_kb: 256, snapshots: 1, instances: 2, ..Options::default() };
        Session::create(&scratch.path("session"), &options).unwrap();
        Place { scratch }
    }

    fn lookback(&self, arguments: &[&str]) -> Command {
        let mut command = self.scratch.lookback(arguments);
        command.env("LOOKBACK_SESSION", self.scratch.path("session"));
        command
    }

    fn directory(&self, name: &str) -> PathBuf {
        let path = self.scratch.path(name);
        fs::create_dir(&path).unwrap();
        path
    }

    fn mount(&self, directory: &Path) -> Outcome {
        run(&mut self.lookback(&["mount", directory.to_str().unwrap()]))
    }

    fn umount(&self, directory: &Path) -> Outcome {
        run(&mut self.lookback(&["umount", directory.to_str().unwrap()]))
    }
}

/// The processes that serve this directory.
fn servers(directory: &Path) -> usize {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let is_server = |path: PathBuf| {
        let arguments = fs::read(path.join("cmdline")).unwrap_or_default();
        let mut arguments = arguments.split(|byte| *byte == 0);
        arguments.any(|argument| argument == b"--background")
            && arguments.any(|argument| argument == directory.as_os_str().as_encoded_bytes())
    };
    entries.filter(|entry| is_server(entry.path())).count()
}

/// Waits until nobody serves these directories.
fn wait_for_end(directories: &[&Path]) {
    let start = Instant::now();
    while directories.iter().any(|directory| servers(directory) > 0) {
        assert!(start.elapsed() < Duration::from_secs(10), "a server is left");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_session_is_mounted_in_the_background_and_unmounted() {
    let place = Place::new();
    let (one, two) = (place.directory("one"), place.directory("two"));
    let said = place.mount(&one).success().stdout;
    assert!(said.ends_with(&format!("session is mounted on {}\n", one.display())), "{said}");
    place.mount(&two).success();
    fs::write(one.join("set_event"), "libc:open").unwrap();
    assert_eq!(fs::read_to_string(two.join("set_event")).unwrap(), "libc:open\n");
    run(&mut place.lookback(&["set", "trace_marker", "from the command"])).success();
    assert!(fs::read_to_string(one.join("trace")).unwrap().ends_with(": from the command\n"));
    let open = fs::File::open(one.join("trace")).unwrap();
    place.umount(&one).failure(125, &["is open"]);
    drop(open);
    place.umount(&one).success();
    place.umount(&one).failure(125, &["no session is mounted here"]);
    place.umount(&two).success();
    wait_for_end(&[&one, &two]);
    assert!(!one.join("trace").exists());
}

#[test]
fn what_cannot_be_mounted_is_told() {
    let place = Place::new();
    let nowhere = place.scratch.path("nowhere");
    place.mount(&nowhere).failure(125, &["nowhere: No such file"]);
    let file = place.scratch.write("file", "");
    place.mount(&file).failure(125, &["expected a directory"]);
    let directory = place.directory("here");
    run(place.lookback(&["mount"]).arg(&directory).env("LOOKBACK_SESSION", nowhere))
        .failure(125, &["lookback start"]);
    run(&mut place.lookback(&["mount", "-o", "uid=1", "here"])).failure(125, &["expected gid=NUMBER"]);
}

#[test]
fn in_the_foreground_it_ends_with_a_signal_or_with_the_mount() {
    let place = Place::new();
    let directory = place.directory("here");
    for signal in [Some(Signal::INT), Some(Signal::TERM), None] {
        let server = start(place.lookback(&["mount", "-f"]).arg(&directory));
        server.wait_until(|| directory.join("trace").exists());
        match signal {
            Some(signal) => server.signal(signal),
            None => drop(place.umount(&directory).success()),
        }
        server.wait().success();
        assert!(!directory.join("trace").exists());
    }
}

#[test]
fn a_server_that_was_killed_leaves_a_mount_that_can_be_taken_away() {
    let place = Place::new();
    let directory = place.directory("here");
    let server = start(place.lookback(&["mount", "-f"]).arg(&directory));
    server.wait_until(|| directory.join("trace").exists());
    let reader = start(Command::new("cat").arg(directory.join("trace_pipe")));
    reader.wait_until(|| {
        // In read(2) of the file.
        let call = fs::read_to_string(format!("/proc/{}/syscall", reader.pid())).unwrap_or_default();
        call.starts_with("0 0x3 ")
    });
    server.signal(Signal::KILL);
    server.wait();
    assert_eq!(reader.wait().code(), Some(1), "who waits is told");
    assert!(fs::read_to_string(directory.join("tracing_on")).is_err());
    place.umount(&directory).success();
    place.mount(&directory).success();
    assert_eq!(fs::read_to_string(directory.join("tracing_on")).unwrap(), "1\n");
    place.umount(&directory).success();
}

/// A control write never waits for who makes it, nor does anything that serves show up among the events.
#[test]
fn a_traced_shell_works_on_its_own_session() {
    let place = Place::new();
    let directory = place.directory("here");
    // From a traced shell: neither the command nor the server is traced.
    let script = format!(
        "{LOOKBACK} mount here && echo libc:open > here/set_event && cat here/tracing_on && ls here > /dev/null
         for n in 1 2 3 4 5; do echo 0 > here/tracing_on; echo 1 > here/tracing_on; done
         echo done > here/trace_marker; {LOOKBACK} umount here"
    );
    let said = run(&mut place.lookback(&["run", "-q", "--", "sh", "-c", &script])).success().stdout;
    assert!(said.ends_with("1\n"), "{said}");
    let text = run(&mut place.lookback(&["get", "trace"])).success().stdout;
    assert!(text.contains(" cat-") && text.contains(": done\n"), "{text}");
    assert!(!text.lines().any(|line| line.trim_start().starts_with("lookback-")), "{text}");
    wait_for_end(&[&directory]);
}
