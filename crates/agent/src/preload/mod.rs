//! The shared object that is put before libc: libc's names, and what happens around them.
//!
//! Nothing here takes a lock besides what libc's function does, or makes a system call while a call is
//! recorded; but for `wakeup`, where the latency tracer of that name asks about descriptors. errno is left as
//! libc's function left it.

mod arch;
mod execute;
mod function;
mod lock;
mod memory;
pub(crate) mod object;
mod process;
mod record;
mod section;
mod signal;
mod thread;
mod wakeup;
mod wrapper;

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
