//! What the tests share.

use abi::clock::TraceClock;
use abi::control::{CONTROL_SIZE, FILTERING, FILTERING_OFFSET};
use abi::instance::INSTANCES;
use control::{Clocks, ControlArea, FileLayout, Identity};
use std::ffi::{CStr, CString};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// A control area in a file of its own, which is gone when the test ends.
pub struct Temporary {
    pub path: CString,
    pub file: ControlArea,
}

impl Temporary {
    pub fn new() -> Temporary {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Relaxed);
        let path = format!("/dev/shm/lookback-control-{}-{number}", std::process::id());
        let path = CString::new(path).unwrap();
        let of_first = core::iter::once(0..FILTERING_OFFSET + FILTERING as u64);
        let layout = FileLayout::new(INSTANCES, 4096, 4096, 2).unwrap();
        let segment = shm::create_sparse(&path, layout.size() as usize, of_first).unwrap();
        let (control, _) = segment.split(CONTROL_SIZE).unwrap();
        let identity = Identity {
            number: 7,
            agent: 1,
            creator: 2,
            pid_namespace: 3,
            created: Clocks::default(),
            trace_clock: TraceClock::Mono,
        };
        drop(ControlArea::create(control, &identity, &layout).unwrap());
        Temporary { file: open(&path), path }
    }

    /// Another mapping of the same file, as another process has it.
    pub fn again(&self) -> ControlArea {
        open(&self.path)
    }
}

fn open(path: &CStr) -> ControlArea {
    let file = shm::File::open(path).unwrap();
    let layout = FileLayout::read(&file).unwrap();
    let control = ControlArea::new(file.map(0..CONTROL_SIZE as u64).unwrap()).unwrap();
    control.extend(file.map(layout.extension().unwrap()).unwrap());
    control
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(self.path.to_str().unwrap());
    }
}
