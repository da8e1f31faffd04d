//! Switching recording off: the readers have had the last events when that is done.

use crate::mounted::*;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::pipe::{SpliceFlags, pipe, splice};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

const RAW: &str = "per_cpu/cpu0/trace_pipe_raw";

/// How long it takes to switch recording off.
fn disable(mounted: &Mounted) -> Duration {
    let start = Instant::now();
    mounted.write("tracing_on", "0").unwrap();
    let taken = start.elapsed();
    assert_eq!(mounted.read("tracing_on"), "0\n");
    taken
}

/// Takes pages as a recorder does, and counts the texts in them, until that has ended.
fn record(mounted: &Mounted, count: &AtomicUsize, has_ended: &AtomicBool, is_open: &Sender<()>) {
    let file = mounted.open(RAW, OFlags::RDONLY).unwrap();
    is_open.send(()).unwrap();
    let most = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
    while !has_ended.load(Ordering::SeqCst) {
        if poll(&mut [PollFd::new(&file, PollFlags::IN)], Some(&most)).unwrap() == 0 {
            continue;
        }
        let (reader, writer) = pipe().unwrap();
        splice(&file, None, &writer, None, 65536, SpliceFlags::MOVE).unwrap();
        drop(writer);
        let text = String::from_utf8_lossy(&rest(reader)).into_owned();
        count.fetch_add(text.matches("number ").count(), Ordering::SeqCst);
    }
}

/// How many of so many texts a recorder has when recording was disabled.
fn recorded(texts: usize) -> usize {
    let (mounted, count, has_ended) = (Mounted::new(), AtomicUsize::new(0), AtomicBool::new(false));
    mark_on(&mounted, 0, texts);
    std::thread::scope(|scope| {
        let (is_open, opened) = channel();
        let (mounted, count, has_ended) = (&mounted, &count, &has_ended);
        scope.spawn(move || record(mounted, count, has_ended, &is_open));
        opened.recv().unwrap();
        disable(mounted);
        let recorded = count.load(Ordering::SeqCst);
        has_ended.store(true, Ordering::SeqCst);
        recorded
    })
}

#[test]
fn who_polls_has_had_all() {
    // Less than `buffer_percent`, and more than is given at a time. It is waited for only a moment, which may
    // be too short on a machine that does other things.
    for texts in [1, 2000] {
        let tries: Vec<usize> = (0..5).map(|_| recorded(texts)).collect();
        assert!(tries.contains(&texts), "{texts}: {tries:?}");
    }
}

#[test]
fn who_does_not_go_on_is_waited_for_no_longer_than_a_moment() {
    let mounted = Mounted::new();
    mark_on(&mounted, 0, 1);
    let others =
        std::thread::scope(|scope| scope.spawn(|| mounted.open(RAW, OFlags::RDONLY)).join()).unwrap();
    let waited = disable(&mounted);
    assert!((Duration::from_millis(200)..Duration::from_secs(5)).contains(&waited), "{waited:?}");
    drop(others);
    // Nobody waits for himself, nor for a reader without pages to read.
    let _own = mounted.open(RAW, OFlags::RDONLY).unwrap();
    let _empty = std::thread::scope(|scope| {
        scope.spawn(|| mounted.open("per_cpu/cpu1/trace_pipe_raw", OFlags::RDONLY)).join()
    });
    let waited = (0..5).map(|_| disable(&mounted)).min().unwrap();
    assert!(waited < Duration::from_millis(100), "{waited:?}");
}
