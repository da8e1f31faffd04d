//! Times in a session's clock.

use control::Clocks;
use session::Instance;

/// From times in the session's buffer to those that are shown.
pub(super) fn times(session: &Instance) -> impl Fn(u64) -> u64 {
    let timeline = session.timeline(&[session.control().identity().created, Clocks::now()]);
    move |time| timeline.time(time)
}

/// The time now, in the session's clock.
pub(super) fn now(session: &Instance) -> u64 {
    times(session)(session.buffer().now())
}
