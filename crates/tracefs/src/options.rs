//! `options`: a file for each option.

use crate::file::Control;
use crate::number;
use crate::tree::{Node, Tree, errno};
use rustix::io::Errno;
use session::TraceOption;

/// One of them: 0 or 1. ENODEV when the instance has been removed meanwhile: the kernel reads and writes
/// memory that it has given back.
#[derive(Debug, Clone)]
pub(crate) struct OptionFile(TraceOption);

impl Control for OptionFile {
    const KEEPS_INSTANCE: bool = false;

    fn mode(&self) -> u32 {
        0o640
    }

    fn show(&self, tree: &Tree) -> Result<Vec<u8>, Errno> {
        still_there(tree)?;
        Ok(if tree.session().option(self.0) { b"1\n".to_vec() } else { b"0\n".to_vec() })
    }

    fn store(&self, tree: &Tree, bytes: &[u8]) -> Result<usize, Errno> {
        still_there(tree)?;
        let on = number::parse_switch(bytes)?;
        tree.session().set_option(self.0, on).map_err(|error| errno(&error))?;
        Ok(bytes.len())
    }
}

fn still_there(tree: &Tree) -> Result<(), Errno> {
    if tree.session().is_there() { Ok(()) } else { Err(Errno::NODEV) }
}

/// What the directory has.
pub(crate) fn names() -> Vec<String> {
    TraceOption::ALL.iter().map(|option| option.name().to_string()).collect()
}

/// What it has of this name.
pub(crate) fn entry(name: &str) -> Option<Node> {
    TraceOption::named(name).map(|option| Node::File(Box::new(OptionFile(option))))
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree, write};

    #[test]
    fn an_option_is_the_same_in_its_file_and_in_the_list() {
        let (_directory, tree) = tree();
        let has = |line: &str| read(&tree, "trace_options").lines().any(|found| found == line);
        assert!(has("irq-info") && has("norecord-tgid"));
        write(&tree, "options/record-tgid", "1").unwrap();
        assert!(has("record-tgid"));
        write(&tree, "trace_options", " norecord-tgid \n").unwrap();
        assert_eq!(read(&tree, "options/record-tgid"), "0\n");
    }
}
