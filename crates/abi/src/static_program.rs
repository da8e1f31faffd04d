//! What the agent is told in a static program, which has no dynamic linker to ask.
//!
//! The command maps the agent there as a dynamic linker would, has its addresses relocated, and fills this:
//! the word that says so last. As long as that is 0 all of it may be done again.

/// The symbol of the [`StaticProgram`].
pub const PROGRAM_SYMBOL: &str = "lookback_static_program";

/// Bytes of the agent's thread-local words, at most.
pub const BLOCK: usize = 512;

/// The most entries of the auxiliary vector.
pub const AUXILIARY: usize = 48;

/// What the agent is told.
#[derive(Debug)]
#[repr(C)]
pub struct StaticProgram {
    /// Not 0 once the agent's addresses are relocated, and the rest of this is there.
    pub is_ready: u64,
    /// Not 0 in a program of Go, whose threads are not those of a C library.
    pub is_of_go: u64,
    /// What the kernel has passed to the process when it started: kinds and values, up to a kind of 0.
    pub auxiliary: [[u64; 2]; AUXILIARY],
}

impl StaticProgram {
    /// One that nobody has filled.
    pub const fn new() -> StaticProgram {
        StaticProgram { is_ready: 0, is_of_go: 0, auxiliary: [[0; 2]; AUXILIARY] }
    }

    /// What the kernel has passed as `kind`; 0 where it hasn't.
    pub fn auxiliary(&self, kind: u64) -> u64 {
        passed(self.auxiliary.iter().copied(), kind).unwrap_or(0)
    }
}

/// What the kernel has passed as `kind`, by entries of the auxiliary vector. One of kind 0 is its end.
pub fn passed(entries: impl IntoIterator<Item = [u64; 2]>, kind: u64) -> Option<u64> {
    let mut known = entries.into_iter().take_while(|entry| entry[0] != 0);
    known.find(|entry| entry[0] == kind).map(|entry| entry[1])
}

impl Default for StaticProgram {
    fn default() -> Self {
        StaticProgram::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_has_passed_is_found_up_to_the_end() {
        let mut program = StaticProgram::new();
        program.auxiliary[0] = [3, 0x40_0040];
        program.auxiliary[1] = [5, 9];
        program.auxiliary[3] = [6, 4096];
        assert_eq!([3, 5, 6, 0].map(|kind| program.auxiliary(kind)), [0x40_0040, 9, 0, 0]);
    }
}
