//! Control files: what is written, and what is read back.

use crate::mounted::*;
use rustix::fs::{OFlags, SeekFrom, seek};
use rustix::io::Errno;
use std::process::{Command, Stdio};

#[test]
fn what_is_written_is_what_is_read() {
    let mounted = Mounted::new();
    mounted.write("set_event", "libc:open sched:").unwrap();
    let events = mounted.read("set_event");
    assert!(events.contains("libc:open\n") && events.contains("sched:sched_process_exec\n"), "{events}");
    mounted.write("set_event", "libc:close").unwrap();
    assert_eq!(mounted.read("set_event"), "libc:close\n", "O_TRUNC switches the others off");
    let appending = mounted.open("set_event", OFlags::WRONLY | OFlags::APPEND).unwrap();
    assert_eq!(rustix::io::write(&appending, b"libc:open libc:read"), Ok(10), "a word with each write");
    drop(appending);
    assert_eq!(mounted.read("set_event").lines().count(), 2);
    assert_eq!(mounted.read("events/libc/open/enable"), "1\n");
    assert_eq!(mounted.write("events/libc/open/enable", "2"), Err(Errno::INVAL));
    assert_eq!(mounted.write("tracing_cpumask", "ffffff"), Err(Errno::OVERFLOW));
    assert_eq!(mounted.write("events/libc/open/filter", "nothing == 1"), Err(Errno::INVAL));
    assert!(mounted.read("error_log").contains("Field not found"));
}

#[test]
fn a_shell_uses_it() {
    let mounted = Mounted::new();
    let script = "echo 0 > tracing_on; echo 1 >> tracing_on; cat tracing_on
                  echo libc:open > set_event; echo '!libc:open' >> set_event; wc -l < set_event
                  echo hello > trace_marker; grep -c hello trace; > trace; grep -c hello trace";
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(script).current_dir(mounted.path("")).stdin(Stdio::null());
    let output = shell.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "1\n0\n1\n0\n");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

/// Row 5 of what fails over other FUSE servers: truncation is told when it is opened, and only then.
#[test]
fn opening_truncates_and_truncate_does_nothing() {
    let mounted = Mounted::new();
    let lines = || mounted.read("trace").lines().filter(|line| !line.starts_with('#')).count();
    mounted.mark(3);
    let file = mounted.open("trace", OFlags::WRONLY).unwrap();
    rustix::fs::ftruncate(&file, 0).unwrap();
    assert_eq!(rustix::io::write(&file, b"anything"), Ok(8));
    assert_eq!(lines(), 3);
    mounted.open("trace", OFlags::RDONLY | OFlags::TRUNC).unwrap();
    assert_eq!(lines(), 3);
    // Row 17: O_CREAT means nothing where the file is there.
    mounted.open("trace", OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC).unwrap();
    assert_eq!(lines(), 0);
}

#[test]
fn what_cannot_be_done_has_the_kernels_number() {
    let mounted = Mounted::new();
    let marker = mounted.open("trace_marker", OFlags::RDWR).unwrap();
    assert_eq!(read(&marker, 10), Err(Errno::INVAL));
    assert_eq!(seek(&marker, SeekFrom::Start(0)), Err(Errno::SPIPE));
    assert_eq!(read(&mounted.open("trace_marker", OFlags::WRONLY).unwrap(), 10), Err(Errno::BADF));
    assert_eq!(rustix::io::write(&marker, "x".repeat(200_000).as_bytes()), Ok(4054));
    // Row 13.
    mounted.write("tracing_on", "0").unwrap();
    assert_eq!(rustix::io::write(&marker, b"x"), Err(Errno::BADF));
    mounted.write("options/markers", "0").unwrap();
    assert_eq!(rustix::io::write(&marker, b"x"), Err(Errno::INVAL));
    let on = mounted.open("tracing_on", OFlags::RDWR).unwrap();
    assert_eq!(seek(&on, SeekFrom::Start(0)), Ok(0));
    if rustix::process::geteuid().is_root() {
        let clock = mounted.open("available_events", OFlags::RDWR).unwrap();
        assert_eq!(rustix::io::write(&clock, b"x"), Err(Errno::INVAL));
    }
}

/// Row 8: mapping is refused; clients then read.
#[test]
fn nothing_can_be_mapped() {
    let mounted = Mounted::new();
    let writer = Command::new("taskset")
        .args(["-c", "0", "sh", "-c", "echo hello > trace_marker"])
        .current_dir(mounted.path(""))
        .status()
        .unwrap();
    assert!(writer.success());
    let script = "import mmap, sys, os, select
f = os.open(sys.argv[1], os.O_RDONLY)
select.select([f], [], [])
try: mmap.mmap(f, 4096, mmap.MAP_SHARED, mmap.PROT_READ)
except OSError as error: print(error.errno)
except ValueError as error: print(error)";
    for path in ["tracing_on", "per_cpu/cpu0/trace_pipe_raw"] {
        let printed = output(Command::new("python3").arg("-c").arg(script).arg(mounted.path(path)));
        assert!(printed.trim() == Errno::NODEV.raw_os_error().to_string(), "{path}: {printed}");
    }
}

/// Row 3: a short text comes by sendfile(2), too, as some `cat` reads.
#[test]
fn short_texts_come_by_sendfile() {
    let mounted = Mounted::new();
    mounted.write("events/libc/open/filter", "flags == 5").unwrap();
    for path in ["tracing_on", "events/libc/open/filter", "buffer_size_kb"] {
        for _ in 0..2 {
            let file = mounted.open(path, OFlags::RDONLY).unwrap();
            let copy = tempfile::tempfile().unwrap();
            let mut len = 0;
            loop {
                match rustix::fs::sendfile(&copy, &file, None, 1 << 16).unwrap() {
                    0 => break,
                    more => len += more,
                }
            }
            assert_eq!(len, mounted.read(path).len(), "{path}");
        }
        mounted.write("events/libc/open/filter", "flags == 77 || flags == 78").unwrap();
    }
}

/// Row 12: the event is of the writer's thread, on the writer's CPU.
#[test]
fn markers_are_of_who_writes_them() {
    let mounted = Mounted::new();
    let cpus = std::thread::available_parallelism().unwrap().get();
    for cpu in 0..cpus {
        let path = mounted.path("trace_marker");
        let writer = std::thread::spawn(move || {
            let mut set = rustix::thread::CpuSet::new();
            set.set(cpu);
            rustix::thread::sched_setaffinity(None, &set).unwrap();
            std::fs::write(path, format!("from {cpu}")).unwrap();
            rustix::thread::gettid().as_raw_nonzero().get()
        });
        let tid = writer.join().unwrap();
        let text = mounted.read(&format!("per_cpu/cpu{cpu}/trace"));
        let line = text.lines().find(|line| line.ends_with(&format!(": from {cpu}"))).unwrap();
        assert!(line.contains(&format!("-{tid} ")) && line.contains(&format!(" [{cpu:03}] ")), "{line}");
    }
}

/// Row 14: a client that reads a file for its length, and then again to copy it, finds the same.
#[test]
fn what_is_read_twice_is_the_same() {
    let mounted = Mounted::new();
    mounted.mark(1);
    let first = mounted.read("saved_cmdlines");
    std::thread::Builder::new()
        .name("another".to_string())
        .spawn({
            let path = mounted.path("trace_marker");
            move || std::fs::write(path, "from another").unwrap()
        })
        .unwrap()
        .join()
        .unwrap();
    assert_eq!(mounted.read("saved_cmdlines"), first);
    assert!(mounted.read("saved_cmdlines").contains(" another\n"));
    // Row 15: a text ends, although events come while it is read.
    let trace = mounted.open("trace", OFlags::RDONLY).unwrap();
    let mut text = read(&trace, 100).unwrap();
    mounted.mark(10);
    text.extend(rest(trace));
    assert!(!String::from_utf8(text).unwrap().contains("number 9"));
}
