//! `dynamic_events`: events that are made by writing their definition.

use crate::listed::Listed;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;

/// Reads the definitions. No kind of event can be made this way: what clients look for is there, reads as
/// empty, and takes what has nothing to do; `-:NAME` is ENOENT, a definition EINVAL.
///
/// Source: `create_dyn_event` in `kernel/trace/trace_dynevent.c` of Linux
/// 6.18, and what that answers without probes.
#[derive(Clone, Default)]
struct DynamicEvents;

pub(super) const LISTED: Listed = Listed::of::<DynamicEvents>(
    "dynamic_events",
    "events that were made by their definition: there is no such kind",
);

impl TextFile for DynamicEvents {
    fn show(&self, _array: &TraceArray) -> Result<String, Errno> {
        Ok(String::new())
    }

    /// Line by line, up to the first that is refused.
    fn store(&self, _array: &TraceArray, bytes: &[u8]) -> Result<(), Errno> {
        bytes.split(|byte| *byte == b'\n').try_for_each(define)
    }
}

/// What becomes of a line: nothing of a comment.
fn define(line: &[u8]) -> Result<(), Errno> {
    match line.trim_ascii() {
        [] | [b'#', ..] => Ok(()),
        [b'-', b':', _, ..] => Err(Errno::NOENT),
        _ => Err(Errno::INVAL),
    }
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree, write};
    use rustix::io::Errno;

    /// What Linux 6.18 answered to these.
    #[test]
    fn there_are_none_and_none_can_be_made() {
        let (_directory, tree) = tree();
        for text in ["", "\n", "# comment\n", "   \n"] {
            assert_eq!(write(&tree, "dynamic_events", text), Ok(()), "{text:?}");
        }
        for text in ["-:nosuch", "-:nosuch\n", "-:a/b", "-:a b", "\n\n-:x\n", "-:x\ngarbage\n"] {
            assert_eq!(write(&tree, "dynamic_events", text), Err(Errno::NOENT), "{text:?}");
        }
        for text in ["garbage", "!x", "-:", "-", ":", "-: \n", "-x:y", "#c\ngarbage\n", "p:a/b c"] {
            assert_eq!(write(&tree, "dynamic_events", text), Err(Errno::INVAL), "{text:?}");
        }
        assert_eq!(read(&tree, "dynamic_events"), "");
    }
}
