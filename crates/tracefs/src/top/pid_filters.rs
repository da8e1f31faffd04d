//! `set_event_pid` and `set_event_notrace_pid`: whose events are recorded, and whose are not. And
//! `set_ftrace_pid` and `set_ftrace_notrace_pid`: whose functions are traced, and whose are not.

use crate::errno::errno;
use crate::listed::Listed;
use crate::text_file::TextFile;
use crate::token;
use crate::trace_array::TraceArray;
use rustix::io::Errno;
use session::{Filtered, PidFilter, parse_integer};
use std::sync::Arc;

/// Reads a PID filter, sorted. A write adds those that it has, all of them or none: numbers in decimal,
/// octal or hexadecimal with blanks between. `O_TRUNC` takes the list away; without one, nobody is left out.
/// With the options `event-fork` and `function-fork` children of those in it are in it too, and threads that
/// end are not.
///
/// EINVAL for what is no number, EPERM for one from 2^30 on, ENOMEM for more than 64 numbers that no thread
/// can have.
///
/// Source: `trace_pid_write` in `kernel/trace/trace_events.c` of Linux 6.18, compared with the kernel's.
#[derive(Debug, Clone)]
struct PidFilterFile(PidFilter);

pub(super) const EVENT: Listed = Listed {
    name: "set_event_pid",
    help: "the threads whose events alone are recorded",
    make: || Arc::new(PidFilterFile(PidFilter::Only)),
};

pub(super) const EVENT_NOTRACE: Listed = Listed {
    name: "set_event_notrace_pid",
    help: "the threads whose events are not recorded",
    make: || Arc::new(PidFilterFile(PidFilter::Never)),
};

pub(super) const FUNCTION: Listed = Listed {
    name: "set_ftrace_pid",
    help: "the threads whose functions alone are traced",
    make: || Arc::new(PidFilterFile(PidFilter::FunctionOnly)),
};

pub(super) const FUNCTION_NOTRACE: Listed = Listed {
    name: "set_ftrace_notrace_pid",
    help: "the threads whose functions are not traced",
    make: || Arc::new(PidFilterFile(PidFilter::FunctionNever)),
};

/// The most bytes of a number.
const MOST: usize = 127;

/// The kernel's `MAX_PID` in `pid_list.h`.
const TOO_LARGE: u32 = 1 << 30;

impl TextFile for PidFilterFile {
    const IS_KEPT: bool = true;

    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        let instance = array.instance();
        if self.0.filtered() == Filtered::Functions && !instance.has_pids(self.0) {
            return Ok("no pid\n".to_string());
        }
        let pids = instance.pids(self.0);
        Ok(pids.iter().map(|pid| format!("{pid}\n")).collect::<String>())
    }

    fn store_some(&self, array: &TraceArray, bytes: &[u8]) -> Result<usize, Errno> {
        let (mut pids, mut taken) = (Vec::new(), 0);
        while let Some(rest) = bytes.get(taken..).filter(|rest| !rest.is_empty()) {
            let (word, len) = token::first(rest, MOST)?;
            taken += len;
            // A word of nothing ends the rest: a zero byte that follows no number.
            let Some(word) = word else { break };
            pids.push(pid(word)?);
        }
        if !pids.is_empty() {
            array.instance().add_pids(self.0, &pids).map_err(errno)?;
        }
        Ok(taken)
    }

    fn truncate(&self, array: &TraceArray) -> Result<(), Errno> {
        array.instance().clear_pids(self.0).map_err(errno)
    }
}

/// A number as the kernel takes it: its lower half counts.
fn pid(word: &[u8]) -> Result<u32, Errno> {
    let text = std::str::from_utf8(word).map_err(|_| Errno::INVAL)?;
    let pid = parse_integer(text).map_err(|_| Errno::INVAL)? as u32;
    if pid < TOO_LARGE { Ok(pid) } else { Err(Errno::PERM) }
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree, write};
    use rustix::fs::OFlags;
    use rustix::io::Errno;
    use session::Author;

    const PIDS: &str = "set_event_pid";

    #[test]
    fn a_write_adds_all_or_nothing() {
        let (_directory, tree) = tree();
        let mut file = tree.open(PIDS, OFlags::WRONLY).unwrap();
        let mut add = |text: &str| file.write(Author::current(), text.as_bytes());
        assert_eq!(add("2 3"), Ok(3));
        assert_eq!(add("1\0\t0x10\n010 +13 4294967297 "), Ok(27));
        for (text, error) in [
            ("5 x 6", Errno::INVAL),
            ("-1", Errno::INVAL),
            ("14,15", Errno::INVAL),
            ("99999999999999999999", Errno::INVAL),
            (&"1".repeat(128), Errno::INVAL),
            ("7 1073741824", Errno::PERM),
            ("2147483648", Errno::PERM),
        ] {
            assert_eq!(add(text), Err(error), "{text}");
        }
        assert_eq!((add(""), add("\09"), add("2\0\09")), (Ok(0), Ok(1), Ok(3)), "two zero bytes end it");
        assert_eq!(add("1073741823 4194304 4194303 0"), Ok(28));
        let all = "0\n1\n2\n3\n8\n13\n16\n4194303\n4194304\n1073741823\n";
        assert_eq!((read(&tree, PIDS).as_str(), read(&tree, "set_event_notrace_pid").as_str()), (all, ""));
        write(&tree, PIDS, "50").unwrap();
        assert_eq!(read(&tree, PIDS), "50\n");
        write(&tree, PIDS, "").unwrap();
        assert_eq!(read(&tree, PIDS), "");
    }

    #[test]
    fn those_of_functions_say_that_there_are_none() {
        let (_directory, tree) = tree();
        for file in ["set_ftrace_pid", "set_ftrace_notrace_pid"] {
            assert_eq!(read(&tree, file), "no pid\n");
            write(&tree, file, "5 9\n").unwrap();
            let mut append = tree.open(file, OFlags::WRONLY | OFlags::APPEND).unwrap();
            append.write_all(Author::current(), b"7\n").unwrap();
            assert_eq!(append.write(Author::current(), b"!7\n"), Err(Errno::INVAL));
            assert_eq!(read(&tree, file), "5\n7\n9\n");
            assert_eq!(write(&tree, file, "1 x"), Err(Errno::INVAL));
            assert_eq!(read(&tree, file), "no pid\n");
        }
        assert_eq!(read(&tree, PIDS), "");
    }

    #[test]
    fn numbers_that_no_thread_can_have_are_kept_as_far_as_there_is_space() {
        let (_directory, tree) = tree();
        let numbers =
            |count: u32| (0..count).map(|index| format!("{} ", 5_000_000 + index)).collect::<String>();
        assert_eq!(write(&tree, PIDS, &numbers(65)), Err(Errno::NOMEM));
        assert_eq!(read(&tree, PIDS), "");
        write(&tree, PIDS, &numbers(64)).unwrap();
        assert_eq!(read(&tree, PIDS).lines().count(), 64);
    }

    #[test]
    fn thousands_are_listed_in_order() {
        let (_directory, tree) = tree();
        let numbers: Vec<String> = (0..3000).map(|index| (index * 1301 % 4_000_000).to_string()).collect();
        write(&tree, PIDS, &numbers.join(" ")).unwrap();
        let mut sorted: Vec<u32> = numbers.iter().map(|number| number.parse().unwrap()).collect();
        sorted.sort_unstable();
        let expected: String = sorted.iter().map(|number| format!("{number}\n")).collect();
        assert_eq!(read(&tree, PIDS), expected);
    }
}
