//! `uprobe_events` and `dynamic_events`: probes, by their definitions.

use crate::control_file::Change;
use crate::errno::errno;
use crate::listed::Listed;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;
use session::{Error, ProbeFailure, Removal};

/// Reads the definitions. Takes more of them, one in a line, and `-:[GRP/]EVENT` to remove some; opening it
/// with `O_TRUNC` removes all, or is EBUSY where one is enabled. A line is done before the next one is looked
/// at, and the first that is refused ends it.
///
/// Probes of the kernel's own code need its tracefs: there is no `kprobe_events`.
///
/// Source: `trace_parse_run_command` in `kernel/trace/trace.c`, `create_or_delete_trace_uprobe` in
/// `trace_uprobe.c` and `create_dyn_event` in `trace_dynevent.c` of Linux 6.18.
#[derive(Clone, Copy)]
struct ProbeEvents {
    /// Whether a definition after a `!` removes what it defines.
    takes_not: bool,
}

pub(super) const UPROBES: Listed = Listed {
    name: "uprobe_events",
    help: "Create/append/remove/show the userspace dynamic events",
    make: || std::sync::Arc::new(ProbeEvents { takes_not: false }),
};

pub(super) const DYNAMIC: Listed = Listed {
    name: "dynamic_events",
    help: "Create/append/remove/show the generic dynamic events",
    make: || std::sync::Arc::new(ProbeEvents { takes_not: true }),
};

/// The most bytes of a line.
const MOST_LINE: usize = 4094;

impl TextFile for ProbeEvents {
    const IS_KEPT: bool = true;

    /// Whoever defines probes at the top level enables and disables them there, and removes them: that is
    /// refused while they are enabled in the recording.
    fn takes_away(&self, change: Change<'_>) -> bool {
        change.is_written()
    }

    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        let probes = array.instance().session().probes();
        Ok(probes.iter().map(|probe| format!("{}\n", probe.definition)).collect())
    }

    fn store(&self, array: &TraceArray, bytes: &[u8]) -> Result<(), Errno> {
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        bytes.split(|byte| *byte == b'\n').try_for_each(|line| self.take(array, line))
    }

    fn truncate(&self, array: &TraceArray) -> Result<(), Errno> {
        array.instance().session().remove_all_probes().map(drop).map_err(errno)
    }
}

impl ProbeEvents {
    /// Does what a line says: nothing of a comment.
    fn take(self, array: &TraceArray, line: &[u8]) -> Result<(), Errno> {
        if line.len() > MOST_LINE {
            return Err(Errno::INVAL);
        }
        let line = line.split(|byte| *byte == b'#').next().unwrap_or_default();
        let line = std::str::from_utf8(line).map_err(|_| Errno::INVAL)?;
        if line.trim_ascii().is_empty() {
            return Ok(());
        }
        let session = array.instance().session();
        if line.starts_with('-') || self.takes_not && line.starts_with('!') {
            let removal = Removal::parse(line).ok_or(Errno::INVAL)?;
            return session.remove_probes(&removal).map(drop).map_err(errno);
        }
        let Err(error) = session.define_probe(line) else { return Ok(()) };
        if let Error::Probe(ProbeFailure::Bad(bad)) = &error
            && bad.error.is_logged()
        {
            let instance = array.instance();
            instance.log_error("trace_uprobe", bad.error.text(), &bad.command, bad.at).map_err(errno)?;
        }
        Err(errno(error))
    }
}

/// Reads how often each probe was hit while its event was enabled.
///
/// Source: `probes_profile_seq_show` in `kernel/trace/trace_uprobe.c` of Linux 6.18.
#[derive(Clone, Default)]
struct ProbeProfile;

pub(super) const PROFILE: Listed =
    Listed::of::<ProbeProfile>("uprobe_profile", "how often each probe was hit: file, event, hits");

impl TextFile for ProbeProfile {
    const MODE: u32 = 0o440;
    const IS_KEPT: bool = true;

    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        let session = array.instance().session();
        let probes = session.probes();
        let lines = probes.iter().map(|probe| {
            let (definition, hits) = (&probe.definition, session.probe_hits(probe).hits);
            format!("  {} {:<44} {hits:>15}\n", definition.path, definition.event)
        });
        Ok(lines.collect())
    }
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree, write};
    use rustix::fs::OFlags;
    use rustix::io::Errno;
    use session::Author;

    /// What Linux 6.18 answered to these.
    #[test]
    fn lines_without_a_definition_are_answered_as_by_the_kernel() {
        let (_directory, tree) = tree();
        for file in ["dynamic_events", "uprobe_events"] {
            for text in ["", "\n", "# comment\n", "   \n"] {
                assert_eq!(write(&tree, file, text), Ok(()), "{text:?}");
            }
            for text in ["-:nosuch", "-:nosuch\n", "-:a/b", "-:a b", "\n\n-:x\n", "-:x\ngarbage\n"] {
                assert_eq!(write(&tree, file, text), Err(Errno::NOENT), "{text:?}");
            }
            for text in ["garbage", "!x", "-:", "-", ":", "-: \n", "-x:y", "#c\ngarbage\n", "p:a/b c"] {
                assert_eq!(write(&tree, file, text), Err(Errno::INVAL), "{text:?}");
            }
            assert_eq!(read(&tree, file), "");
        }
    }

    #[test]
    fn probes_are_events_while_they_are_defined() {
        let (_directory, tree) = tree();
        let program = std::env::current_exe().unwrap();
        let program = program.to_str().unwrap();
        let add = |text: &str| {
            let mut file = tree.open("uprobe_events", OFlags::WRONLY | OFlags::APPEND)?;
            file.write_all(Author::current(), text.as_bytes())
        };
        add(&format!("p:shop/order {program}:0x100 n=%di:s32 # what is sold\n\np:more {program}:0x200"))
            .unwrap();
        let first = format!("p:shop/order {program}:0x0000000000000100 n=%di:s32\n");
        let both = format!("{first}p:uprobes/more {program}:0x0000000000000200\n");
        assert_eq!([read(&tree, "uprobe_events"), read(&tree, "dynamic_events")], [both.clone(), both]);
        let available = read(&tree, "available_events");
        assert!(available.contains("\nshop:order\n") && available.contains("\nuprobes:more\n"));
        assert!(
            read(&tree, "events/shop/order/format").ends_with("\"(%lx) n=%d\", REC->__probe_ip, REC->n\n")
        );
        write(&tree, "events/shop/order/filter", "n > 3").unwrap();
        write(&tree, "events/shop/order/enable", "1").unwrap();
        for (text, expected) in [("-:order", Errno::BUSY), ("-:nosuch", Errno::NOENT)] {
            assert_eq!(add(text), Err(expected), "{text}");
        }
        assert_eq!(write(&tree, "uprobe_events", ""), Err(Errno::BUSY));
        add("-:uprobes/more").unwrap();
        write(&tree, "events/shop/order/enable", "0").unwrap();
        assert_eq!(read(&tree, "uprobe_profile"), format!("  {program} {:<44} {:>15}\n", "order", 0));
        write(&tree, "uprobe_events", "").unwrap();
        assert_eq!(read(&tree, "uprobe_events"), "");
        assert!(!read(&tree, "available_events").contains("shop"));
        assert_eq!(tree.find("events/shop").map(drop), Err(Errno::NOENT));
        // The next of the name may be another one, and nothing of the first is left.
        add(&format!("p:shop/order {program}:0x100 m=%di\n")).unwrap();
        assert!(read(&tree, "events/shop/order/format").contains("field:u64 m;"));
        assert_eq!(read(&tree, "events/shop/order/filter"), "none\n");
        assert_eq!(read(&tree, "events/shop/order/enable"), "0\n");
        write(&tree, "dynamic_events", "").unwrap();
        add(&format!("p:shop/order {program}:0x100 n=%di:s32")).unwrap();
        assert_eq!(read(&tree, "events/shop/order/filter"), "none\n");
    }

    #[test]
    fn symbols_are_places_and_functions_have_arguments() {
        let (_directory, tree) = tree();
        let program = std::env::current_exe().unwrap();
        let program = program.to_str().unwrap();
        write(&tree, "uprobe_events", &format!("p {program}:main n=$arg1:s32")).unwrap();
        let text = read(&tree, "uprobe_events");
        assert!(
            text.starts_with(&format!("p:uprobes/p_main_0 {program}:0x")) && text.ends_with(" n=$arg1:s32\n")
        );
        let refused = write(&tree, "uprobe_events", &format!("r {program}:main+4"));
        assert_eq!(refused, Err(Errno::INVAL));
        assert!(read(&tree, "error_log").contains("error: Retprobe address must be an function entry\n"));
    }
}
