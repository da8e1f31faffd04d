//! Records of syslog(3) that say that something went wrong.
//!
//! # Safety
//!
//! Hooks are called by the frame of `frame.rs` only, before the call that they are named after, with its
//! arguments.

use crate::preload::process::abort::text_at;
use crate::preload::signal::fatal;
use crate::preload::wrapper::frame::{CallFrame, CallHooks};
use abi::control::ErrorSet;
use libc::{LOG_ERR, LOG_PRIMASK};
use ring_buffer::{Reason, SnapshotCause};
use trace_event::chooses_errors;

/// syslog(3) and its like.
pub(crate) const HOOKS: CallHooks = CallHooks { before: before_syslog, after: |_| () };

unsafe fn before_syslog(frame: &mut CallFrame) {
    let [priority, second, third, ..] = frame.arguments;
    let level = priority as i32 & LOG_PRIMASK;
    if level > LOG_ERR || !chooses_errors(ErrorSet::SYSLOG) {
        return;
    }
    let format = if frame.wrapped.is_checked() { third } else { second };
    // What the arguments make of it is not known before libc has made it.
    // SAFETY: libc is about to read the text.
    let reason = Reason::of(&[unsafe { text_at(format as usize) }]);
    fatal::take_snapshot(ErrorSet::SYSLOG, None, SnapshotCause::Syslog { level: level as u16 }, reason);
}
