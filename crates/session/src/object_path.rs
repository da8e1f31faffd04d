//! The paths of files that traced processes have mapped.

use control::{ControlArea, ObjectInfo};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// The path of a mapped file, as its processes have it. None where the entry is another one by now.
pub fn object_path(control: &ControlArea, object: &ObjectInfo) -> Option<PathBuf> {
    let mut buffer = vec![0; object.path_len()];
    let len = control.object_path(object, &mut buffer)?.len();
    buffer.truncate(len);
    Some(OsString::from_vec(buffer).into())
}
