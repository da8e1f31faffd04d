//! Where programs are looked for that have no path.

use crate::preload::execute::environment::{current, value};
use core::ffi::CStr;
use core::ops::ControlFlow;

/// Calls `each` with the folders in which programs are looked for, until it says that this is enough.
pub(crate) fn for_each_folder(each: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) {
    // SAFETY: it is the process's own.
    let path = unsafe { value(current(), b"PATH=") }.map_or(&b"/bin:/usr/bin"[..], CStr::to_bytes);
    for folder in path.split(|byte| *byte == b':') {
        let folder = if folder.is_empty() { b"." } else { folder };
        if each(folder).is_break() {
            return;
        }
    }
}
