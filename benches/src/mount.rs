//! The control tree over a mount: what clients of tracefs do with it, and how long that takes.

mod bindfs;
mod operations;
mod place;

use crate::clock::{cpus, pinned, wall_ns};
use crate::report::Report;
use crate::samples::Samples;
use crate::tracefs::KernelInstance;
pub use place::{MountPlace, Serve, serve};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::pipe::{SpliceFlags, fcntl_getpipe_size, pipe, splice};
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Command, Stdio};

/// Walks over all events, each over a mount of its own: nothing is cached.
const WALKS: usize = 5;

/// The events that are walked over.
const EVENTS: usize = 2000;

/// Texts that are read back.
const TEXTS: u64 = 20_000;

/// The text of an event: of the usual length of a line.
const TEXT: &[u8] = b"a request of 4711 bytes has come from 127.0.0.1";

/// Measures everything.
pub fn measure() -> Result<Report, String> {
    let mut report = Report::default();
    let place = MountPlace::new(0)?;
    operations::measure(&place, &mut report);
    let (anywhere, one) = (cpus(usize::MAX), cpus(1));
    report.add("raw_GBps", raw(&place, &anywhere, by_splice));
    report.add("raw_read_GBps", raw(&place, &anywhere, by_read));
    report.add("raw_pinned_GBps", raw(&place, &one, by_splice));
    report.add("raw_read_pinned_GBps", raw(&place, &one, by_read));
    report.add("walk_2000_events_s", walks());
    cat(&place, &mut report);
    Ok(report)
}

/// How a client takes pages: it says how many bytes it has got, 0 at the end.
type Take = fn(&OwnedFd, &SplicePipe) -> Result<u64, String>;

/// GB/s of pages that are consumed by a client on these CPUs.
fn raw(place: &MountPlace, cpus: &[usize], take: Take) -> Result<f64, String> {
    let (mut samples, pipe) = (Samples::new(), SplicePipe::new()?);
    for _ in 0..5 {
        place.fill(500_000)?;
        let file = File::open(place.path("per_cpu/cpu0/trace_pipe_raw"));
        let file = OwnedFd::from(file.map_err(|error| error.to_string())?);
        samples.push(pinned(cpus, || rate(|| take(&file, &pipe)))?);
    }
    Ok(samples.median())
}

/// GB/s until nothing is left.
fn rate(take: impl Fn() -> Result<u64, String>) -> Result<f64, String> {
    let (before, mut bytes) = (wall_ns(), 0);
    loop {
        match take()? {
            0 => return Ok(bytes as f64 / (wall_ns() - before)),
            more => bytes += more,
        }
    }
}

/// What pages go through, as trace-cmd has one for each CPU, and where they go then.
struct SplicePipe {
    reader: OwnedFd,
    writer: OwnedFd,
    size: usize,
    nowhere: File,
}

impl SplicePipe {
    fn new() -> Result<SplicePipe, String> {
        let (reader, writer) = pipe().map_err(|error| error.to_string())?;
        let size = fcntl_getpipe_size(&writer).map_err(|error| error.to_string())?;
        let nowhere = File::options().write(true).open("/dev/null").map_err(|error| error.to_string())?;
        Ok(SplicePipe { reader, writer, size, nowhere })
    }
}

/// As trace-cmd does: the pages that select has reported go through a pipe.
fn by_splice(file: &OwnedFd, pipe: &SplicePipe) -> Result<u64, String> {
    let failed = |error: rustix::io::Errno| error.to_string();
    let ready = poll(&mut [PollFd::new(file, PollFlags::IN)], Some(&Default::default())).map_err(failed)?;
    if ready == 0 {
        return Ok(0);
    }
    let len = splice(file, None, &pipe.writer, None, pipe.size, SpliceFlags::MOVE).map_err(failed)?;
    splice(&pipe.reader, None, &pipe.nowhere, None, len, SpliceFlags::MOVE).map_err(failed)?;
    Ok(len as u64)
}

/// A page at a time, as clients do that don't splice.
fn by_read(file: &OwnedFd, _pipe: &SplicePipe) -> Result<u64, String> {
    rustix::io::ioctl_fionbio(file, true).map_err(|error| error.to_string())?;
    let mut page = [0_u8; 4096];
    match rustix::io::read(file, &mut page) {
        Ok(len) => Ok(len as u64),
        Err(rustix::io::Errno::AGAIN) => Ok(0),
        Err(error) => Err(error.to_string()),
    }
}

fn walks() -> Result<f64, String> {
    let mut samples = Samples::new();
    for _ in 0..WALKS {
        let place = MountPlace::new(EVENTS)?;
        let before = wall_ns();
        let mut list = Command::new("ls");
        list.arg("-lR").arg(place.path("events")).stdout(Stdio::null());
        let status = list.status().map_err(|error| error.to_string())?;
        samples.push((wall_ns() - before) / 1e9);
        if !status.success() {
            return Err(format!("ls ended with {status}"));
        }
    }
    Ok(samples.median())
}

/// MB/s of `cat trace`, of ours and of the kernel's, and how many times the kernel's ours is.
fn cat(place: &MountPlace, report: &mut Report) {
    let (mut ours, mut kernels) = (Samples::new(), Samples::new());
    let measured = KernelInstance::new().and_then(|kernel| {
        for marker in [kernel.path("trace_marker"), place.path("trace_marker")] {
            let mut file = File::options().write(true).open(marker).map_err(|error| error.to_string())?;
            let write = |_| file.write_all(TEXT);
            pinned(&cpus(1), || (0..TEXTS).try_for_each(write)).map_err(|error| error.to_string())?;
        }
        for _ in 0..5 {
            kernels.push(cat_rate(&kernel.path("trace"))?);
            ours.push(cat_rate(&place.path("trace"))?);
        }
        Ok(())
    });
    let names = ["cat_trace_MBps", "kernel_cat_trace_MBps", "cat_trace_vs_kernel"];
    let values = [ours.median(), kernels.median(), ours.ratio_to(&kernels)];
    for (name, value) in names.into_iter().zip(values) {
        report.add(name, measured.clone().map(|()| value));
    }
}

fn cat_rate(path: &Path) -> Result<f64, String> {
    let before = wall_ns();
    let mut file = File::open(path).map_err(|error| error.to_string())?;
    let mut buffer = vec![0; 1 << 17];
    let mut bytes = 0;
    loop {
        match file.read(&mut buffer).map_err(|error| error.to_string())? {
            0 => return Ok(bytes as f64 * 1e3 / (wall_ns() - before)),
            more => bytes += more,
        }
    }
}
