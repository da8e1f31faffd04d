//! Processes that aren't seen, as text.

use crate::number::{count, grouped};
use trace_data::dat::UnseenProcess;
use trace_data::text::printable;

/// How many reasons are given, and how many names for each.
const REASONS: usize = 8;
const NAMES: usize = 6;

/// A line for each reason why processes are not recorded, or are in part: `static program: 4711 busybox`.
/// Each name stands there once, with the first PID.
pub(crate) fn lines(unseen: &[UnseenProcess], in_part: bool) -> Vec<String> {
    let chosen = unseen.iter().filter(|process| process.in_part == in_part);
    let reasons = grouped_by(chosen, |process| &process.why);
    let mut lines: Vec<String> = reasons.iter().take(REASONS).map(|(why, all)| line(why, all)).collect();
    let others = reasons.iter().skip(REASONS).map(|(_, all)| all.len() as u64).sum();
    if others > 0 {
        lines.push(format!("{} for other reasons", count(others, "process", "processes")));
    }
    lines
}

/// All of them, those that are not recorded first.
pub(crate) fn described(unseen: &[UnseenProcess]) -> impl Iterator<Item = String> {
    [("not recorded", false), ("recorded in part", true)].into_iter().flat_map(|(what, in_part)| {
        lines(unseen, in_part).into_iter().map(move |line| format!("{what}: {line}"))
    })
}

fn line(why: &str, all: &[&UnseenProcess]) -> String {
    let names = grouped_by(all.iter().copied(), |process| &process.name);
    let mut parts: Vec<String> = names.iter().take(NAMES).map(|(name, all)| part(name, all)).collect();
    let others: usize = names.iter().skip(NAMES).map(|(_, all)| all.len()).sum();
    if others > 0 {
        parts.push(format!("and {}", count(others as u64, "other", "others")));
    }
    format!("{}: {}", printable(why), parts.join(", "))
}

fn part(name: &str, all: &[&UnseenProcess]) -> String {
    let pid = all.first().map_or(0, |first| first.pid);
    let more = match all.len() {
        0 | 1 => String::new(),
        number => format!(" and {} more", grouped(number as u64 - 1)),
    };
    format!("{pid} {}{more}", printable(name))
}

/// Those with the same text together, in the order of the first.
fn grouped_by<'a>(
    all: impl Iterator<Item = &'a UnseenProcess>,
    text: impl Fn(&'a UnseenProcess) -> &'a str,
) -> Vec<(&'a str, Vec<&'a UnseenProcess>)> {
    let mut groups: Vec<(&str, Vec<&UnseenProcess>)> = Vec::new();
    for process in all {
        match groups.iter_mut().find(|(known, _)| *known == text(process)) {
            Some((_, group)) => group.push(process),
            None => groups.push((text(process), vec![process])),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unseen(pid: u32, name: &str, why: &str, in_part: bool) -> UnseenProcess {
        UnseenProcess { pid, name: name.into(), why: why.into(), in_part }
    }

    #[test]
    fn reasons_and_names_are_said_once() {
        let all = [
            unseen(7, "busybox", "static program", false),
            unseen(8, "hugo", "Go", true),
            unseen(9, "busybox", "static program", false),
            unseen(10, "passwd", "set-user-ID", false),
            unseen(11, "zig", "static program", false),
        ];
        let expected = ["static program: 7 busybox and 1 more, 11 zig", "set-user-ID: 10 passwd"];
        assert_eq!(lines(&all, false), expected);
        assert_eq!(lines(&all, true), ["Go: 8 hugo"]);
        assert!(lines(&[], false).is_empty());
    }

    #[test]
    fn what_is_too_much_is_counted() {
        let names = (1..=8).map(|pid| unseen(pid, &format!("name{pid}"), "static program", false));
        let reasons = (11..=20).map(|pid| unseen(pid, "other", &format!("reason {pid}"), false));
        let lines = lines(&names.chain(reasons).collect::<Vec<_>>(), false);
        assert_eq!(
            lines[0],
            "static program: 1 name1, 2 name2, 3 name3, 4 name4, 5 name5, 6 name6, and 2 others"
        );
        assert_eq!((lines.len(), lines[8].as_str()), (9, "3 processes for other reasons"));
    }
}
