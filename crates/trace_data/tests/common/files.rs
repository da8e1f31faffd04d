//! Files, and the programs that read them.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use trace_data::dat::{BufferSource, CpuSource, Metadata, Recording, Version, compress, write};
use trace_data::merge::Pages;

/// A place for a file of this test run.
pub fn temporary(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("lookback-{}-{name}", std::process::id()))
}

/// Writes a recording of one buffer to `path`.
pub fn save(path: &Path, metadata: &Metadata, cpus: &[Vec<u8>]) {
    save_as(Version::Six, path, metadata, cpus);
}

/// Writes a file of any version. Returns its length.
pub fn save_as(version: Version, path: &Path, metadata: &Metadata, cpus: &[Vec<u8>]) -> u64 {
    let data = |pages: &Vec<u8>| {
        if version != Version::SevenCompressed {
            return pages.clone();
        }
        let mut compressed = Vec::new();
        let length = compress(&pages[..], pages.len() as u64, metadata.page_size, &mut compressed).unwrap();
        assert_eq!(compressed.len() as u64, length);
        compressed
    };
    let data: Vec<Vec<u8>> = cpus.iter().map(data).collect();
    let cpus = data.iter().map(|pages| CpuSource { pages: &pages[..], length: pages.len() as u64 });
    let mut buffers = [BufferSource { name: String::new(), cpus: cpus.collect() }];
    let file = File::create(path).unwrap();
    write(std::io::BufWriter::new(file), version, metadata, &mut buffers).unwrap()
}

/// What a program prints: output and errors. `None`, and a note, where it isn't installed.
pub fn run(program: &str, arguments: &[&str]) -> Option<(String, String)> {
    match Command::new(program).args(arguments).output() {
        Ok(output) => Some((
            String::from_utf8_lossy(&output.stdout).into_owned(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )),
        Err(error) => {
            println!("skipped: {program}: {error}");
            None
        }
    }
}

/// A recording, opened.
pub fn open(path: &Path) -> Recording<File> {
    Recording::open(File::open(path).unwrap()).unwrap()
}

/// All pages of a buffer, CPU by CPU.
pub fn read_pages(recording: &mut Recording<File>, buffer: usize) -> Vec<Vec<u8>> {
    let mut source = recording.pages(buffer).unwrap();
    let mut page = Vec::new();
    let mut cpus = Vec::new();
    for stream in 0..source.streams() {
        let mut pages = Vec::new();
        while source.next_page(stream, &mut page).unwrap() {
            pages.extend_from_slice(&page);
        }
        cpus.push(pages);
    }
    cpus
}
