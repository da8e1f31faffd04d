//! What the agent keeps in threads of Go's programs, for which the command looks, too.
//!
//! The thread pointer leads to the second of six words of the runtime's `m` (`m.tls`). The first one has the
//! goroutine, and the others are of no use to anybody on Linux.

/// Words of a thread from its pointer on, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct GoThreadWords;

impl GoThreadWords {
    /// How many bytes they are.
    pub const LEN: usize = 40;

    /// Where the thread pointer itself is: the agent finds its thread-local words by it.
    pub const POINTER: usize = 0;

    /// Where the address of the end of its stack of the agent's is: 0 as long as it has none, and
    /// [`GoThreadWords::BUSY`] while it looks for one.
    pub const STACK: usize = 8;

    /// Where three registers are kept meanwhile.
    pub const KEPT: [usize; 3] = [16, 24, 32];

    /// What no stack's address is.
    pub const BUSY: u64 = 1;
}

/// Where the runtime keeps the goroutine of a thread, before its pointer.
pub const GOROUTINE_BEFORE: u64 = 8;

/// Where a goroutine leads to the thread that it runs on, its `m`. It begins with where its stack starts and
/// ends.
pub const THREAD_OF_GOROUTINE: u64 = 48;

/// How far before its pointer an `m` begins, at most.
pub const THREAD_BEFORE: u64 = 512;
