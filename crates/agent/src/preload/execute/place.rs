//! Calls after which paths may lead elsewhere: what is executed then may not find our object.

use crate::preload::execute::environment;
use crate::preload::wrapper::frame::{CallFrame, CallHooks};

/// chroot(2), unshare(2), setns(2).
pub(crate) const HOOKS: CallHooks = CallHooks { before: |_| (), after: |frame| moved(frame) };

fn moved(frame: &mut CallFrame) {
    if frame.result as i32 == 0 {
        environment::moved();
    }
}
