//! Who has asked.

use session::Author;

/// The thread that a request is of, with the CPU that it is on: it waits for the answer and goes nowhere
/// meanwhile.
pub(crate) fn author(tid: u32) -> Author {
    Author { tid, cpu: cpu(tid) }
}

/// None of a thread of which nothing can be seen here: of another pid namespace.
fn cpu(tid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{tid}/stat")).ok()?;
    parse_cpu(&stat)
}

/// The field `processor` of proc_pid_stat(5), the 39th. The second, a name, may have blanks and parentheses.
fn parse_cpu(stat: &str) -> Option<u32> {
    let (_, behind_name) = stat.rsplit_once(')')?;
    behind_name.split_ascii_whitespace().nth(39 - 3)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cpu_is_found_behind_any_name() {
        let stat = "7 (a) b (c) S 1 7 7 34 7 4 5 6 7 8 9 10 11 12 13 20 0 1 0 19 20 21 22 23 24 25 26 27 28 \
                    29 30 31 32 33 17 5 0 0 0";
        assert_eq!(parse_cpu(stat), Some(5));
        assert_eq!(parse_cpu("7 (a"), None);
    }

    #[test]
    fn a_thread_is_on_a_cpu_that_there_is() {
        let own = Author::current().tid;
        let cpus = std::thread::available_parallelism().unwrap().get();
        assert!(author(own).cpu.is_some_and(|cpu| (cpu as usize) < cpus.max(4096)));
        assert_eq!(author(0).cpu, None);
    }
}
