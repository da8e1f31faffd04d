//! How many bytes a call has moved.

use crate::drawing::SliceEnd;

/// The calls that return how many bytes they have moved.
const BYTE_CALLS: [&str; 22] = [
    "read",
    "pread",
    "pread64",
    "readv",
    "preadv",
    "write",
    "pwrite",
    "pwrite64",
    "writev",
    "pwritev",
    "recv",
    "recvfrom",
    "recvmsg",
    "send",
    "sendto",
    "sendmsg",
    "sendfile",
    "splice",
    "copy_file_range",
    "getrandom",
    "tee",
    "vmsplice",
];

/// Bytes that a call has read, written, sent or received; 0 of others, and of those that have failed.
pub(crate) fn moved_bytes(slice: &SliceEnd<'_>) -> u64 {
    let name = &*slice.name.name;
    if !BYTE_CALLS.contains(&name.strip_prefix("sys_").unwrap_or(name)) {
        return 0;
    }
    let moved = slice.arguments.and_then(|arguments| arguments.number("ret"));
    moved.map_or(0, |moved| moved.max(0) as u64)
}
