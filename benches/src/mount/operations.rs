//! Single operations: of ours, of the kernel's tracefs, and of plain files through another FUSE server.

use super::TEXT;
use super::bindfs::Bindfs;
use super::place::MountPlace;
use crate::clock::{cpus, pinned, wall_ns};
use crate::report::Report;
use crate::samples::Samples;
use crate::tracefs::KernelInstance;
use std::fs::File;
use std::io::{Read, Result, Write};
use std::path::{Path, PathBuf};

/// Rounds, and how many operations there are in each.
const ROUNDS: usize = 21;
const OPERATIONS: u64 = 2000;

/// A directory with these files, or why there is none, and what its rows are called.
struct OperationPeer {
    directory: std::result::Result<PathBuf, String>,
    names: [&'static str; 2],
    samples: [Samples; 2],
}

impl OperationPeer {
    fn new(directory: std::result::Result<PathBuf, String>, names: [&'static str; 2]) -> OperationPeer {
        OperationPeer { directory, names, samples: Default::default() }
    }

    /// Measures a round, unless one has failed. The client stays on a CPU.
    fn measure(&mut self) {
        let Ok(directory) = &self.directory else { return };
        let works: [fn(&Path) -> Result<()>; 2] = [write_markers, read_files];
        for (work, samples) in works.into_iter().zip(&mut self.samples) {
            let before = wall_ns();
            if let Err(error) = pinned(&cpus(1), || work(directory)) {
                self.directory = Err(error.to_string());
                return;
            }
            samples.push((wall_ns() - before) / 1e3 / OPERATIONS as f64);
        }
    }
}

/// The median times of a marker, and of reading a file, in us, next to those of others in the same rounds.
pub fn measure(place: &MountPlace, report: &mut Report) {
    let (kernel, bindfs) = (KernelInstance::new(), Bindfs::new());
    let mut peers = [
        OperationPeer::new(Ok(place.path("")), ["marker_write_us", "open_read_close_us"]),
        OperationPeer::new(
            kernel.as_ref().map(|kernel| kernel.path("")).map_err(String::clone),
            ["kernel_marker_write_us", "kernel_open_read_close_us"],
        ),
        OperationPeer::new(
            bindfs.as_ref().map(|bindfs| bindfs.directory().to_path_buf()).map_err(String::clone),
            ["bindfs_write_us", "bindfs_open_read_close_us"],
        ),
    ];
    for _ in 0..ROUNDS {
        peers.iter_mut().for_each(OperationPeer::measure);
    }
    for OperationPeer { directory, names, samples } in &peers {
        for (name, samples) in names.iter().zip(samples) {
            report.add(name, directory.clone().map(|_| samples.median()));
        }
    }
    let [ours, _, bindfs] = &peers;
    let both = ours.directory.clone().and(bindfs.directory.clone());
    let ([_, ours], [_, bindfs]) = (&ours.samples, &bindfs.samples);
    report.add("open_read_close_vs_bindfs", both.map(|_| ours.ratio_to(bindfs)));
}

fn write_markers(directory: &Path) -> Result<()> {
    let mut file = File::options().write(true).open(directory.join("trace_marker"))?;
    (0..OPERATIONS).try_for_each(|_| file.write_all(TEXT))
}

fn read_files(directory: &Path) -> Result<()> {
    let (path, mut buffer) = (directory.join("tracing_on"), [0; 64]);
    (0..OPERATIONS).try_for_each(|_| File::open(&path)?.read(&mut buffer).map(drop))
}
