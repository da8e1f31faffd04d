//! Many clients at once, some of which are killed.

use crate::mounted::*;
use rustix::fs::OFlags;
use rustix::process::Signal;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How many clients are killed, and instances made, at least.
const KILLED: usize = 150;
const MADE: usize = 30;

/// Clients that read and wait, and are killed wherever they are.
const VICTIMS: [&str; 4] = [
    "exec cat trace_pipe",
    "exec cat per_cpu/cpu0/trace_pipe_raw",
    "while :; do cat trace; ls -lR events/sched; done",
    "while :; do echo 1 > tracing_on; echo here > trace_marker; cat saved_cmdlines; done",
];

#[test]
fn nobody_hangs_and_nothing_is_left() {
    let mounted = Mounted::new();
    let (is_over, killed, made) = (AtomicBool::new(false), AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for victim in VICTIMS {
            let (mounted, is_over, killed) = (&mounted, &is_over, &killed);
            scope.spawn(move || {
                for delay in (1..40).cycle() {
                    let mut shell = Command::new("sh");
                    shell.args(["-c", victim]).current_dir(mounted.path(""));
                    let mut shell =
                        shell.stdout(Stdio::null()).stderr(Stdio::null()).process_group(0).spawn().unwrap();
                    std::thread::sleep(Duration::from_millis(delay));
                    let pid = rustix::process::Pid::from_child(&shell);
                    rustix::process::kill_process_group(pid, Signal::KILL).unwrap();
                    shell.wait().unwrap();
                    killed.fetch_add(1, Relaxed);
                    if is_over.load(Relaxed) {
                        break;
                    }
                }
            });
        }
        for name in ["one", "two"] {
            let (mounted, is_over, made) = (&mounted, &is_over, &made);
            scope.spawn(move || {
                let path = mounted.path("instances").join(name);
                while !is_over.load(Relaxed) {
                    std::fs::create_dir(&path).unwrap();
                    std::fs::write(path.join("events/libc/open/enable"), "1").unwrap();
                    // What has it open for a moment is the server itself, at most.
                    eventually(|| std::fs::remove_dir(&path).is_ok());
                    made.fetch_add(1, Relaxed);
                }
            });
        }
        let end = Instant::now() + Duration::from_secs(30);
        while (killed.load(Relaxed) < KILLED || made.load(Relaxed) < MADE) && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(10));
        }
        is_over.store(true, Relaxed);
    });
    assert!(killed.load(Relaxed) >= KILLED && made.load(Relaxed) >= MADE, "{killed:?} {made:?}");
    // What the killed had open is closed: pipes can be opened again, and instances are gone.
    for path in ["trace_pipe", "per_cpu/cpu0/trace_pipe"] {
        eventually(|| mounted.open(path, OFlags::RDONLY).is_ok());
    }
    assert_eq!(names(&mounted.path("instances")), ["flight"]);
}
