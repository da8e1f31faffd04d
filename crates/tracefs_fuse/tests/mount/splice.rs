//! Row 2: splice(2) of `trace_pipe`, as the kernel's tracefs does it.

use crate::kernel::KernelInstance;
use crate::mounted::*;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::pipe::{SpliceFlags, pipe};
use rustix::process::Signal;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn open(directory: &Path, path: &str, flags: OFlags) -> OwnedFd {
    let path = directory.join(path);
    rustix::fs::open(&path, flags | OFlags::CLOEXEC, Mode::empty())
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn write(directory: &Path, path: &str, text: &str) {
    rustix::io::write(open(directory, path, OFlags::WRONLY), text.as_bytes()).unwrap();
}

/// What splice(2) gives.
fn splice(file: &OwnedFd) -> Result<String, Errno> {
    let (reader, writer) = pipe().unwrap();
    let len = rustix::pipe::splice(file, None, &writer, None, 65536, SpliceFlags::empty())?;
    drop(writer);
    let text = rest(reader);
    assert_eq!(text.len(), len);
    Ok(String::from_utf8(text).unwrap())
}

/// What was marked, of lines.
fn marks(text: &str) -> String {
    let marks = text.lines().map(|line| line.rsplit_once(": ").map_or(line, |(_, mark)| mark));
    marks.collect::<Vec<_>>().join(" ")
}

/// What it says, or why it says nothing.
fn said(result: Result<String, Errno>) -> String {
    match result {
        Ok(text) => marks(&text),
        Err(Errno::AGAIN) => "EAGAIN".to_string(),
        Err(error) => error.to_string(),
    }
}

/// Plays a script to a `trace_pipe`, and says what came: marks, or the error.
fn play(directory: &Path, script: &str) -> String {
    let mut file = None;
    let mut output = Vec::new();
    let set = |file: &OwnedFd, flags| fcntl_setfl(file, flags).unwrap();
    for word in script.split_ascii_whitespace() {
        match (word, &file) {
            ("open", _) => file = Some(open(directory, "trace_pipe", OFlags::RDONLY)),
            ("open-nonblocking", _) => {
                file = Some(open(directory, "trace_pipe", OFlags::RDONLY | OFlags::NONBLOCK));
            }
            ("close", _) => file = None,
            ("on", _) => write(directory, "tracing_on", "1"),
            ("off", _) => write(directory, "tracing_on", "0"),
            ("stat", _) => {
                let found = directory.join("trace_pipe").metadata().unwrap();
                output.push(format!("{} bytes", found.len()));
            }
            ("chmod", _) => {
                let mode = std::fs::Permissions::from_mode(0o400);
                std::fs::set_permissions(directory.join("trace_pipe"), mode).unwrap();
            }
            ("fstat", Some(file)) => {
                let found = rustix::fs::fstat(file).unwrap();
                output.push(format!("{} bytes of {:o}", found.st_size, found.st_mode));
            }
            ("nonblocking", Some(file)) => set(file, fcntl_getfl(file).unwrap() | OFlags::NONBLOCK),
            ("splice", Some(file)) => output.push(said(splice(file))),
            ("read", Some(file)) => {
                output.push(said(read(file, 4096).map(|text| String::from_utf8(text).unwrap())))
            }
            ("poll", Some(file)) => {
                let mut polled = [PollFd::new(file, PollFlags::IN)];
                output.push(poll(&mut polled, Some(&Timespec::default())).unwrap().to_string());
            }
            (mark, _) => write(directory, "trace_marker", mark),
        }
    }
    output.join(", ")
}

#[test]
fn row_02_splice_is_the_kernels() {
    for (script, expected) in [
        ("open one splice two three splice", "one, two three"),
        ("one open splice nonblocking two splice splice", "one, two, EAGAIN"),
        ("open-nonblocking splice splice one splice poll splice", "EAGAIN, EAGAIN, one, 0, EAGAIN"),
        ("one two open poll splice", "1, one two"),
        // With read(2), in either order.
        ("one open read two splice three read four splice", "one, two, three, four"),
        ("one open splice two read three splice", "one, two, three"),
        // A client that has read sees the end.
        ("one open read off read", "one, "),
        ("one open nonblocking splice off splice splice on two splice", "one, EAGAIN, EAGAIN, two"),
        // A file that is opened again has nothing of what was spliced before.
        ("one two open splice close three open splice close four open splice", "one two, three, four"),
        ("one open splice close two open read three splice", "one, two, three"),
        // What is asked of the file in between changes nothing.
        (
            "open fstat stat one fstat stat splice",
            "0 bytes of 100440, 0 bytes, 0 bytes of 100440, 0 bytes, one",
        ),
        ("chmod open chmod stat fstat one splice two splice", "0 bytes, 0 bytes of 100400, one, two"),
    ] {
        let mounted = Mounted::new();
        assert_eq!(play(&mounted.path(""), script), expected, "{script}");
        std::fs::create_dir(mounted.path("instances/one")).unwrap();
        assert_eq!(play(&mounted.path("instances/one"), script), expected, "{script}, in an instance");
        if let Some(kernel) = KernelInstance::new() {
            assert_eq!(play(&kernel.path(), script), expected, "{script}, in the kernel");
        }
    }
}

/// splice(2) waits for events, the first time and later, and meanwhile others are served.
fn waits(directory: &Path) {
    let pipe = open(directory, "trace_pipe", OFlags::RDONLY);
    for round in 0..3 {
        std::thread::scope(|scope| {
            let splicing = scope.spawn(|| splice(&pipe));
            std::thread::sleep(Duration::from_millis(100));
            assert!(!splicing.is_finished(), "round {round}");
            assert_eq!(std::fs::read_to_string(directory.join("tracing_on")).unwrap(), "1\n");
            write(directory, "trace_marker", &format!("mark{round}"));
            let start = Instant::now();
            assert_eq!(marks(&splicing.join().unwrap().unwrap()), format!("mark{round}"));
            assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
        });
    }
    // Nor is there an end when recording is off: only read(2) reports that.
    write(directory, "tracing_on", "0");
    std::thread::scope(|scope| {
        let splicing = scope.spawn(|| splice(&pipe));
        std::thread::sleep(Duration::from_millis(100));
        let is_waiting = !splicing.is_finished();
        write(directory, "tracing_on", "1");
        write(directory, "trace_marker", "last");
        assert_eq!(splicing.join().unwrap().as_deref().map(marks), Ok("last".to_string()));
        assert!(is_waiting);
    });
}

#[test]
fn row_02_splice_waits() {
    let mounted = Mounted::new();
    waits(&mounted.path(""));
    KernelInstance::new().iter().for_each(|kernel| waits(&kernel.path()));
}

/// Each event is given once and whole, however many there are.
#[test]
fn row_02_splice_loses_nothing() {
    let mounted = Mounted::new();
    let pipe = mounted.open("trace_pipe", OFlags::RDONLY | OFlags::NONBLOCK).unwrap();
    let (mut expected, mut text) = (Vec::new(), String::new());
    for count in (0..400).step_by(20).rev() {
        for number in 0..count {
            let mark = format!("{count}/{number}{}", "x".repeat(number % 300));
            write(&mounted.path(""), "trace_marker", &mark);
            expected.push(mark);
        }
        while let Ok(spliced) = splice(&pipe) {
            text += &spliced;
        }
    }
    assert_eq!(marks(&text), expected.join(" "));
}

/// What a program does that splices until it is killed.
const SPLICER: &str = "import os, sys
file = os.open(sys.argv[1], os.O_RDONLY)
reader, writer = os.pipe()
while True:
    os.splice(file, writer, 65536)
    print(os.read(reader, 65536).decode(), end='', flush=True)";

fn splicer(path: &Path) -> Command {
    let mut command = Command::new("python3");
    command.arg("-c").arg(SPLICER).arg(path).stdin(Stdio::null());
    command
}

/// Whether a process is in splice(2), as the number of its system call shows.
fn is_splicing(process: u32) -> bool {
    let number = if cfg!(target_arch = "x86_64") { "275 " } else { "76 " };
    std::fs::read_to_string(format!("/proc/{process}/syscall")).unwrap().starts_with(number)
}

/// Who waits in splice(2) can be killed, the first time and later.
#[test]
fn row_02_who_splices_dies_at_once() {
    let mounted = Mounted::new();
    for (path, marks) in
        [("trace_pipe", 0), ("trace_pipe", 1), ("per_cpu/cpu0/trace_pipe", 1), ("snapshot_pipe", 0)]
    {
        for signal in [Signal::INT, Signal::TERM, Signal::KILL] {
            let mut splicer = splicer(&mounted.path(path));
            let mut child = splicer.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
            eventually(|| is_splicing(child.id()));
            for _ in 0..marks {
                mark_on(&mounted, 0, 1);
                let mut text = [0; 1024];
                let len = rustix::io::read(child.stdout.as_ref().unwrap(), &mut text).unwrap();
                assert!(text[..len].ends_with(b": number 0\n"), "{path}");
                eventually(|| is_splicing(child.id()));
            }
            let start = Instant::now();
            rustix::process::kill_process(rustix::process::Pid::from_child(&child), signal).unwrap();
            assert_eq!(child.wait().unwrap().signal(), Some(signal.as_raw()), "{path}");
            assert!(start.elapsed() < Duration::from_secs(10), "{path}: {:?}", start.elapsed());
            eventually(|| mounted.open(path, OFlags::RDONLY).is_ok());
        }
    }
}

/// A signal with a handler ends the waiting, and what comes after it is spliced.
#[test]
fn row_02_a_handled_signal_interrupts_splice() {
    let script = "import os, signal, sys
class Interrupted(Exception): pass
def handle(*_): raise Interrupted
signal.signal(signal.SIGALRM, handle)
file = os.open(sys.argv[1] + '/trace_pipe', os.O_RDONLY)
marker = os.open(sys.argv[1] + '/trace_marker', os.O_WRONLY)
reader, writer = os.pipe()
for _ in range(3):
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try: os.splice(file, writer, 65536)
    except Interrupted: print(end='interrupted, ')
    os.write(marker, b'mark')
    os.splice(file, writer, 65536)
    print(os.read(reader, 65536).decode().rpartition(': ')[2], end='')";
    let played = |directory: &Path| output(Command::new("python3").arg("-c").arg(script).arg(directory));
    let mounted = Mounted::new();
    let expected = "interrupted, mark\n".repeat(3);
    assert_eq!(played(&mounted.path("")), expected);
    KernelInstance::new().iter().for_each(|kernel| assert_eq!(played(&kernel.path()), expected));
}

/// While the first splice(2) waits its open file can't be asked for its size, and has the text's afterwards:
/// what is spliced stays as it is.
#[test]
fn row_02_stat_does_not_disturb_splice() {
    let mounted = Mounted::new();
    let pipe = mounted.open("trace_pipe", OFlags::RDONLY).unwrap();
    std::thread::scope(|scope| {
        let splicing = scope.spawn(|| splice(&pipe));
        std::thread::sleep(Duration::from_millis(50));
        for _ in 0..3 {
            assert_eq!(rustix::fs::fstat(&pipe).map(drop), Err(Errno::AGAIN));
            assert_eq!(mounted.path("trace_pipe").metadata().unwrap().len(), 0);
        }
        mounted.mark(1);
        let text = splicing.join().unwrap().unwrap();
        assert_eq!(marks(&text), "number 0");
        assert_eq!(rustix::fs::fstat(&pipe).unwrap().st_size, text.len() as i64);
    });
    mounted.mark(2);
    assert_eq!(splice(&pipe).as_deref().map(marks), Ok("number 0 number 1".to_string()));
}

/// Without rights to the open files of its client, a server refuses splice(2); read(2) works.
#[test]
fn row_02_splice_is_refused_without_rights() {
    let mounted = Mounted::without_ptrace();
    mounted.mark(1);
    let refused = splicer(&mounted.path("trace_pipe")).output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(said.contains("Invalid argument"), "{said}");
    let pipe = mounted.open("trace_pipe", OFlags::RDONLY).unwrap();
    assert!(read(&pipe, 1000).unwrap().ends_with(b": number 0\n"), "nothing was taken");
}

/// What others than splice(2) see of it, as before: no size, no positions, nothing to map or to send.
#[test]
fn row_02_it_is_a_stream_to_all_others() {
    let mounted = Mounted::new();
    mounted.mark(1);
    let pipe = mounted.open("trace_pipe", OFlags::RDONLY).unwrap();
    let target = tempfile::tempfile().unwrap();
    assert_eq!(rustix::fs::sendfile(&target, &pipe, None, 4096), Err(Errno::INVAL));
    assert!(!fcntl_getfl(pipe.as_fd()).unwrap().contains(OFlags::DIRECT));
    drop(pipe);
    let script = "import mmap, os, sys
file = os.open(sys.argv[1], os.O_RDONLY)
try: mmap.mmap(file, 0, mmap.MAP_PRIVATE, mmap.PROT_READ)
except ValueError: print('empty')
print(os.read(file, 4096).decode(), end='')";
    let printed = output(Command::new("python3").arg("-c").arg(script).arg(mounted.path("trace_pipe")));
    let (first, text) = printed.split_once('\n').unwrap();
    assert_eq!((first, marks(text).as_str()), ("empty", "number 0"));
}
