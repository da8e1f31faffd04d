//! Instances: the buffers of a session, and the events that go to each.
//!
//! The first is the recording, which is always there. The others are made and removed while programs run:
//! their space in the file is there from the start, so that no traced process has to map anything when one is
//! made.
//!
//! Source: `instances/` in the kernel's tracefs (`kernel/trace/trace.c`), and the LWN article on several ring
//! buffers of 2012.

use crate::atomic::{AtomicU32, AtomicU64};

/// The most instances of a session: the recording's, the control tree's own, and 64 more.
pub const INSTANCES: usize = 66;

/// The recording: always there.
pub const RECORDING: usize = 0;
/// That of the control tree's top level, from when something is first written there.
pub const TOP: usize = 1;
/// The first of those that are made and removed.
pub const FIRST_MADE: usize = 2;

/// The bit of the profile of functions in sets of instances that want a function: it is no instance, and
/// wants some as they do.
pub const PROFILE: usize = INSTANCES;

/// The bit of probes that are hit when a function returns: the same.
pub const RETURN_PROBES: usize = PROFILE + 1;

/// Words with a bit for each instance, for [`PROFILE`] and for [`RETURN_PROBES`].
pub const INSTANCE_WORDS: usize = (RETURN_PROBES + 1).div_ceil(64);

/// The flag of an instance that has a PID filter whose events alone are recorded.
pub const PIDS: u32 = 1;
/// Events of listed threads are not recorded, those of all others are.
pub const NOT_PIDS: u32 = 2;
/// The flag of an instance whose events have a stack trace each.
pub const STACKS: u32 = 4;
/// The flag of an instance that gets what is written to the first one's markers. Not of the first itself.
pub const MARKER_COPIES: u32 = 16;
/// The flag of an instance whose markers can't be written.
pub const NO_MARKERS: u32 = 32;
/// The flag of the top level's where it doesn't get what is written to its own markers.
pub const NO_MARKER_COPIES: u32 = 64;

/// The flag of an instance whose function events have the registers that arguments are in.
pub const ARGUMENTS: u32 = 128;

/// The flag of an instance whose function graphs have the addresses that functions return to.
pub const RETURN_ADDRESSES: u32 = 256;
/// The flag of an instance whose function graphs have the registers that arguments are in.
pub const GRAPH_ARGUMENTS: u32 = 512;
/// The flag of an instance whose function graphs have nothing of handlers of signals.
pub const NO_HANDLERS: u32 = 1024;

/// The flag of an instance that has a PID filter whose threads' functions alone are traced.
pub const FUNCTION_PIDS: u32 = 2048;
/// Functions of listed threads are not traced, those of all others are.
pub const FUNCTION_NOT_PIDS: u32 = 4096;

/// The flag of an instance whose function events have a stack trace each.
pub const FUNCTION_STACKS: u32 = 8192;
/// The flag of an instance in which calls of the same function by the same caller in a row are counted, and
/// only the first is recorded.
pub const NO_REPEATS: u32 = 16384;

/// The flag of an instance that somebody has kept from recording by `tracing_enabled`.
pub const NOT_ENABLED: u32 = 32768;

/// The flag of the top level's where the profile leaves out of a function's time that of others within it.
pub const NO_GRAPH_TIME: u32 = 65536;

/// The flag of an instance in which calls of functions are recorded only by threads that are in a section
/// that a latency tracer measures there, and nothing but the calls.
pub const IN_SECTIONS: u32 = 131_072;

/// The flags that are about functions, and about nothing else.
pub const FUNCTION_FLAGS: u32 = ARGUMENTS
    | RETURN_ADDRESSES
    | GRAPH_ARGUMENTS
    | NO_HANDLERS
    | FUNCTION_PIDS
    | FUNCTION_NOT_PIDS
    | FUNCTION_STACKS
    | NO_REPEATS
    | NO_GRAPH_TIME
    | IN_SECTIONS;

/// Bytes of a name with the zero after it: the kernel's `NAME_MAX`, and one.
pub const INSTANCE_NAME: usize = 256;

/// The flag of the tree's top level, while it shows the recording: that was stopped there.
pub const STOPPED_HERE: u32 = 8;

/// What is known of an instance.
#[derive(Debug)]
#[repr(C)]
pub struct InstanceSlot {
    /// [`InstanceState`]. Only who has the lock on the session's settings changes it.
    pub state: AtomicU32,
    /// What is to be done with each of its events, and so before any is written: [`PIDS`], [`NOT_PIDS`],
    /// [`STACKS`], [`FUNCTION_FLAGS`]. And for one who writes markers [`MARKER_COPIES`], [`NO_MARKERS`],
    /// [`NO_MARKER_COPIES`].
    pub flags: AtomicU32,
    /// The clock of times that are shown, see [`crate::clock::TraceClock`]; for the recording the header's.
    pub trace_clock: AtomicU32,
    /// Bytes of the stack that are copied after an event whose stack is recorded; 0 where nobody has said.
    pub stack_bytes: AtomicU32,
    /// Its name, zeros after it.
    pub name: [AtomicU64; INSTANCE_NAME / 8],
    /// Of the tree's top level: up to when its past is the recording's, in the buffer's clock; 0 for never.
    pub past_until: AtomicU64,
    /// The generation of its buffer that has this past: with the next one it is gone.
    pub past_generation: AtomicU64,
    /// Events that were wanted in it and not recorded, because the process has not mapped its buffer.
    pub not_mapped: AtomicU64,
    /// Version << 32 | words of its lists of functions, with [`HAS_COMMANDS`]; they are in the area that is
    /// the version's lowest bit. Published by one store, after the other area was filled.
    pub functions: AtomicU64,
    /// What is longer is recorded by the tracer `function_graph`, and nothing else, in nanoseconds: the
    /// kernel's `tracing_thresh`. Latency tracers keep each section that is as long. 0 for none.
    pub threshold: AtomicU64,
    /// How many levels of calls the tracer `function_graph` records; 0 for all.
    pub graph_depth: AtomicU32,
    _graph_depth: u32,
    /// The longest section of a latency tracer so far, in nanoseconds, or what somebody has written there:
    /// the kernel's `tracing_max_latency`.
    pub max_latency: AtomicU64,
}

/// The bit of [`InstanceSlot::functions`] that says that functions have commands.
pub const HAS_COMMANDS: u32 = 1 << 31;

/// The most commands that functions can have, in all instances together.
pub const COMMANDS: usize = 64;

/// Bytes of the stack that are copied where nobody has said how many.
pub const DEFAULT_STACK_BYTES: u32 = 3968;

/// The word that says whether an instance is there: a count of its changes, and the lowest bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InstanceState(pub u32);

impl InstanceState {
    /// Whether it is there.
    pub const fn is_there(self) -> bool {
        self.0 & 1 == 1
    }

    /// The next state, in which it is there, or is not.
    pub const fn next(self, is_there: bool) -> InstanceState {
        InstanceState(((self.0 >> 1).wrapping_add(1)) << 1 | is_there as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_states_in_a_row_are_the_same() {
        let made = InstanceState(0).next(true);
        assert!(made.is_there() && !made.next(false).is_there());
        assert_ne!(made.next(false).next(true), made);
        assert!(InstanceState(u32::MAX).next(true).is_there());
    }
}
