//! `filter`: which records of an event are written, decided in the traced process.

use crate::errno::errno;
use crate::group::Group;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;

/// Of an event: reads its filter, or `none`. Takes another, or 0 for none. Of a system: takes one for those
/// of its events that have the fields.
///
/// What is wrong with a filter is in `error_log`. The event keeps the one that it had; the kernel's loses it.
///
/// Source: `event_filter_write` and `subsystem_filter_write` in `kernel/trace/trace_events.c`, and
/// `kernel/trace/trace_events_filter.c`, of Linux 6.18.
#[derive(Clone)]
pub(crate) struct FilterFile(pub(crate) Group);

/// What a system's file reads: the kernel's `DEFAULT_SYS_FILTER_MESSAGE`.
const OF_SYSTEM: &str = "\
### global filter ###
# Use this to set filters for multiple events.
# Only events with the given fields will be affected.
# If no events are modified, an error message will be displayed here
";

/// Texts of a page and more are refused.
pub(super) const PAGE: usize = 4096;

/// Errors that `error_log` keeps.
const LOGGED: usize = 8;

impl TextFile for FilterFile {
    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        let Group::Event(name) = &self.0 else { return Ok(OF_SYSTEM.into()) };
        let filter = array.instance().filter(name.id);
        Ok(filter.unwrap_or_else(|| "none".to_string()) + "\n")
    }

    fn store(&self, array: &TraceArray, bytes: &[u8]) -> Result<(), Errno> {
        if bytes.len() >= PAGE {
            return Err(Errno::INVAL);
        }
        let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
        let text = String::from_utf8_lossy(text);
        let text = text.trim_ascii();
        let refused = array.instance().set_filters(&self.0.ids(array), text).map_err(errno)?;
        for error in refused.iter().skip(refused.len().saturating_sub(LOGGED)) {
            log_error(array, text, &error.to_string(), error.position)?;
        }
        match (refused.first(), &self.0) {
            (Some(error), Group::Event(_)) => Err(Errno::from_raw_os_error(error.errno())),
            _ => Ok(()),
        }
    }
}

/// Adds to `error_log` what is wrong with a filter, and where.
pub(super) fn log_error(array: &TraceArray, filter: &str, wrong: &str, at: usize) -> Result<(), Errno> {
    array.instance().log_error("event filter parse error", wrong, filter, at).map_err(errno)
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree, write};
    use rustix::io::Errno;

    const OPENAT: &str = "events/libc/openat_exit/filter";
    const READ: &str = "events/libc/read_exit/filter";

    #[test]
    fn a_filter_stays_until_another_is_taken() {
        let (_directory, tree) = tree();
        assert_eq!(read(&tree, OPENAT), "none\n");
        write(&tree, OPENAT, " ret < 0 && pathname ~ \"*.conf\"\n").unwrap();
        assert_eq!(read(&tree, OPENAT), "ret < 0 && pathname ~ \"*.conf\"\n");
        assert_eq!(write(&tree, OPENAT, "nothing == 1"), Err(Errno::INVAL));
        assert_eq!(read(&tree, OPENAT), "ret < 0 && pathname ~ \"*.conf\"\n");
        let log = read(&tree, "error_log");
        let expected = "event filter parse error: error: Field not found\n  Command: nothing == 1\n";
        assert!(log.contains(expected), "{log}");
        write(&tree, OPENAT, "error == ENOENT||error==EACCES").unwrap();
        assert_eq!(read(&tree, OPENAT), "error == ENOENT||error==EACCES\n");
        assert_eq!(write(&tree, OPENAT, "ret < 0 && error == ENOFILE"), Err(Errno::INVAL));
        let log = read(&tree, "error_log");
        assert!(log.contains("error: Name not found, expected one of 0, EPERM, ENOENT, ESRCH,"), "{log}");
        assert!(
            log.ends_with("  Command: ret < 0 && error == ENOFILE\n                               ^\n"),
            "{log}"
        );
        for (text, error) in [("(ret == 1", Errno::NOENT), ("ret == 1)", Errno::PERM)] {
            assert_eq!(write(&tree, OPENAT, text), Err(error), "{text}");
        }
        assert_eq!(write(&tree, OPENAT, &"x".repeat(4096)), Err(Errno::INVAL));
        write(&tree, OPENAT, "0").unwrap();
        assert_eq!(read(&tree, OPENAT), "none\n");
    }

    #[test]
    fn those_of_a_system_take_it_that_have_the_fields() {
        let (_directory, tree) = tree();
        write(&tree, "events/libc/filter", "pathname ~ \"/etc/*\"\n").unwrap();
        assert_eq!(
            (read(&tree, OPENAT).as_str(), read(&tree, READ).as_str()),
            ("pathname ~ \"/etc/*\"\n", "none\n")
        );
        assert!(read(&tree, "events/libc/filter").starts_with("### global filter ###\n"));
        assert_eq!(read(&tree, "error_log").lines().count(), 24, "the last eight of many");
        write(&tree, "events/libc/filter", "nothing == 1").unwrap();
        assert_eq!(read(&tree, OPENAT), "pathname ~ \"/etc/*\"\n");
        write(&tree, "events/libc/filter", "0").unwrap();
        assert_eq!(read(&tree, OPENAT), "none\n");
    }
}
