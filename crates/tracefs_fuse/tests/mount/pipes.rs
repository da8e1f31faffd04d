//! `trace_pipe`: readers that wait, and what ends their waiting.

use crate::mounted::*;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, SeekFrom, fcntl_getfl, fcntl_setfl, seek};
use rustix::io::{Errno, pread};
use rustix::process::Signal;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn is_ready(file: &impl std::os::fd::AsFd, wait: Duration) -> bool {
    let mut files = [PollFd::new(file, PollFlags::IN)];
    poll(&mut files, Some(&Timespec::try_from(wait).unwrap())).unwrap() > 0
}

/// Row 6: `O_NONBLOCK` counts as it is when it is read.
#[test]
fn row_06_a_reader_waits_or_finds_nothing() {
    let mounted = Mounted::new();
    let pipe = mounted.open("trace_pipe", OFlags::RDONLY).unwrap();
    fcntl_setfl(&pipe, fcntl_getfl(&pipe).unwrap() | OFlags::NONBLOCK).unwrap();
    assert_eq!(read(&pipe, 100), Err(Errno::AGAIN));
    fcntl_setfl(&pipe, fcntl_getfl(&pipe).unwrap() - OFlags::NONBLOCK).unwrap();
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| read(&pipe, 1000).unwrap());
        std::thread::sleep(Duration::from_millis(50));
        assert!(!reader.is_finished());
        // The server has others to serve meanwhile.
        assert_eq!(mounted.read("tracing_on"), "1\n");
        mounted.mark(1);
        let text = String::from_utf8(reader.join().unwrap()).unwrap();
        assert!(text.ends_with(": number 0\n"), "{text}");
    });
    assert_eq!(mounted.open("trace_pipe", OFlags::RDONLY).map(drop), Err(Errno::BUSY));
}

/// Row 9: pipes have no positions.
#[test]
fn row_09_pipes_cannot_be_read_elsewhere() {
    let mounted = Mounted::new();
    for path in ["trace_pipe", "per_cpu/cpu0/trace_pipe", "per_cpu/cpu0/trace_pipe_raw"] {
        mark_on(&mounted, 0, 1);
        let pipe = mounted.open(path, OFlags::RDONLY | OFlags::NONBLOCK).unwrap();
        for to in [SeekFrom::Start(0), SeekFrom::Current(0), SeekFrom::End(0), SeekFrom::Data(0)] {
            assert_eq!(seek(&pipe, to), Err(Errno::SPIPE), "{path}");
        }
        assert_eq!(pread(&pipe, &mut [0; 4096], 0).map(drop), Err(Errno::SPIPE), "{path}");
        let found = read(&pipe, 4096).unwrap();
        assert!(String::from_utf8_lossy(&found).contains("number 0"), "{path}");
        assert_eq!(read(&pipe, 4096), Err(Errno::AGAIN), "{path}");
    }
}

/// Who reads or polls a pipe has what the top level shows, after a client has taken that for its own, too.
#[test]
fn readers_go_where_the_top_level_goes() {
    let mounted = Mounted::new();
    let pipe = mounted.open("trace_pipe", OFlags::RDONLY).unwrap();
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| read(&pipe, 1000).unwrap());
        std::thread::sleep(Duration::from_millis(50));
        mounted.write("trace", "").unwrap();
        mounted.write("instances/flight/trace_marker", "not shown").unwrap();
        mounted.write("trace_marker", "shown").unwrap();
        let text = String::from_utf8(reader.join().unwrap()).unwrap();
        assert!(text.ends_with(": shown\n") && !text.contains("not shown"), "{text}");
    });
    assert!(!is_ready(&pipe, Duration::from_millis(20)));
    mounted.mark(1);
    assert!(is_ready(&pipe, Duration::from_secs(5)));
}

#[test]
fn the_end_comes_when_recording_is_off() {
    let mounted = Mounted::new();
    mounted.mark(1);
    let pipe = mounted.open("trace_pipe", OFlags::RDONLY).unwrap();
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| rest(pipe));
        std::thread::sleep(Duration::from_millis(50));
        assert!(!reader.is_finished());
        mounted.write("tracing_on", "0").unwrap();
        assert!(reader.join().unwrap().ends_with(b": number 0\n"));
    });
}

/// A reader that waits can be killed, by Control-C and by SIGKILL.
#[test]
fn a_reader_that_waits_dies_at_once() {
    let mounted = Mounted::new();
    for path in ["trace_pipe", "per_cpu/cpu0/trace_pipe", "per_cpu/cpu0/trace_pipe_raw"] {
        for signal in [Signal::INT, Signal::TERM, Signal::KILL] {
            let mut reader =
                Command::new("cat").arg(mounted.path(path)).stdout(Stdio::null()).spawn().unwrap();
            let pid = rustix::process::Pid::from_child(&reader);
            // In read(2) of the file, as its system call shows.
            eventually(|| {
                let call = std::fs::read_to_string(format!("/proc/{}/syscall", reader.id())).unwrap();
                call.starts_with("0 0x3 ")
            });
            let start = Instant::now();
            rustix::process::kill_process(pid, signal).unwrap();
            let status = reader.wait().unwrap();
            assert_eq!(status.signal(), Some(signal.as_raw()), "{path}");
            assert!(start.elapsed() < Duration::from_secs(10), "{path}: {:?}", start.elapsed());
            eventually(|| mounted.open(path, OFlags::RDONLY).is_ok());
        }
    }
}

/// A signal with a handler ends the waiting with EINTR, as in the kernel.
#[test]
fn a_handled_signal_interrupts_a_read() {
    let mounted = Mounted::new();
    let script = "import os, signal, sys, time
def handle(*_): raise KeyError
signal.signal(signal.SIGALRM, handle)
signal.setitimer(signal.ITIMER_REAL, 0.1)
f = os.open(sys.argv[1], os.O_RDONLY)
try: os.read(f, 100)
except KeyError: print('interrupted')
os.set_blocking(f, False)
try: os.read(f, 100)
except BlockingIOError: print('nothing')";
    let printed = output(Command::new("python3").arg("-c").arg(script).arg(mounted.path("trace_pipe")));
    assert_eq!(printed, "interrupted\nnothing\n");
}

#[test]
fn row_04_poll_waits_and_returns() {
    let mounted = Mounted::new();
    let pipe = mounted.open("trace_pipe", OFlags::RDONLY | OFlags::NONBLOCK).unwrap();
    // A busy machine may take long for a round, but not for all of them.
    let mut is_soon = false;
    for _ in 0..20 {
        assert!(!is_ready(&pipe, Duration::from_millis(20)));
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| is_ready(&pipe, Duration::from_secs(60)));
            std::thread::sleep(Duration::from_millis(50));
            assert!(!waiter.is_finished());
            let start = Instant::now();
            mounted.mark(1);
            assert!(waiter.join().unwrap());
            is_soon = start.elapsed() < Duration::from_millis(500);
        });
        assert!(read(&pipe, 1000).unwrap().ends_with(b": number 0\n"));
        if is_soon {
            break;
        }
    }
    assert!(is_soon);
    assert!(!is_ready(&pipe, Duration::ZERO));
    // All others can always be read and written.
    let other = mounted.open("tracing_on", OFlags::RDWR).unwrap();
    let mut files = [PollFd::new(&other, PollFlags::IN | PollFlags::OUT)];
    assert_eq!(poll(&mut files, Some(&Timespec::default())), Ok(1));
    assert!(files[0].revents().contains(PollFlags::IN | PollFlags::OUT));
}

/// Row 4: of a CPU's pipe, poll returns when the buffer is full as far as `buffer_percent` says, or when what
/// is there is half a second old.
#[test]
fn row_04_poll_waits_for_the_fill_level_or_for_age() {
    let mounted = Mounted::new();
    for path in ["per_cpu/cpu0/trace_pipe_raw", "per_cpu/cpu0/trace_pipe"] {
        let pipe = mounted.open(path, OFlags::RDONLY | OFlags::NONBLOCK).unwrap();
        assert!(!is_ready(&pipe, Duration::ZERO));
        let start = Instant::now();
        mark_on(&mounted, 0, 1);
        assert!(!is_ready(&pipe, Duration::ZERO), "{path}");
        assert!(is_ready(&pipe, Duration::from_secs(10)), "{path}");
        assert!(start.elapsed() > Duration::from_millis(400), "{path}: {:?}", start.elapsed());
        assert!(!read(&pipe, 4096).unwrap().is_empty());
        mounted.write("buffer_percent", "0").unwrap();
        mark_on(&mounted, 0, 1);
        assert!(is_ready(&pipe, Duration::ZERO), "{path}");
        assert!(!read(&pipe, 4096).unwrap().is_empty());
        mounted.write("buffer_percent", "50").unwrap();
    }
}

/// While nobody waits the server does nothing, and while somebody does, next to nothing.
#[test]
fn waiting_costs_nothing() {
    let mounted = Mounted::new();
    let server = mounted.server_thread();
    let is_idle = || {
        let before = switches(server);
        std::thread::sleep(Duration::from_millis(300));
        switches(server) - before <= 2
    };
    eventually(is_idle);
    let mut cat = Command::new("cat").arg(mounted.path("trace_pipe")).stdout(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let looks = || {
        let before = switches(server);
        std::thread::sleep(Duration::from_secs(1));
        switches(server) - before
    };
    // A busy machine lets it look less often, and interrupts it, but not all the time.
    let rounds: Vec<_> = (0..20).map(|_| looks()).take_while(|looks| !(50..=150).contains(looks)).collect();
    assert!(rounds.len() < 20, "{rounds:?} times a second");
    cat.kill().unwrap();
    cat.wait().unwrap();
    let mut text = String::new();
    cat.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, "");
    eventually(is_idle);
}
