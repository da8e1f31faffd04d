//! Calls after which paths may lead elsewhere: what is executed then may not find our object.

use crate::preload::execute::environment;
use crate::preload::wrapper::frame::{Frame, Hooks};

/// chroot(2), unshare(2), setns(2).
pub(crate) const HOOKS: Hooks = Hooks { before: |_| (), after: |frame| moved(frame) };

fn moved(frame: &mut Frame) {
    if frame.result as i32 == 0 {
        environment::moved();
    }
}
