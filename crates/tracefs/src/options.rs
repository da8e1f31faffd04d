//! `options`: a file for each option.

use crate::errno::errno;
use crate::node::{Directory, Node};
use crate::number;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;
use session::TraceOption;
use std::sync::Arc;

/// One of them: 0 or 1. While one of a tracer's is open, its instance can't be removed; for the others it is
/// ENODEV when it has been: the kernel reads and writes memory that it has given back.
#[derive(Debug, Clone)]
struct OptionFile(TraceOption);

impl TextFile for OptionFile {
    fn keeps_instance(&self) -> bool {
        self.0.tracer().is_some()
    }

    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        array.still_there()?;
        Ok(if array.instance().option(self.0) { "1\n".to_string() } else { "0\n".to_string() })
    }

    fn store(&self, array: &TraceArray, bytes: &[u8]) -> Result<(), Errno> {
        array.still_there()?;
        let on = number::parse_switch(bytes)?;
        array.instance().set_option(self.0, on).map_err(errno)
    }
}

pub(crate) struct OptionsDirectory;

impl Directory for OptionsDirectory {
    fn names(&self, array: &TraceArray) -> Vec<String> {
        let options = TraceOption::ALL.iter().filter(|option| is_there(array, **option));
        options.map(|option| option.name().to_string()).collect()
    }

    fn entry(&self, array: &TraceArray, name: &str) -> Option<Node> {
        let option = TraceOption::named(name).filter(|option| is_there(array, *option))?;
        Some(Node::file(array, Arc::new(OptionFile(option))))
    }
}

fn is_there(array: &TraceArray, option: TraceOption) -> bool {
    array.is_top() || !option.is_at_top_only()
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree, write};
    use rustix::fs::OFlags;

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

    #[test]
    fn they_are_in_the_kernels_order() {
        let (_directory, tree) = tree();
        let expected = "print-parent nosym-offset nosym-addr noverbose noraw nohex nobin noblock nofields \
             annotate noprintk-msg-only context-info nolatency-format record-cmd norecord-tgid overwrite \
             nodisable_on_free irq-info markers noevent-fork copy_trace_marker nopause-on-trace function-trace \
             nofunction-fork nodisplay-graph nostacktrace";
        assert_eq!(read(&tree, "trace_options").split_whitespace().collect::<Vec<_>>().join(" "), expected);
    }

    #[test]
    fn texts_follow_them() {
        let (_directory, tree) = tree();
        write(&tree, "trace_marker", "text").unwrap();
        let last = |option: &str| {
            write(&tree, "trace_options", option).unwrap();
            let text = read(&tree, "trace");
            write(&tree, "trace_options", &format!("no{option}")).unwrap();
            text.lines().rfind(|line| !line.is_empty()).unwrap_or_default().to_string()
        };
        assert!(last("sym-offset").ends_with(": tracing_mark_write+0x0/0x1: text"));
        assert!(last("sym-addr").ends_with(": tracing_mark_write <00fffffffffff000>: text"));
        assert!(last("raw").ends_with(" # fffffffffff000 text"));
        assert!(last("hex").ends_with(" type: 5"));
        assert!(last("fields").ends_with(": UNKNOWN TYPE 5"));
        assert_eq!(last("printk-msg-only"), "text");
        write(&tree, "trace_options", "norecord-cmd").unwrap();
        assert!(read(&tree, "trace").lines().last().unwrap_or_default().starts_with("           <...>-"));
    }

    #[test]
    fn with_block_a_pipe_can_always_be_read() {
        let (_directory, tree) = tree();
        let pipe = tree.open("trace_pipe", OFlags::RDONLY | OFlags::NONBLOCK).unwrap();
        assert!(!pipe.is_readable());
        write(&tree, "options/block", "1").unwrap();
        assert!(pipe.is_readable());
    }
}
