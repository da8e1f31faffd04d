//! `lookback mount` and `umount`: the control tree as files.

use crate::common::*;
use rustix::process::Signal;
use session::{Session, SessionOptions};
use std::fs;
use std::os::unix::fs::FileExt;
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
        let options =
            SessionOptions { buffer_kb: 256, snapshots: 1, instances: 2, ..SessionOptions::default() };
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

/// Whether it is in read(2) of the first file that it has opened.
fn is_reading(pid: u32) -> bool {
    let call = fs::read_to_string(format!("/proc/{pid}/syscall")).unwrap_or_default();
    call.starts_with("0 0x3 ")
}

/// Waits until nobody serves these directories.
fn wait_for_end(directories: &[&Path]) {
    let start = Instant::now();
    while directories.iter().any(|directory| servers(directory) > 0) {
        assert!(start.elapsed() < Duration::from_secs(60), "a server is left");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_session_is_found_by_a_path_that_starts_here() {
    let place = Place::new();
    let mounted = place.directory("mounted");
    let mut mount = place.lookback(&["mount", "--session", "./session", "./mounted"]);
    run(mount.current_dir(mounted.parent().unwrap())).success();
    assert_eq!(fs::read_to_string(mounted.join("tracing_on")).unwrap(), "1\n");
    place.umount(&mounted).success();
    wait_for_end(&[&mounted]);
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
    place.mount(&nowhere).failure(125, &["nowhere: No such file", "expected a directory"]);
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
    reader.wait_until(|| is_reading(reader.pid()));
    server.signal(Signal::KILL);
    server.wait();
    assert_eq!(reader.wait().code(), Some(1), "who waits is told");
    assert!(fs::read_to_string(directory.join("tracing_on")).is_err());
    place.umount(&directory).success();
    place.mount(&directory).success();
    assert_eq!(fs::read_to_string(directory.join("tracing_on")).unwrap(), "1\n");
    place.umount(&directory).success();
}

/// A control write never waits for one who makes it, nor does anything that serves show up among the events.
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

/// A server that is held up, as on a machine that sleeps, holds up who asks it; who asks can be killed.
#[test]
fn who_waits_for_a_stopped_server_can_be_killed() {
    let place = Place::new();
    let directory = place.directory("here");
    let server = start(place.lookback(&["mount", "-f"]).arg(&directory));
    server.wait_until(|| directory.join("trace").exists());
    let cat = |path: &str| start(place.scratch.command("cat").arg(directory.join(path)));
    let waiting = cat("trace_pipe");
    waiting.wait_until(|| is_reading(waiting.pid()));
    // It looks for events now and then, and asks for nothing that it doesn't answer at once.
    server.signal(Signal::STOP);
    let (killed, patient) = (cat("tracing_on"), cat("buffer_percent"));
    std::thread::sleep(Duration::from_secs(2));
    let start = Instant::now();
    killed.signal(Signal::KILL);
    assert_eq!(killed.wait().signal(), Some(9));
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    // A read that the server has taken ends when it goes on.
    waiting.signal(Signal::KILL);
    server.signal(Signal::CONT);
    assert_eq!(waiting.wait().signal(), Some(9));
    assert_eq!(patient.wait().success().stdout, "50\n");
    assert_eq!(cat("tracing_on").wait().success().stdout, "1\n");
    place.umount(&directory).success();
    server.wait().success();
}

/// A session that is deleted can't be changed any more; another of its name is another.
#[test]
fn a_session_can_be_deleted_while_it_is_mounted() {
    let place = Place::new();
    let directory = place.directory("here");
    place.mount(&directory).success();
    let reader = fs::File::open(directory.join("trace_pipe")).unwrap();
    run(&mut place.lookback(&["delete"])).failure(125, &["another lookback"]);
    drop(reader);
    // The server may still be closing it.
    let start = Instant::now();
    while run(&mut place.lookback(&["delete"])).code() != Some(0) {
        assert!(start.elapsed() < Duration::from_secs(10));
    }
    run(&mut place.lookback(&["start", "-q", "-b", "64", "-e", "libc:close"])).success();
    for (path, value) in [("set_event", "libc:open"), ("buffer_percent", "7"), ("trace_clock", "boot")] {
        assert!(fs::write(directory.join(path), value).is_err(), "{path}");
    }
    assert!(fs::create_dir(directory.join("instances/one")).is_err());
    assert!(fs::read_to_string(directory.join("trace")).unwrap().starts_with("# tracer: nop\n"));
    for (path, value) in [("set_event", "libc:close\n"), ("buffer_percent", "50\n")] {
        assert_eq!(run(&mut place.lookback(&["get", path])).success().stdout, value);
    }
    place.umount(&directory).success();
    run(&mut place.lookback(&["delete"])).success();
}

/// Whatever is written into the session's memory while it is served, everybody is answered.
#[test]
fn a_session_can_be_damaged_while_it_is_mounted() {
    let place = Place::new();
    let directory = place.directory("here");
    let file = fs::File::options().write(true).open(place.scratch.path("session/session")).unwrap();
    let clients = [
        "cat trace saved_cmdlines error_log set_event per_cpu/cpu*/stats events/libc/open/*",
        "cat snapshot trace_options available_events kallsyms instances/*/trace; ls instances",
        "echo here; echo 'libc:open libc:close' > set_event; echo 'fd == 3' > events/libc/close/filter",
        "echo $$ > trace_marker; echo 1 > snapshot; mkdir instances/one; echo 64 > buffer_size_kb",
        "timeout 0.1 cat trace_pipe; timeout 0.1 cat per_cpu/cpu0/trace_pipe_raw; rmdir instances/one",
    ];
    let mut random = 1_u64;
    let mut next = |below: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 33) % below
    };
    // It goes before clients that might wait for it.
    let server = start(place.lookback(&["mount", "-f"]).arg(&directory));
    server.wait_until(|| directory.join("trace").exists());
    let (len, control) = (file.metadata().unwrap().len(), abi::control::CONTROL_SIZE as u64);
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(5) {
        for _ in 0..next(200) {
            let end = [control / 8, control, control + 65536, len][next(4) as usize];
            let value = [0, u64::MAX, next(100), next(1 << 31) << 20][next(4) as usize];
            file.write_all_at(&value.to_le_bytes(), next(end / 8) * 8).unwrap();
        }
        let client = clients[next(clients.len() as u64) as usize];
        run(place.scratch.command("sh").args(["-c", client]).current_dir(&directory));
    }
    assert_eq!(run(place.scratch.command("cat").arg(directory.join("README"))).code(), Some(0));
    place.umount(&directory).success();
    server.wait().success();
}
