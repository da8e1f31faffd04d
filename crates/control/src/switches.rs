//! What was said of events that the session may not know yet.
//!
//! Events of programs are entered when a program with them starts. So that they can be switched before, the
//! patterns are kept; who enters an event looks whether it fits one. Entries are used again, and one pattern
//! has one entry, however often it is switched: the table doesn't grow with time.

use crate::file::ControlFile;
use crate::pattern::selects;
use abi::control::{SWITCHES, SWITCHES_OFFSET};
use abi::switch::{self, CLAIMED, PATTERN, Switch};
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use core::sync::atomic::{AtomicU32, fence};
use rustix::thread::futex;

/// Why a pattern can't be switched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadSwitch {
    /// It is longer than 120 bytes.
    TooLong,
    /// There are 128 others.
    Full,
}

impl core::fmt::Display for BadSwitch {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            BadSwitch::TooLong => write!(f, "is too long: expected at most {PATTERN} bytes"),
            BadSwitch::Full => write!(f, "is one pattern too many: a session keeps {SWITCHES}"),
        }
    }
}

impl core::error::Error for BadSwitch {}

impl ControlFile {
    fn switches(&self) -> &[Switch] {
        self.array(SWITCHES_OFFSET, SWITCHES)
    }

    fn find_switch(&self, pattern: &[u8; PATTERN]) -> Option<&Switch> {
        self.switches().iter().find(|switch| read(switch).is_some_and(|(_, found)| found == *pattern))
    }

    /// Has events that fit `pattern` switched on or off when they are entered. Those that are there are left
    /// as they are.
    pub fn switch(&self, pattern: &str, on: bool) -> Result<(), BadSwitch> {
        let bytes = padded(pattern).ok_or(BadSwitch::TooLong)?;
        let state = switch::word(self.header().switch_number.fetch_add(1, AcqRel) + 1, on);
        match self.find_switch(&bytes) {
            Some(switch) => switch.state.store(state, Release),
            None => self.add_switch(&bytes, state)?,
        }
        // Who enters an event now sees the pattern, or its event is seen by who has called this.
        fence(SeqCst);
        Ok(())
    }

    fn add_switch(&self, bytes: &[u8; PATTERN], state: u64) -> Result<(), BadSwitch> {
        let claim = |switch: &&Switch| switch.state.compare_exchange(0, CLAIMED, AcqRel, Relaxed).is_ok();
        let switch = self.switches().iter().find(claim).ok_or(BadSwitch::Full)?;
        let (words, _) = bytes.as_chunks::<8>();
        for (to, word) in switch.pattern.iter().zip(words) {
            to.store(u64::from_le_bytes(*word), Relaxed);
        }
        switch.state.store(state, Release);
        Ok(())
    }

    /// Whether something was said of a pattern.
    pub fn has_switch(&self, pattern: &str) -> bool {
        padded(pattern).is_some_and(|bytes| self.find_switch(&bytes).is_some())
    }

    /// Forgets what was said of a pattern.
    pub fn forget_switch(&self, pattern: &str) {
        if let Some(switch) = padded(pattern).and_then(|bytes| self.find_switch(&bytes)) {
            switch.state.store(0, Release);
        }
    }

    /// Whether an event that fits a pattern was switched on or off; None when it fits none.
    pub fn switched(&self, system: &str, name: &str) -> Option<bool> {
        let fits = |pattern: &[u8; PATTERN]| {
            let pattern = pattern.split(|byte| *byte == 0).next().unwrap_or_default();
            core::str::from_utf8(pattern).is_ok_and(|pattern| selects(pattern, system, name))
        };
        let fitting = self.switches().iter().filter_map(read).filter(|(_, pattern)| fits(pattern));
        let (latest, _) = fitting.max_by_key(|(state, _)| *state)?;
        Some(latest & 1 != 0)
    }

    /// Switches an event that was just entered as was said of its like.
    pub fn apply_switches(&self, id: u16, system: &str, name: &str) {
        let mut number = None;
        // Until nothing is said meanwhile.
        loop {
            fence(SeqCst);
            let latest = self.header().switch_number.load(Acquire);
            if number == Some(latest) {
                return;
            }
            number = Some(latest);
            if let Some(on) = self.switched(system, name) {
                self.enable(id, 0, on);
            }
        }
    }

    /// The word that goes up when events were switched: for who waits for it.
    pub fn switched_word(&self) -> &AtomicU32 {
        &self.header().switched
    }

    /// Wakes who waits for events to be switched.
    pub fn announce_switched(&self) {
        let word = self.switched_word();
        word.fetch_add(1, AcqRel);
        // Nobody has to be there.
        let _ = futex::wake(word, futex::Flags::empty(), i32::MAX as u32);
    }
}

/// A pattern with zeros behind it; None when it is too long.
fn padded(pattern: &str) -> Option<[u8; PATTERN]> {
    let mut bytes = [0; PATTERN];
    bytes.get_mut(..pattern.len())?.copy_from_slice(pattern.as_bytes());
    Some(bytes)
}

/// The state of a switch and its pattern, if it is in use.
fn read(switch: &Switch) -> Option<(u64, [u8; PATTERN])> {
    let state = switch.state.load(Acquire);
    if state == 0 || state == CLAIMED {
        return None;
    }
    let mut bytes = [0; PATTERN];
    for (to, word) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(&switch.pattern) {
        *to = word.load(Relaxed).to_le_bytes();
    }
    Some((state, bytes))
}

#[cfg(test)]
mod tests {
    use crate::{BadSwitch, Clocks, ControlFile, Identity};
    use abi::control::{FILE_SIZE, SWITCHES};
    use std::format;

    fn file(name: &str) -> ControlFile {
        let path = std::ffi::CString::new(format!("/tmp/{name}-{}", std::process::id())).unwrap();
        let segment = shm::create(&path, FILE_SIZE).unwrap();
        std::fs::remove_file(path.to_str().unwrap()).unwrap();
        let identity = Identity { number: 1, agent: 1, creator: 1, pid_namespace: 0, created: Clocks::now() };
        ControlFile::create(segment, &identity).unwrap()
    }

    #[test]
    fn the_latest_pattern_that_fits_counts() {
        let file = file("switches");
        assert_eq!(file.switched("app", "one"), None);
        assert_eq!(file.switch("app:*", true), Ok(()));
        assert_eq!(file.switch("app:one", false), Ok(()));
        assert_eq!((file.switched("app", "one"), file.switched("app", "two")), (Some(false), Some(true)));
        assert_eq!(file.switch("app:*", true), Ok(()));
        assert_eq!(file.switched("app", "one"), Some(true));
        file.forget_switch("app:*");
        assert_eq!((file.switched("app", "one"), file.switched("app", "two")), (Some(false), None));
    }

    #[test]
    fn an_event_is_switched_as_was_said_before() {
        let file = file("switched-before");
        file.switch("app", true).unwrap();
        let id = file.add_event("app", "late", "").unwrap();
        file.apply_switches(id, "app", "late");
        assert!(file.is_enabled(id, 0));
        let other = file.add_event("other", "late", "").unwrap();
        file.apply_switches(other, "other", "late");
        assert!(!file.is_enabled(other, 0));
    }

    #[test]
    fn switching_again_and_again_needs_no_more_room() {
        let file = file("switches-again");
        for round in 0..10_000 {
            file.switch("app:*", round % 2 == 0).unwrap();
        }
        for index in 1..SWITCHES {
            file.switch(&format!("app:e{index}"), true).unwrap();
        }
        assert_eq!(file.switch("one:more", true), Err(BadSwitch::Full));
        assert_eq!(file.switch(&"x".repeat(121), true), Err(BadSwitch::TooLong));
        file.forget_switch("app:e7");
        assert_eq!(file.switch("one:more", true), Ok(()));
    }
}
