//! The profile of functions: for each CPU a table of how often functions were called there, and how long they
//! took.
//!
//! ```text
//! +---------------+ 0
//! | ProfileHeader |  the CPUs whose tables have memory
//! +---------------+ PROFILE_HEADER_SIZE
//! | head          |  of CPU 0: what was not counted
//! | functions     |  a FunctionCounts for each that was called, where its key's hash says, or after it
//! +---------------+ PROFILE_HEADER_SIZE + CPU_PROFILE_SIZE
//! | ...           |  the next CPU's
//! ```
//!
//! Each takes memory when the profile is first enabled, and keeps what was counted until it is enabled again.
//! An entry gets its key by one compare-exchange, and is that function's until then. Everything else changes
//! by atomic additions: whoever is killed between two has lost what was not added yet.

use crate::atomic::AtomicU64;
use crate::buffer::MAX_CPUS;

/// The most functions that are counted on a CPU.
pub const PROFILE_FUNCTIONS: usize = 8191;

/// Bytes before the first CPU's table.
pub const PROFILE_HEADER_SIZE: usize = 4096;

/// Bytes of a CPU's table.
pub const CPU_PROFILE_SIZE: usize =
    size_of::<CpuProfileHead>() + PROFILE_FUNCTIONS * size_of::<FunctionCounts>();

/// What is known of all tables.
#[derive(Debug)]
#[repr(C)]
pub struct ProfileHeader {
    /// A bit for each CPU whose table has memory.
    pub counting: [AtomicU64; MAX_CPUS as usize / 64],
    /// Calls on other CPUs.
    pub elsewhere: AtomicU64,
}

/// What a CPU's table begins with.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct CpuProfileHead {
    /// Calls of functions that the table had no entry for.
    pub not_counted: AtomicU64,
    _line: [u64; 7],
}

/// What is known of a function's calls that began on a CPU.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct FunctionCounts {
    /// The [`function_key`]; 0 for none.
    pub key: AtomicU64,
    /// How many there were.
    pub hits: AtomicU64,
    /// Nanoseconds that those took which have returned.
    pub time: AtomicU64,
    /// The sum of their squares, the lower half first: a call of 5 seconds alone doesn't fit 64 bits.
    pub squares: [AtomicU64; 2],
    _line: [u64; 3],
}

const _: () = {
    assert!(size_of::<ProfileHeader>() <= PROFILE_HEADER_SIZE);
    assert!(CPU_PROFILE_SIZE == 512 * 1024);
};

/// Where a CPU's table starts.
pub const fn cpu_profile_offset(cpu: u32) -> u64 {
    (PROFILE_HEADER_SIZE + cpu as usize * CPU_PROFILE_SIZE) as u64
}

/// Bytes of all tables.
pub const fn profile_size(cpus: u32) -> u64 {
    cpu_profile_offset(cpus)
}

/// Bits of an address in a file.
const ADDRESS: u32 = 48;

/// What a function is found by whatever process has called it: the number of its file in the session, and the
/// address of its site there. Never 0.
pub const fn function_key(object: u32, address: u64) -> u64 {
    (object as u64 + 1) << ADDRESS | address & ((1 << ADDRESS) - 1)
}

/// The file and the address. None for a key that is none.
pub const fn function_of_key(key: u64) -> Option<(u32, u64)> {
    match key >> ADDRESS {
        0 => None,
        object => Some((object as u32 - 1, key & ((1 << ADDRESS) - 1))),
    }
}

/// Where the search for a key begins.
pub const fn first_entry(key: u64) -> usize {
    // Two rounds: after one, functions at equal distances are in heaps.
    const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
    let once = key.wrapping_mul(MULTIPLIER);
    let hash = (once ^ once >> 32).wrapping_mul(MULTIPLIER) >> 32;
    ((hash * PROFILE_FUNCTIONS as u64) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_the_file_and_the_address() {
        for function in [(0, 0), (1023, 0x1234), (5, (1 << 48) - 1)] {
            let key = function_key(function.0, function.1);
            assert_ne!(key, 0);
            assert_eq!(function_of_key(key), Some(function));
            assert!(first_entry(key) < PROFILE_FUNCTIONS);
        }
        assert_eq!(function_of_key(77), None);
    }

    #[test]
    fn functions_that_follow_one_another_are_spread() {
        for distance in [16, 48, 112] {
            let mut is_taken = [false; PROFILE_FUNCTIONS];
            let entries =
                (0..4096).map(|function| first_entry(function_key(3, 0x1000 + function * distance)));
            let distinct = entries.filter(|entry| !core::mem::replace(&mut is_taken[*entry], true)).count();
            // So many it would be if they were spread at random: 8191 * (1 - e^-0.5).
            assert!(distinct > 3100, "{distinct}");
        }
    }
}
