//! The shared object that is put before libc: libc's names, and what happens around them.
//!
//! Nothing here makes a system call or takes a lock besides what libc's function does, and errno is left as
//! that left it.

mod argument;
mod attach;
mod author;
mod borrowed;
mod clone;
mod elf;
mod environment;
mod execute;
mod exit;
mod fork;
mod frame;
mod handler;
mod image;
mod limits;
mod link_map;
mod locking;
mod mapping;
mod memory;
mod objects;
mod origin;
mod place;
mod raw;
mod readable;
mod real;
mod reap;
mod record;
mod running;
mod sandbox;
mod send;
mod sockaddr;
mod stack;
mod starts;
mod stub;
mod symbols;
pub(crate) mod tables;
mod target;
mod thread;
mod vector;
mod vfork;
mod wrap;

pub(crate) use readable::readable;

/// There is no panic in this library: `lookback_agent_panics` is defined nowhere, so the linker refuses a
/// build in which this can be reached.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    unsafe extern "C" {
        fn lookback_agent_panics() -> !;
    }
    // SAFETY: never linked.
    unsafe { lookback_agent_panics() }
}
