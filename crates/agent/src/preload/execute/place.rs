//! Calls after which paths may lead elsewhere: what is executed then may not find our object. Or what is made
//! then counts in another pid namespace.

use crate::preload::execute::environment;
use crate::preload::wrapper::frame::{CallFrame, CallHooks};
use libc::CLONE_NEWPID;
use trace_event::session;

/// chroot(2).
pub(crate) const HOOKS: CallHooks = CallHooks { before: |_| (), after: |frame| moved(frame, 0) };

/// unshare(2).
pub(crate) const UNSHARE: CallHooks =
    CallHooks { before: |_| (), after: |frame| moved(frame, frame.arguments[0] as i32) };

/// setns(2), which enters all that a descriptor stands for where no kind is said.
pub(crate) const SETNS: CallHooks = CallHooks {
    before: |_| (),
    after: |frame| match frame.arguments[1] as i32 {
        0 => moved(frame, CLONE_NEWPID),
        kind => moved(frame, kind),
    },
};

fn moved(frame: &mut CallFrame, kinds: i32) {
    if frame.result as i32 == 0 {
        environment::moved();
        makes_with(kinds);
    }
}

/// What this process makes is made with these flags, or is from now on.
pub(crate) fn makes_with(flags: i32) {
    if let Some(session) = session().filter(|_| flags & CLONE_NEWPID != 0) {
        session.makes_elsewhere();
    }
}
