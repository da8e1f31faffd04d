//! `trace_pipe_raw`: pages by read(2) and by splice(2), as recorders take them.

use crate::mounted::*;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::pipe::{SpliceFlags, pipe, splice};
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const PAGE: usize = 4096;

/// Waits until there is something.
fn wait(file: &OwnedFd) {
    let ten_seconds = Timespec { tv_sec: 10, tv_nsec: 0 };
    assert_eq!(poll(&mut [PollFd::new(file, PollFlags::IN)], Some(&ten_seconds)), Ok(1));
}

/// What splice(2) takes at a time: what a pipe holds.
fn spliced(file: &OwnedFd) -> Vec<u8> {
    let (reader, writer) = pipe().unwrap();
    let len = splice(file, None, &writer, None, 65536, SpliceFlags::MOVE).unwrap();
    drop(writer);
    let bytes = rest(reader);
    assert_eq!(bytes.len(), len);
    bytes
}

/// Ends as a recorder does: without waiting, by read(2), to the end.
fn flushed(file: &OwnedFd) -> Vec<u8> {
    fcntl_setfl(file, fcntl_getfl(file).unwrap() | OFlags::NONBLOCK).unwrap();
    let mut bytes = Vec::new();
    loop {
        match read(file, PAGE) {
            Ok(page) if page.is_empty() => return bytes,
            Ok(page) => bytes.extend(page),
            Err(Errno::AGAIN) => return bytes,
            Err(error) => panic!("{error}"),
        }
    }
}

/// The numbers of the texts in whole pages, in their order.
fn numbers(pages: &[u8]) -> Vec<usize> {
    assert_eq!(pages.len() % PAGE, 0);
    let text = String::from_utf8_lossy(pages);
    let found = text.match_indices("number ").map(|(at, _)| {
        let digits: String = text[at + 7..].chars().take_while(char::is_ascii_digit).collect();
        digits.parse().unwrap()
    });
    found.collect()
}

fn raw(mounted: &Mounted) -> OwnedFd {
    mounted.write("buffer_percent", "0").unwrap();
    mounted.open("per_cpu/cpu0/trace_pipe_raw", OFlags::RDONLY).unwrap()
}

#[test]
fn pages_are_read_one_at_a_time() {
    let mounted = Mounted::new();
    let raw = raw(&mounted);
    mark_on(&mounted, 0, 1000);
    assert_eq!(read(&raw, 16), Ok(Vec::new()), "no page fits, as in the kernel");
    let mut pages = read(&raw, 65536).unwrap();
    assert_eq!(pages.len(), PAGE);
    pages.extend(flushed(&raw));
    assert_eq!(numbers(&pages), (0..1000).collect::<Vec<_>>());
    assert_eq!(read(&raw, PAGE), Err(Errno::AGAIN));
}

/// Row 1: nothing is lost, nothing is given twice, however splice and read follow each other.
#[test]
fn row_01_splice_consumes_pages_that_poll_has_reported() {
    let mounted = Mounted::new();
    let raw = raw(&mounted);
    let texts = 20_000;
    mark_on(&mounted, 0, texts);
    let mut pages = Vec::new();
    for round in 0.. {
        wait(&raw);
        let bytes = spliced(&raw);
        assert!(!bytes.is_empty(), "round {round}");
        pages.extend(bytes);
        // Half of what was put there by read, as a client that is at its end.
        if round % 3 == 2 {
            wait(&raw);
            for _ in 0..8 {
                pages.extend(read(&raw, PAGE).unwrap());
            }
        }
        if numbers(&pages).len() > texts / 2 {
            break;
        }
    }
    pages.extend(flushed(&raw));
    assert_eq!(numbers(&pages), (0..texts).collect::<Vec<_>>());
}

/// Row 19: a recorder that streams sees each event soon, although they don't fill its buffer.
#[test]
fn row_19_recorders_are_woken_early() {
    let mounted = Mounted::new();
    assert_eq!(mounted.read("buffer_percent"), "50\n");
    let raw = mounted.open("per_cpu/cpu0/trace_pipe_raw", OFlags::RDONLY).unwrap();
    for round in 0..4 {
        mark_on(&mounted, 0, 1);
        let start = Instant::now();
        wait(&raw);
        assert_eq!(numbers(&spliced(&raw)), [0], "round {round}");
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    }
}

/// Row 1, where events come fast: as soon as the buffer is as full as `buffer_percent` says.
#[test]
fn row_19_recorders_are_woken_by_the_fill_level() {
    let mounted = Mounted::new();
    let raw = mounted.open("per_cpu/cpu0/trace_pipe_raw", OFlags::RDONLY).unwrap();
    mounted.write("buffer_percent", "5").unwrap();
    // By age none would be woken so soon. A machine that is busy may wake late, but not each time.
    let is_early = || {
        flushed(&raw);
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| {
                wait(&raw);
                Instant::now()
            });
            let start = Instant::now();
            while !waiter.is_finished() {
                mark_on(&mounted, 0, 1000);
            }
            waiter.join().unwrap() - start < Duration::from_millis(400)
        })
    };
    assert!((0..20).any(|_| is_early()), "only by age");
}

/// Who asks again and again without taking anything empties nothing.
#[test]
fn only_what_was_taken_makes_space() {
    let mounted = Mounted::new();
    let raw = raw(&mounted);
    let texts = 10_000;
    mark_on(&mounted, 0, texts);
    for _ in 0..1000 {
        wait(&raw);
    }
    let left: usize = mounted
        .read("per_cpu/cpu0/stats")
        .lines()
        .find_map(|line| line.strip_prefix("entries: ")?.parse().ok())
        .unwrap();
    assert!(left > texts / 2, "{left}");
    assert_eq!(raw_size(&raw), 16 * PAGE as u64);
    assert_eq!(numbers(&flushed(&raw)), (0..texts).collect::<Vec<_>>());
}

fn raw_size(raw: &OwnedFd) -> u64 {
    rustix::fs::fstat(raw).unwrap().st_size as u64
}

#[test]
fn each_opening_starts_again() {
    let mounted = Mounted::new();
    let first = raw(&mounted);
    mark_on(&mounted, 0, 3000);
    wait(&first);
    let mut pages = spliced(&first);
    drop(first);
    let second = raw(&mounted);
    wait(&second);
    pages.extend(spliced(&second));
    pages.extend(flushed(&second));
    let found = numbers(&pages);
    assert!(found.windows(2).all(|pair| pair[0] < pair[1]) && found.last() == Some(&2999));
}

/// Row 7: ioctl(2) with 0 wakes who waits; it knows no other.
#[test]
fn row_07_who_waits_is_released() {
    let mounted = Mounted::new();
    let script = "import fcntl, os, sys, threading, time
raw = os.open(sys.argv[1], os.O_RDONLY)
reader = threading.Thread(target=lambda: print(os.read(raw, 4096)))
reader.start(); time.sleep(0.1)
assert fcntl.ioctl(raw, 0) == 0
reader.join()
for number in [0x5220, 0x5401]:
    try: fcntl.ioctl(raw, number)
    except OSError as error: print(error.errno)";
    let path = mounted.path("per_cpu/cpu0/trace_pipe_raw");
    let printed = output(Command::new("python3").arg("-c").arg(script).arg(path).stdin(Stdio::null()));
    assert_eq!(printed, "b''\n25\n25\n");
}

/// What the kernel keeps of pages goes when they were taken: much recording takes no more memory than a bit.
#[test]
fn pages_that_were_taken_leave_the_cache() {
    let mounted = Mounted::new();
    let raw = raw(&mounted);
    drop(raw);
    // cachestat(2), which Python and libc don't know.
    let script = "import ctypes, os, select, sys
os.sched_setaffinity(0, [0])
os.chdir(sys.argv[1])
marker = os.open('trace_marker', os.O_WRONLY)
raw = os.open('per_cpu/cpu0/trace_pipe_raw', os.O_RDONLY)
reader, writer = os.pipe()
def cached():
    whole, found = (ctypes.c_uint64 * 2)(0, 0), (ctypes.c_uint64 * 5)()
    if ctypes.CDLL(None, use_errno=True).syscall(451, raw, whole, found, 0): sys.exit('no cachestat')
    return found[0]
taken = most = 0
for _ in range(30):
    for _ in range(64): os.write(marker, b'x' * 4000)
    for _ in range(4):
        select.select([raw], [], [])
        most = max(most, cached())
        len = os.splice(raw, writer, 65536)
        taken += len
        while len: len -= os.read(reader, len).__len__()
print(taken // 4096, most)";
    let mut client = Command::new("python3");
    let output = client.arg("-c").arg(script).arg(mounted.path("")).output().unwrap();
    if String::from_utf8_lossy(&output.stderr).contains("no cachestat") {
        println!("skipped: the kernel doesn't tell what it has cached");
        return;
    }
    assert_eq!(String::from_utf8_lossy(&output.stdout), "1920 64\n", "{output:?}");
}
