//! What disks say.

use std::io;

/// Whether an error says that there is no space left for more: on the disk, by a quota, or by the limit of a
/// file's size.
pub fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    [StorageFull, QuotaExceeded, FileTooLarge].contains(&error.kind())
}
