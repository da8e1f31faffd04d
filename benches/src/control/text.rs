//! How fast `trace` is read, next to the kernel's own: both have the same texts in them.

use crate::attach::Live;
use crate::clock::thread_cpu_ns;
use crate::report::Report;
use crate::samples::Samples;
use crate::tracefs::KernelInstance;
use rustix::fs::OFlags;
use session::{Author, SessionOptions};
use std::fs::File;
use std::io::{Read, Write};
use tracefs::Tree;

/// Texts that are written.
const TEXTS: usize = 20_000;
const ROUNDS: usize = 11;

/// KB of each CPU's buffer: space for all.
const BUFFER_KB: u64 = 4096;

/// Bytes that are asked for at once.
const PIECE: usize = 64 * 1024;

/// Measures it.
pub fn measure(report: &mut Report) -> Result<(), String> {
    let live = Live::with(&SessionOptions { buffer_kb: BUFFER_KB, ..SessionOptions::default() })?;
    let tree = Tree::new(live.session);
    let mut marker = open(&tree, "trace_marker", OFlags::WRONLY)?;
    for text in texts() {
        marker.write_all(Author::current(), text.as_bytes()).map_err(|error| error.to_string())?;
    }
    let kernel = kernel();
    let (mut ours, mut kernels) = (Samples::default(), Samples::default());
    for _ in 0..ROUNDS {
        ours.push(rate(|| {
            let mut file = open(&tree, "trace", OFlags::RDONLY)?;
            read_all(|| file.read(PIECE).map(|piece| piece.len()).map_err(|error| error.to_string()))
        })?);
        if let Ok(kernel) = &kernel {
            kernels.push(rate(|| kernel_text(kernel))?);
        }
    }
    let kernel = kernel.map(drop);
    report.add("trace_text_MBps", Ok(ours.median()));
    report.add("kernel_trace_text_MBps", kernel.clone().map(|()| kernels.median()));
    report.add("trace_text_vs_kernel", kernel.map(|()| ours.ratio_to(&kernels)));
    Ok(())
}

fn texts() -> impl Iterator<Item = String> {
    (0..TEXTS).map(|number| format!("request {number} of a client, answered from the cache"))
}

/// An instance of the kernel with the texts in it.
fn kernel() -> Result<KernelInstance, String> {
    let kernel = KernelInstance::new()?;
    let path = kernel.path("buffer_size_kb");
    std::fs::write(&path, BUFFER_KB.to_string()).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut marker = kernel.open("trace_marker", File::options().write(true))?;
    for text in texts() {
        marker.write_all(text.as_bytes()).map_err(|error| format!("trace_marker: {error}"))?;
    }
    Ok(kernel)
}

/// Reads the kernel's `trace`, and gives its bytes.
fn kernel_text(kernel: &KernelInstance) -> Result<usize, String> {
    let mut file = kernel.open("trace", File::options().read(true))?;
    let mut piece = vec![0; PIECE];
    read_all(|| file.read(&mut piece).map_err(|error| format!("trace: {error}")))
}

fn open(tree: &Tree, path: &str, flags: OFlags) -> Result<tracefs::Handle, String> {
    tree.open(path, flags).map_err(|error| format!("{path}: {error}"))
}

/// Reads to the end, and gives the bytes.
fn read_all(mut read: impl FnMut() -> Result<usize, String>) -> Result<usize, String> {
    let mut bytes = 0;
    loop {
        match read()? {
            0 => return Ok(bytes),
            piece => bytes += piece,
        }
    }
}

/// MB in a second of processor time, of as many bytes as `work` gives.
fn rate(work: impl FnOnce() -> Result<usize, String>) -> Result<f64, String> {
    let start = thread_cpu_ns();
    let bytes = work()?;
    let taken = thread_cpu_ns() - start;
    // All of the texts are there, with what stands before each.
    if bytes < TEXTS * 64 {
        Err(format!("only {bytes} bytes of text"))
    } else {
        Ok(bytes as f64 * 1e3 / taken)
    }
}
