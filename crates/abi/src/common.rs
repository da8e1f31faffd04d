//! The four fields that start every event's payload, as in the kernel.
//!
//! ```text
//! offset 0  u16 common_type           the event's id
//! offset 2  u8  common_flags
//! offset 3  u8  common_preempt_count
//! offset 4  i32 common_pid            the thread (TID)
//! ```
//!
//! Source: `struct trace_entry` in `include/linux/trace_events.h`.

/// Bytes of the common fields.
pub const SIZE: usize = 8;

/// The kernel's "interrupts off" flag: here, the thread has asynchronous signals blocked.
pub const FLAG_SIGNALS_BLOCKED: u8 = 0x01;

/// The kernel's "hardirq" flag: here, the event was recorded in a signal handler.
pub const FLAG_SIGNAL_HANDLER: u8 = 0x08;

/// The most that the lower half of `common_preempt_count` says, as in the kernel: here, of locks held.
pub const MOST_LOCKS: u32 = 0xf;

/// The bits of the word in which the flags and the count are.
pub const STATE: u64 = 0xffff_0000;

/// The common fields as the one little-endian word they make.
pub const fn word(event: u16, flags: u8, preempt_count: u8, pid: i32) -> u64 {
    event as u64 | (flags as u64) << 16 | (preempt_count as u64) << 24 | (pid as u32 as u64) << 32
}

/// The event's id in the word of common fields.
pub const fn event(word: u64) -> u16 {
    word as u16
}

/// The thread in the word of common fields.
pub const fn pid(word: u64) -> i32 {
    (word >> 32) as i32
}
