//! How large buffers are.

use crate::sessions_directory::free_bytes;
use crate::{Error, this_process};
use abi::buffer::{Clock, MIN_PAGES};
use abi::control::CONTROL_SIZE;
use abi::instance::{FIRST_MADE, INSTANCES};
use abi::page::{DEFAULT_SIZE, HEADER_SIZE};
use ring_buffer::Specification;
use rustix::process::{Resource, getrlimit};
use std::path::Path;

/// KB of buffer for each CPU when nothing else is said.
pub const DEFAULT_KB: u64 = 4096;

/// The most KB for each CPU: 16 GB.
const MOST_KB: u64 = 16 << 20;

/// The most snapshots that a session can keep at a time.
pub const MOST_SNAPSHOTS: u32 = abi::buffer::MAX_RINGS as u32 - 1;

/// How many times larger the buffers of a session can be made later, where it has space for snapshots: a
/// resize takes the same space. What is not used of that takes addresses and no memory.
const GROWTH: u64 = 4;

/// The most bytes of a session's file, most of which nobody may ever use: what a process can map.
const MOST_FILE: u64 = 1 << 44;

/// Lanes of a buffer.
const LANES: u32 = 4;

/// Bytes that a session takes in addition to the buffer, and to what belongs to further instances.
pub(crate) const CONTROL_BYTES: u64 = abi::control::FILTERING_OFFSET + abi::control::FILTERING as u64;

/// Pages for `kb` KB.
fn pages(kb: u64) -> Result<u32, Error> {
    let least = u64::from(MIN_PAGES) * DEFAULT_SIZE as u64 / 1024;
    if !(1..=MOST_KB).contains(&kb) {
        return Err(Error::BadSize { kb, least, most: MOST_KB });
    }
    Ok(((kb * 1024).div_ceil(DEFAULT_SIZE as u64) as u32).max(MIN_PAGES))
}

/// The most pages that a buffer of `pages` can be given later.
pub(crate) fn most_pages(pages: u32, snapshots: u32) -> u32 {
    let most = (u64::from(pages) * GROWTH).min(MOST_KB * 1024 / DEFAULT_SIZE as u64) as u32;
    if snapshots > 0 { most.max(pages) } else { pages }
}

/// Pages that hold `kb` KB of events, as the kernel counts them: without their headers. None for more than
/// any buffer has.
///
/// Source: `ring_buffer_resize` in `kernel/trace/ring_buffer.c` of Linux 6.18.
pub(crate) fn pages_of_events(kb: u64) -> Option<u32> {
    let pages = kb.checked_mul(1024)?.div_ceil((DEFAULT_SIZE - HEADER_SIZE) as u64);
    Some(u32::try_from(pages).ok()?.max(MIN_PAGES))
}

/// The buffer of a session with `kb` KB for each CPU of `cpus`, and space for `snapshots`.
pub(crate) fn specification(kb: u64, snapshots: u32, cpus: &[bool]) -> Result<Specification<'_>, Error> {
    if snapshots > MOST_SNAPSHOTS {
        return Err(Error::TooManySnapshots { snapshots, most: MOST_SNAPSHOTS });
    }
    let pages = pages(kb)?;
    Ok(Specification {
        page_size: DEFAULT_SIZE as u32,
        pages,
        most_pages: pages,
        cpus,
        lanes: LANES,
        rings: 1 + snapshots,
        clock: Clock::Tsc,
        overwrite: true,
        identity: 0,
    })
}

/// How many buffers of `size` bytes a file has in which so many instances can be made: the default one
/// alone where none can, else the control tree's own, too. Fewer than that where they are so large that no
/// file has them all.
pub(crate) fn buffers(made: u32, size: u64) -> usize {
    let most = MOST_FILE.checked_div(size).unwrap_or(1).min(INSTANCES as u64) as usize;
    let wanted = if made > 0 { made as usize + FIRST_MADE } else { 1 };
    wanted.min(most).max(1)
}

/// Bytes of such a session's file, once as many snapshots are kept as there is space for.
pub(crate) fn session_bytes(kb: u64, snapshots: u32, cpus: &[bool]) -> Result<u64, Error> {
    let buffer = specification(kb, snapshots, cpus)?.file_size().unwrap_or(u64::MAX);
    Ok(buffer.saturating_add(CONTROL_BYTES))
}

/// The largest size up to `kb` KB for each CPU with which a session at `path`, with `snapshots` kept, takes
/// at most half of what is free there. Containers have 64 MB in all; a session should not take that from the
/// programs in them.
pub fn fitting_kb(path: &Path, kb: u64, snapshots: u32) -> Result<u64, Error> {
    let cpus = this_process::allowed_cpus();
    let available = free_bytes(path).unwrap_or(u64::MAX) / 2;
    let mut fitting = kb;
    while session_bytes(fitting, snapshots, &cpus)? > available {
        fitting /= 2;
        if fitting < LEAST_KB {
            let wanted_kb = session_bytes(kb, snapshots, &cpus)? / 1024;
            let available_kb = available / 1024;
            return Err(Error::NoSpace { path: path.to_path_buf(), wanted_kb, available_kb });
        }
    }
    Ok(fitting)
}

/// The largest size up to `kb` KB for each CPU with which a session, with `snapshots` kept, leaves its
/// addresses to a program that is started from here: where they are limited, the program attaches if the
/// session takes a quarter of them at most.
pub fn addressable_kb(kb: u64, snapshots: u32) -> Result<u64, Error> {
    let cpus = this_process::allowed_cpus();
    let Some(most) = most_addresses() else { return Ok(kb) };
    let mut fitting = kb;
    while fitting > LEAST_KB && addresses(fitting, snapshots, &cpus)? > most {
        fitting /= 2;
    }
    Ok(fitting)
}

/// The least KB for each CPU to which a size is lowered that was not asked for.
const LEAST_KB: u64 = 16;

/// Bytes of addresses that a session may take in a program that is started from here. None where they are not
/// limited.
pub fn most_addresses() -> Option<u64> {
    let limit = getrlimit(Resource::As);
    let raisable = limit.maximum.map_or(u64::MAX, |hard| hard.saturating_sub(limit.current.unwrap_or(0)));
    limit.current.map(|soft| (soft / 4).max(raisable))
}

/// Bytes of addresses that an attached process takes.
fn addresses(kb: u64, snapshots: u32, cpus: &[bool]) -> Result<u64, Error> {
    let buffer = specification(kb, snapshots, cpus)?.mapped_size().unwrap_or(u64::MAX);
    Ok(buffer.saturating_add(CONTROL_SIZE as u64))
}

/// Checks that a session of `kb` KB for each CPU, with `snapshots` kept, fits what is free at `path`.
pub(crate) fn check_space(path: &Path, kb: u64, snapshots: u32, cpus: &[bool]) -> Result<(), Error> {
    let wanted = session_bytes(kb, snapshots, cpus)?;
    let available = free_bytes(path).unwrap_or(u64::MAX);
    if wanted > available {
        return Err(Error::NoSpace {
            path: path.to_path_buf(),
            wanted_kb: wanted / 1024,
            available_kb: available / 1024,
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_become_whole_pages() {
        assert_eq!(pages(1).unwrap(), 2);
        assert_eq!(pages(9).unwrap(), 3);
        assert_eq!(pages(DEFAULT_KB).unwrap(), 1024);
        assert!(matches!(pages(0), Err(Error::BadSize { .. })));
        assert!(matches!(pages(MOST_KB + 1), Err(Error::BadSize { .. })));
    }

    #[test]
    fn events_are_counted_as_by_the_kernel() {
        let pages = [1, 7, 8, 64, 1408].map(|kb| pages_of_events(kb).unwrap());
        assert_eq!(pages.map(|pages| u64::from(pages) * 4080 / 1024), [7, 7, 11, 67, 1410]);
        assert!(pages_of_events(u64::MAX).is_none() && pages_of_events(1 << 50).is_none());
    }

    #[test]
    fn each_snapshot_is_as_large_as_the_buffer() {
        let cpus = [true; 4];
        let bytes = |snapshots| session_bytes(1024, snapshots, &cpus).unwrap();
        let copy = bytes(1) - bytes(0);
        assert_eq!(bytes(7) - bytes(0), 7 * copy);
        // Four CPUs, and one more share for the lanes.
        assert!((5 << 20..6 << 20).contains(&copy), "{copy}");
        let refused = session_bytes(1024, MOST_SNAPSHOTS + 1, &cpus);
        assert!(matches!(refused, Err(Error::TooManySnapshots { .. })));
    }

    #[test]
    fn buffers_fit_a_file() {
        assert_eq!([buffers(0, 1 << 20), buffers(7, 1 << 20), buffers(1000, 1 << 20)], [1, 9, INSTANCES]);
        assert_eq!([buffers(7, 1 << 42), buffers(7, 1 << 45)], [4, 1]);
    }

    #[test]
    fn what_does_not_fit_is_made_smaller() {
        let directory = tempfile::tempdir().unwrap();
        let kb = fitting_kb(directory.path(), MOST_KB, 0).unwrap();
        assert!((16..=MOST_KB).contains(&kb));
        assert_eq!(fitting_kb(directory.path(), 64, 1).unwrap(), 64);
    }
}
