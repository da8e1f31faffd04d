//! `trigger`: what is done when an event happens, in the traced process and at once.

use super::filter::{PAGE, log_error};
use crate::catalog::EventName;
use crate::errno::errno;
use crate::text_file::TextFile;
use crate::token;
use crate::trace_array::TraceArray;
use rustix::io::Errno;
use session::{ACTIONS, Command, Error};

/// Reads the event's triggers, the newest first, or which there are. Takes one more: `traceoff`,
/// `snapshot:3`, `enable_event:SYSTEM:EVENT:5`, with ` if FILTER` after it; with `!` before it one is taken
/// away. `O_TRUNC` takes none away.
///
/// ENODEV when the instance has been removed meanwhile, EEXIST where the event has one of the same kind,
/// EINVAL for what is none, ERANGE for a count from 2^48 on, ENOMEM where there is no space for it, or no
/// memory for a snapshot. What is wrong with a filter is in `error_log`.
///
/// Source: `event_trigger_write` and `trigger_show` in `kernel/trace/trace_events_trigger.c` of Linux 6.18.
#[derive(Clone)]
pub(crate) struct TriggerFile(pub(crate) EventName);

impl TextFile for TriggerFile {
    const IS_KEPT: bool = true;
    fn keeps_instance(&self) -> bool {
        false
    }

    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        array.still_there()?;
        let triggers = array.instance().triggers(self.0.id);
        if triggers.is_empty() {
            let names: Vec<&str> = ACTIONS.iter().map(|action| action.name).collect();
            return Ok(format!("# Available triggers:\n# {}\n", names.join(" ")));
        }
        Ok(triggers.iter().map(|trigger| format!("{trigger}\n")).collect::<String>())
    }

    fn store(&self, array: &TraceArray, bytes: &[u8]) -> Result<(), Errno> {
        array.still_there()?;
        if bytes.is_empty() {
            return Ok(());
        }
        if bytes.len() >= PAGE {
            return Err(Errno::INVAL);
        }
        let text = token::strip(bytes)?;
        let set = array.instance().set_trigger(self.0.id, text);
        if let Err(Error::BadFilter { error: Some(error), .. }) = &set {
            let filter =
                Command::parse(text).ok().and_then(|command| command.filter.ok()?).unwrap_or_default();
            log_error(array, filter, &error.to_string(), error.position)?;
            return Err(Errno::from_raw_os_error(error.errno()));
        }
        set.map_err(errno)
    }
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree, tree_for, write};
    use rustix::io::Errno;

    const READ: &str = "events/libc/read_exit/trigger";
    const NONE: &str =
        "# Available triggers:\n# traceon traceoff snapshot stacktrace enable_event disable_event\n";

    #[test]
    fn triggers_come_and_go_by_their_kind() {
        let (_directory, tree) = tree();
        assert_eq!(read(&tree, READ), NONE);
        write(&tree, READ, "traceon\n").unwrap();
        assert_eq!(read(&tree, READ), "traceon:unlimited\n");
        for same in ["traceon", "traceoff", "traceoff:3"] {
            assert_eq!(write(&tree, READ, same), Err(Errno::EXIST), "{same}");
        }
        write(&tree, READ, "enable_event:libc:write:4 if ret < 0").unwrap();
        write(&tree, READ, "disable_event:libc:open").unwrap();
        for same in ["disable_event:libc:write", "enable_event:libc:write"] {
            assert_eq!(write(&tree, READ, same), Err(Errno::EXIST), "{same}");
        }
        assert_eq!(
            read(&tree, READ),
            "disable_event:libc:open:unlimited\nenable_event:libc:write:count=4 if ret < 0\n\
             traceon:unlimited\n"
        );
        write(&tree, READ, "!traceoff").unwrap();
        write(&tree, READ, "!disable_event:libc:write:anything").unwrap();
        write(&tree, READ, "!snapshot").unwrap();
        assert_eq!(read(&tree, READ), "disable_event:libc:open:unlimited\n");
        write(&tree, READ, "!enable_event:libc:open").unwrap();
        assert_eq!(read(&tree, READ), NONE);
    }

    #[test]
    fn what_is_wrong_changes_nothing() {
        let (_directory, tree) = tree();
        let long = "x".repeat(5000);
        for text in ["hist:keys=fd", "!traceoffx", " ", "traceoff:x", "enable_event:libc:nothing", &long] {
            assert_eq!(write(&tree, READ, text), Err(Errno::INVAL), "{text}");
        }
        for text in ["enable_event:ftrace:print", "stacktracex", "traceoff if", "traceoff:3x"] {
            assert_eq!(write(&tree, READ, text), Err(Errno::INVAL), "{text}");
        }
        assert_eq!(write(&tree, READ, "traceoff:99999999999999999999999"), Err(Errno::RANGE));
        assert_eq!(read(&tree, "error_log"), "", "only filters are logged");
        assert_eq!(write(&tree, READ, "traceoff if nothing == 1"), Err(Errno::INVAL));
        assert_eq!(write(&tree, READ, "traceoff if (ret == 1"), Err(Errno::NOENT));
        let log = read(&tree, "error_log");
        assert!(log.contains("error: Field not found\n  Command: nothing == 1\n"), "{log}");
        assert_eq!(write(&tree, READ, "traceoff if error == ENOFILE"), Err(Errno::INVAL));
        assert!(
            read(&tree, "error_log").contains("error: Name not found, expected one of 0, EPERM, ENOENT,")
        );
        assert_eq!(read(&tree, READ), NONE);
        write(&tree, READ, "traceoff if error == ENOENT").unwrap();
        assert_eq!(read(&tree, READ), "traceoff:unlimited if error == ENOENT\n");
    }

    #[test]
    fn an_event_has_so_many_and_no_more() {
        let (_directory, tree) = tree();
        let events: Vec<String> = read(&tree, "available_events")
            .lines()
            .filter(|name| name.starts_with("libc:"))
            .take(17)
            .map(String::from)
            .collect();
        let set = |name: &String| write(&tree, READ, &format!("enable_event:{name}:1"));
        assert!(events.iter().take(16).all(|name| set(name).is_ok()));
        assert_eq!(set(&events[16]), Err(Errno::NOMEM));
        write(&tree, READ, &format!("!enable_event:{}", events[7])).unwrap();
        set(&events[16]).unwrap();
        assert!(read(&tree, READ).starts_with(&format!("enable_event:{}:count=1\n", events[16])));
    }

    #[test]
    fn a_star_says_that_triggers_are_about_it() {
        let (_directory, tree) = tree();
        let enable = |event: &str| read(&tree, &format!("events/libc/{event}/enable"));
        write(&tree, READ, "enable_event:libc:write").unwrap();
        assert_eq!((enable("read_exit").as_str(), enable("write").as_str()), ("0*\n", "0*\n"));
        assert_eq!((enable("read").as_str(), read(&tree, "events/libc/enable").as_str()), ("0\n", "X\n"));
        assert_eq!(read(&tree, "set_event"), "libc:read_exit\nlibc:write\n");
        write(&tree, "events/libc/write/enable", "1").unwrap();
        assert_eq!(enable("write"), "1*\n");
        write(&tree, READ, "!enable_event:libc:write").unwrap();
        assert_eq!((enable("read_exit").as_str(), enable("write").as_str()), ("0\n", "1\n"));
    }

    #[test]
    fn a_marker_is_written_and_then_acts() {
        let (_directory, tree) = tree();
        const PRINT: &str = "events/ftrace/print/trigger";
        write(&tree, PRINT, "traceoff:1 if buf == \"stop\"").unwrap();
        write(&tree, PRINT, "enable_event:libc:read").unwrap();
        write(&tree, PRINT, "snapshot:1 if buf == \"keep\"").unwrap();
        write(&tree, "trace_marker", "keep").unwrap();
        assert_eq!(read(&tree, "events/libc/read/enable"), "1*\n");
        assert!(read(&tree, "snapshot").contains(": keep\n") && !read(&tree, "trace").contains(": keep\n"));
        write(&tree, "trace_marker", "stop").unwrap();
        assert_eq!(read(&tree, "tracing_on"), "0\n");
        assert!(read(&tree, "trace").ends_with(": stop\n"));
        let left = "snapshot:count=0 if buf == \"keep\"\nenable_event:libc:read:unlimited\n\
                    traceoff:count=0 if buf == \"stop\"\n";
        assert_eq!(read(&tree, PRINT), left);
        assert_eq!(write(&tree, "trace_marker", "stop"), Err(Errno::BADF));
        write(&tree, "tracing_on", "1").unwrap();
        write(&tree, "trace_marker", "stop").unwrap();
        assert_eq!(read(&tree, "tracing_on"), "1\n", "it has acted once");
    }

    #[test]
    fn a_snapshot_needs_memory_when_it_is_set() {
        let (_directory, without) = tree_for(0, 0);
        assert_eq!(write(&without, READ, "snapshot"), Err(Errno::NOMEM));
        assert_eq!(read(&without, READ), NONE);
        let (_directory, tree) = tree();
        write(&tree, READ, "snapshot:3").unwrap();
        assert!(tree.instance().has_snapshot_memory());
    }
}
