//! `error_log`: why commands to control files were refused.

use crate::errno::errno;
use crate::listed::Listed;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;

/// Reads the last 8 errors. Opening it for writing with `O_TRUNC` forgets them; what is written is not looked
/// at.
///
/// Source: `tracing_err_log_open` in `kernel/trace/trace.c` of Linux 6.18.
#[derive(Clone, Default)]
struct ErrorLog;

pub(super) const LISTED: Listed =
    Listed::of::<ErrorLog>("error_log", "why commands were refused; echo > error_log forgets it");

impl TextFile for ErrorLog {
    const IS_KEPT: bool = true;

    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        Ok(array.instance().error_log())
    }

    fn store(&self, _array: &TraceArray, _bytes: &[u8]) -> Result<(), Errno> {
        Ok(())
    }

    fn truncate(&self, array: &TraceArray) -> Result<(), Errno> {
        array.instance().clear_error_log().map_err(errno)
    }
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree, write};
    use rustix::fs::OFlags;
    use session::Author;

    #[test]
    fn only_opening_with_truncation_forgets() {
        let (_directory, tree) = tree();
        tree.instance().log_error("event filter parse error", "Field not found", "foo == 1", 4).unwrap();
        let mut file = tree.open("error_log", OFlags::RDWR | OFlags::APPEND).unwrap();
        assert_eq!(file.write(Author::current(), b"anything"), Ok(8));
        assert!(read(&tree, "error_log").ends_with("  Command: foo == 1\n               ^\n"));
        write(&tree, "error_log", "").unwrap();
        assert_eq!(read(&tree, "error_log"), "");
    }
}
