//! `error_log`: why commands to control files were refused.

use crate::errno::errno;
use crate::file::{Control, Text};
use crate::listed::Listed;
use crate::tree::Tree;
use rustix::io::Errno;

/// Reads the last 8 errors. Opening it for writing with `O_TRUNC` forgets them; what is written is not looked
/// at.
///
/// Source: `tracing_err_log_open` in `kernel/trace/trace.c` of Linux 6.18.
#[derive(Debug, Clone)]
struct ErrorLog;

pub(super) const LISTED: Listed = Listed {
    name: "error_log",
    help: "why commands were refused; echo > error_log forgets it",
    make: || Box::new(ErrorLog),
};

impl Control for ErrorLog {
    const TEXT: Text = Text::Kept;

    fn mode(&self) -> u32 {
        0o640
    }

    fn show(&self, tree: &Tree) -> Result<Vec<u8>, Errno> {
        Ok(tree.session().error_log().into_bytes())
    }

    fn store(&self, _tree: &Tree, bytes: &[u8]) -> Result<usize, Errno> {
        Ok(bytes.len())
    }

    fn truncate(&self, tree: &Tree) -> Result<(), Errno> {
        tree.session().clear_error_log().map_err(|error| errno(&error))
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
        tree.session().log_error("event filter parse error", "Field not found", "foo == 1", 4).unwrap();
        let mut file = tree.open("error_log", OFlags::RDWR | OFlags::APPEND).unwrap();
        assert_eq!(file.write(Author::current(), b"anything"), Ok(8));
        assert!(read(&tree, "error_log").ends_with("  Command: foo == 1\n               ^\n"));
        write(&tree, "error_log", "").unwrap();
        assert_eq!(read(&tree, "error_log"), "");
    }
}
