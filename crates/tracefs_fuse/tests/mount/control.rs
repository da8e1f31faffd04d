//! Control files: what is written, and what is read back.

use crate::mounted::*;
use rustix::fs::inotify::{self, ReadFlags};
use rustix::fs::{OFlags, SeekFrom, seek};
use rustix::io::Errno;
use std::mem::MaybeUninit;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

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

/// Row 5 of what fails over other FUSE servers: truncation is reported when it is opened, and only then.
#[test]
fn row_05_opening_truncates_and_truncate_does_nothing() {
    let mounted = Mounted::new();
    let lines = || mounted.read("trace").lines().filter(|line| !line.starts_with('#')).count();
    mounted.mark(3);
    let file = mounted.open("trace", OFlags::WRONLY).unwrap();
    rustix::fs::ftruncate(&file, 0).unwrap();
    assert_eq!(rustix::io::write(&file, b"anything"), Ok(8));
    assert_eq!(lines(), 3);
    mounted.open("trace", OFlags::RDONLY | OFlags::TRUNC).unwrap();
    assert_eq!(lines(), 3);
    mounted.open("trace", OFlags::WRONLY | OFlags::TRUNC).unwrap();
    assert_eq!(lines(), 0);
}

/// Row 17: `O_CREAT`, as of `fopen` with "w", means nothing where the file is there; others aren't made.
#[test]
fn row_17_opening_creates_nothing() {
    let mounted = Mounted::new();
    for flags in [OFlags::CREATE, OFlags::CREATE | OFlags::TRUNC] {
        let file = mounted.open("tracing_on", OFlags::WRONLY | flags).unwrap();
        assert_eq!(rustix::io::write(&file, b"0"), Ok(1));
        for path in ["new", "events/libc/new", "instances/new"] {
            assert_eq!(mounted.open(path, OFlags::WRONLY | flags).map(drop), Err(Errno::ACCESS), "{path}");
            assert!(!mounted.path(path).exists());
        }
    }
    assert_eq!(mounted.read("tracing_on"), "0\n");
}

#[test]
fn what_cannot_be_done_has_the_kernels_number() {
    let mounted = Mounted::new();
    let marker = mounted.open("trace_marker", OFlags::RDWR).unwrap();
    assert_eq!(read(&marker, 10), Err(Errno::INVAL));
    assert_eq!(seek(&marker, SeekFrom::Start(0)), Err(Errno::SPIPE));
    assert_eq!(read(&mounted.open("trace_marker", OFlags::WRONLY).unwrap(), 10), Err(Errno::BADF));
    assert_eq!(rustix::io::write(&marker, "x".repeat(200_000).as_bytes()), Ok(4054));
    let on = mounted.open("tracing_on", OFlags::RDWR).unwrap();
    assert_eq!(seek(&on, SeekFrom::Start(0)), Ok(0));
    if rustix::process::geteuid().is_root() {
        let clock = mounted.open("available_events", OFlags::RDWR).unwrap();
        assert_eq!(rustix::io::write(&clock, b"x"), Err(Errno::INVAL));
    }
}

/// Row 13: markers are refused while nothing is recorded, or where there are none.
#[test]
fn row_13_markers_are_refused_as_in_the_kernel() {
    let mounted = Mounted::new();
    let marker = mounted.open("trace_marker", OFlags::WRONLY).unwrap();
    mounted.write("tracing_on", "0").unwrap();
    assert_eq!(rustix::io::write(&marker, b"x"), Err(Errno::BADF));
    mounted.write("options/markers", "0").unwrap();
    assert_eq!(rustix::io::write(&marker, b"x"), Err(Errno::INVAL));
    mounted.write("options/markers", "1").unwrap();
    mounted.write("tracing_on", "1").unwrap();
    assert_eq!(rustix::io::write(&marker, b"x"), Ok(1));
}

/// Row 8: mapping is refused; clients then read.
#[test]
fn row_08_nothing_can_be_mapped() {
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
fn row_03_short_texts_come_by_sendfile() {
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
fn row_12_markers_are_of_who_writes_them() {
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

/// Row 14: a client that reads a file for its length, and then again to copy it, finds the same, whether it
/// opens it again or goes back to its start.
#[test]
fn row_14_what_is_read_twice_is_the_same() {
    let mounted = Mounted::new();
    let session = session::Instance::open(&mounted.session()).unwrap();
    mounted.mark(1);
    for (number, path) in ["saved_cmdlines", "available_events"].into_iter().cycle().take(8).enumerate() {
        let file = mounted.open(path, OFlags::RDONLY).unwrap();
        let text = rest(file.try_clone().unwrap());
        let name = format!("another{number}");
        let marker = mounted.path("trace_marker");
        let writer = std::thread::Builder::new().name(name.clone());
        let writer = writer.spawn(move || std::fs::write(marker, "from another").unwrap());
        writer.unwrap().join().unwrap();
        session.control().add_event("app", &name, "\nprint fmt: \"\"\n");
        let again = match number / 2 % 2 {
            0 => mounted.read(path).into_bytes(),
            _ => {
                seek(&file, SeekFrom::Start(0)).unwrap();
                rest(file)
            }
        };
        assert!(again == text, "{path}: not what it was when its length was read");
        // The next two readings belong together again.
        for _ in 0..2 {
            assert!(mounted.read(path).contains(&name), "{path}: it stays the same for ever");
        }
    }
}

/// Row 15: `trace` ends, however fast events come while it is read.
#[test]
fn row_15_a_text_ends_while_events_come() {
    let mounted = Mounted::new();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Relaxed) {
                mounted.mark(100);
            }
        });
        eventually(|| mounted.read("trace").lines().count() > 1000);
        for size in [200, 4096, 1 << 16] {
            let trace = mounted.open("trace", OFlags::RDONLY).unwrap();
            let first = read(&trace, size).unwrap();
            let snapshot = mounted.read("trace").len();
            let mut len = first.len();
            loop {
                match read(&trace, size).unwrap().len() {
                    0 => break,
                    more => len += more,
                }
                assert!(len <= 2 * snapshot, "{len} bytes of {snapshot}, {size} at a time");
            }
        }
        is_over.store(true, Relaxed);
    });
}

/// Row 20: watching files harms nothing. Changes that are not made through the mount are not reported.
#[test]
fn row_20_files_can_be_watched() {
    let mounted = Mounted::new();
    let session = session::Instance::open(&mounted.session()).unwrap();
    std::fs::create_dir(mounted.path("instances/one")).unwrap();
    let watch = inotify::init(inotify::CreateFlags::NONBLOCK | inotify::CreateFlags::CLOEXEC).unwrap();
    for path in ["tracing_on", "trace_pipe", "instances", "instances/one", "instances/one/trace"] {
        inotify::add_watch(&watch, mounted.path(path), inotify::WatchFlags::ALL_EVENTS).unwrap();
    }
    let mut space = [MaybeUninit::uninit(); 4096];
    let mut reported = || {
        let mut reported = ReadFlags::empty();
        let mut events = inotify::Reader::new(&watch, &mut space);
        while let Ok(event) = events.next() {
            reported |= event.events();
        }
        reported
    };
    session.session().create_instance("two").unwrap();
    session.session().remove_instance("two").unwrap();
    session.buffer().set_recording(false);
    assert_eq!(reported(), ReadFlags::empty());
    mounted.write("tracing_on", "1").unwrap();
    assert!(reported().contains(ReadFlags::OPEN | ReadFlags::MODIFY | ReadFlags::CLOSE_WRITE));
    eventually(|| std::fs::remove_dir(mounted.path("instances/one")).is_ok());
    assert!(reported().contains(ReadFlags::DELETE));
    assert_eq!(mounted.read("tracing_on"), "1\n");
}

/// Row 21: the server has space for the longest request that the kernel makes.
#[test]
fn row_21_the_longest_write_arrives() {
    let mounted = Mounted::new();
    let trace = mounted.open("trace", OFlags::WRONLY).unwrap();
    let bytes = vec![b'x'; 1 << 20];
    // The first write asks for attributes, too.
    rustix::io::write(&trace, b"x").unwrap();
    let before = mounted.answers();
    assert_eq!(rustix::io::write(&trace, &bytes), Ok(bytes.len()));
    // 64 pages at a time, of which the last is a part when the bytes start within a page.
    assert!((4..=5).contains(&(mounted.answers() - before)));
    assert_eq!(mounted.read("tracing_on"), "1\n");
}
