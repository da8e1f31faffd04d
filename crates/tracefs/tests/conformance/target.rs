//! What scripts are played to.

use rustix::fs::OFlags;
use rustix::io::Errno;

/// An open file.
pub type File = usize;

/// A tree of control files.
pub trait Target {
    fn open(&mut self, path: &str, flags: OFlags) -> Result<File, Errno>;
    fn close(&mut self, file: File);
    fn read(&mut self, file: File, len: usize) -> Result<Vec<u8>, Errno>;
    fn read_at(&mut self, file: File, offset: u64, len: usize) -> Result<Vec<u8>, Errno>;
    fn write(&mut self, file: File, bytes: &[u8]) -> Result<usize, Errno>;
    fn seek(&mut self, file: File, offset: u64) -> Result<(), Errno>;
    /// Whether it can be read, as poll(2) says.
    fn poll(&mut self, file: File) -> bool;
    fn mode(&mut self, path: &str) -> Result<u32, Errno>;
    fn names(&mut self, path: &str) -> Result<Vec<String>, Errno>;
    fn make_directory(&mut self, path: &str) -> Result<(), Errno>;
    fn remove_directory(&mut self, path: &str) -> Result<(), Errno>;
    fn remove_file(&mut self, path: &str) -> Result<(), Errno>;
}
