//! What the tests share.

use abi::clock::TraceClock;
use abi::control::{FILE_SIZE, FILTERING, FILTERING_OFFSET};
use control::{Clocks, ControlFile, Identity};
use std::ffi::CString;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// A control file of its own, which is gone when the test ends.
pub struct Temporary {
    pub path: CString,
    pub file: ControlFile,
}

impl Temporary {
    pub fn new() -> Temporary {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Relaxed);
        let path = format!("/dev/shm/lookback-control-{}-{number}", std::process::id());
        let path = CString::new(path).unwrap();
        let of_first = core::iter::once(0..FILTERING_OFFSET + FILTERING as u64);
        let segment = shm::create_sparse(&path, FILE_SIZE, of_first).unwrap();
        let identity = Identity {
            number: 7,
            agent: 1,
            creator: 2,
            pid_namespace: 3,
            created: Clocks::default(),
            trace_clock: TraceClock::Mono,
        };
        Temporary { path, file: ControlFile::create(segment, &identity).unwrap() }
    }

    /// Another mapping of the same file, as another process has it.
    pub fn again(&self) -> ControlFile {
        ControlFile::new(shm::open(&self.path).unwrap()).unwrap()
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(self.path.to_str().unwrap());
    }
}
