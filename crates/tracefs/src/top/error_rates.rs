//! `error_rates`: calls whose errors take snapshots when there are too many.

use crate::errno::errno;
use crate::listed::Listed;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;
use session::{BadErrorRule, Error, ErrorRule};

/// Reads and takes rules, one a line: `libc:connect > 5/s`, and `!` before one to remove it; opening with
/// `O_TRUNC` removes all. Of the session's default instance, wherever the top level is. EINVAL for what is no
/// rule, and for a call that doesn't say when it has failed; `error_log` says what is wrong.
#[derive(Clone, Default)]
struct ErrorRates;

pub(super) const LISTED: Listed = Listed::of::<ErrorRates>(
    "error_rates",
    "how many errors of a call take a snapshot: libc:CALL > N/s, /m or /h",
);

impl TextFile for ErrorRates {
    const IS_KEPT: bool = true;

    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        Ok(array.instance().error_rules().iter().map(|rule| format!("{rule}\n")).collect())
    }

    fn store(&self, array: &TraceArray, bytes: &[u8]) -> Result<(), Errno> {
        let text = std::str::from_utf8(bytes).map_err(|_| Errno::INVAL)?;
        let mut rules = array.instance().error_rules();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (removes, rule) = line.strip_prefix('!').map_or((false, line), |rule| (true, rule));
            let rule: ErrorRule = rule.parse().map_err(|bad| refused(array, &bad))?;
            rules.retain(|other| *other != rule);
            rules.extend((!removes).then_some(rule));
        }
        array.instance().set_error_rules(&rules).map_err(|error| match error {
            Error::BadErrorRule(bad) => refused(array, &bad),
            error => errno(error),
        })
    }

    fn truncate(&self, array: &TraceArray) -> Result<(), Errno> {
        array.instance().set_error_rules(&[]).map_err(errno)
    }
}

fn refused(array: &TraceArray, bad: &BadErrorRule) -> Errno {
    let wrong = format!("Expected {}", bad.expected);
    // It is refused also where that can't be said.
    let _ = array.instance().log_error("error rate parse error", &wrong, &bad.text, bad.at);
    Errno::INVAL
}

#[cfg(test)]
mod tests {
    use crate::Tree;
    use crate::top::tests::{read, tree_for, write};
    use rustix::fs::OFlags;
    use rustix::io::Errno;
    use session::Author;

    const FILE: &str = "error_rates";

    fn append(tree: &Tree, text: &str) -> Result<(), Errno> {
        let mut file = tree.open(FILE, OFlags::WRONLY | OFlags::APPEND)?;
        file.write_all(Author::current(), text.as_bytes())
    }

    #[test]
    fn rules_come_and_go() {
        let (_directory, tree) = tree_for(1, 2);
        assert_eq!(read(&tree, FILE), "");
        write(&tree, FILE, "libc:connect > 5/s\nlibc:open>100/m\n").unwrap();
        append(&tree, "libc:connect > 20/h\n").unwrap();
        let all = "libc:open > 100/m\nlibc:connect > 5/s\nlibc:connect > 20/h\n";
        assert_eq!((read(&tree, FILE).as_str(), read(&tree, "snapshot_enabled").as_str()), (all, "1\n"));
        let trigger = read(&tree, "events/libc/open_exit/trigger");
        assert_eq!(trigger, "error_rate:100/m:unlimited if error != 0\n");
        append(&tree, "!libc:connect > 5/s").unwrap();
        assert_eq!(read(&tree, FILE), "libc:open > 100/m\nlibc:connect > 20/h\n");
        write(&tree, "trace", "").unwrap();
        let moved = read(&tree, "events/libc/open_exit/trigger");
        assert!(tree.instance().session().has_top() && !moved.contains("error_rate"), "{moved}");
        assert_eq!(read(&tree, FILE), "libc:open > 100/m\nlibc:connect > 20/h\n", "it is the recording's");
        write(&tree, FILE, "").unwrap();
        assert_eq!(read(&tree, FILE), "");
    }

    #[test]
    fn what_is_wrong_is_marked_and_changes_nothing() {
        let (_directory, tree) = tree_for(1, 0);
        write(&tree, FILE, "libc:connect > 5/s").unwrap();
        for (bad, mark) in [
            ("libc:connect > x/s", "               ^"),
            ("libc:nothing > 1/s", "     ^"),
            ("libc:umask > 1/s", "     ^"),
            ("libc:open > 1/s\nlibc:close > 1", "              ^"),
        ] {
            assert_eq!(append(&tree, bad), Err(Errno::INVAL), "{bad}");
            let log = read(&tree, "error_log");
            assert!(
                log.ends_with(&format!("  Command: {}\n           {mark}\n", bad.lines().last().unwrap())),
                "{log}"
            );
        }
        assert_eq!(read(&tree, FILE), "libc:connect > 5/s\n");
    }
}
