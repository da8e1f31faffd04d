//! `enable`: of an event, of a system's, of all.

use crate::catalog::EventName;
use crate::control_file::Change;
use crate::group::{self, Group};
use crate::number;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;

/// Reads 0 or 1, or X where some of several events are on. Takes 0 and 1. Of an event that has a trigger, or
/// that a trigger is about, it reads `0*` or `1*`; among several it counts as one that is on.
#[derive(Debug, Clone)]
pub(crate) struct Enable(pub(crate) Group);

impl TextFile for Enable {
    fn mode(&self) -> u32 {
        0o640
    }

    fn takes_away(&self, change: Change<'_>) -> bool {
        matches!(change, Change::Written(bytes) if number::parse_switch(bytes) == Ok(false))
    }

    fn show(&self, array: &TraceArray) -> Result<Vec<u8>, Errno> {
        let (events, soft) = (self.0.events(array), array.instance().soft_events());
        if let Group::Event(name) = &self.0 {
            let star = if soft.contains(&name.id) { "*" } else { "" };
            return Ok(format!("{}{star}\n", u32::from(group::is_enabled(array, name))).into_bytes());
        }
        let counts = |name: &&EventName| group::is_enabled(array, name) || soft.contains(&name.id);
        let on = events.iter().filter(counts).count();
        Ok(match on {
            0 => b"0\n".to_vec(),
            on if on == events.len() => b"1\n".to_vec(),
            _ => b"X\n".to_vec(),
        })
    }

    fn store(&self, array: &TraceArray, bytes: &[u8]) -> Result<usize, Errno> {
        self.0.set(array, number::parse_switch(bytes)?)?;
        Ok(bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree, write};
    use rustix::io::Errno;

    #[test]
    fn all_levels_tell_what_is_on_below() {
        let (_directory, tree) = tree();
        let levels = ["events/enable", "events/sched/enable", "events/sched/sched_process_exec/enable"];
        let state = |tree| levels.map(|path| read(tree, path));
        assert_eq!(state(&tree), ["0\n", "0\n", "0\n"]);
        write(&tree, levels[2], "1").unwrap();
        assert_eq!(state(&tree), ["X\n", "X\n", "1\n"]);
        write(&tree, levels[1], "1").unwrap();
        assert_eq!(state(&tree), ["X\n", "1\n", "1\n"]);
        write(&tree, levels[0], "1").unwrap();
        assert_eq!(state(&tree), ["1\n", "1\n", "1\n"]);
        assert_eq!(write(&tree, levels[0], "X"), Err(Errno::INVAL));
        write(&tree, levels[0], "0").unwrap();
        assert_eq!(state(&tree), ["0\n", "0\n", "0\n"]);
    }
}
