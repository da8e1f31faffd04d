//! `kptr_restrict` of `/proc/sys/kernel`: clients set it before they trace.

use crate::listed::Listed;
use crate::number;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;
use std::sync::Arc;

/// A number that can't be changed: writing the same succeeds.
#[derive(Debug, Clone)]
struct Fixed {
    number: u64,
    /// What others are.
    error: Errno,
}

/// Addresses are shown to all who may read them.
pub(super) const KPTR_RESTRICT: Listed =
    Listed { name: "kptr_restrict", help: "0", make: || Arc::new(Fixed { number: 0, error: Errno::PERM }) };

impl TextFile for Fixed {
    const MODE: u32 = 0o644;

    fn show(&self, _array: &TraceArray) -> Result<String, Errno> {
        Ok(format!("{}\n", self.number))
    }

    fn store(&self, _array: &TraceArray, bytes: &[u8]) -> Result<(), Errno> {
        match number::parse(bytes)? {
            number if number == self.number => Ok(()),
            _ => Err(self.error),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree, write};
    use rustix::io::Errno;

    #[test]
    fn what_is_so_can_be_written() {
        let (_directory, tree) = tree();
        let proc = tree.proc_files();
        assert_eq!(read(&proc, "kptr_restrict"), "0\n");
        assert_eq!(write(&proc, "kptr_restrict", "0"), Ok(()));
        assert_eq!(write(&proc, "kptr_restrict", "1"), Err(Errno::PERM));
        assert_eq!(write(&proc, "kptr_restrict", "x"), Err(Errno::INVAL));
        assert_eq!(tree.find("kallsyms").err(), Some(Errno::NOENT));
        assert_eq!(proc.make_directory("instances/one"), Err(Errno::NOENT));
    }
}
