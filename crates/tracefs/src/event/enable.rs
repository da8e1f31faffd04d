//! `enable`: of an event, of a system's, of all.

use crate::catalog::EventName;
use crate::control_file::Change;
use crate::group::{self, Group};
use crate::number;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;

/// Reads 0 or 1, or X where some of several events are enabled. Takes 0 and 1. Of one that has a trigger,
/// or that a trigger is about, it reads `0*` or `1*`; among several it counts as enabled.
#[derive(Clone)]
pub(crate) struct Enable(pub(crate) Group);

impl TextFile for Enable {
    fn takes_away(&self, change: Change<'_>) -> bool {
        matches!(change, Change::Written(bytes) if number::parse_switch(bytes) == Ok(false))
    }

    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        let (events, soft) = (self.0.events(array), array.instance().soft_events());
        if let Group::Event(name) = &self.0 {
            let star = if soft.contains(&name.id) { "*" } else { "" };
            return Ok(format!("{}{star}\n", u32::from(group::is_enabled(array, name))));
        }
        let counts = |name: &&EventName| group::is_enabled(array, name) || soft.contains(&name.id);
        let on = events.iter().filter(counts).count();
        Ok(match on {
            0 => "0\n".to_string(),
            on if on == events.len() => "1\n".to_string(),
            _ => "X\n".to_string(),
        })
    }

    fn store(&self, array: &TraceArray, bytes: &[u8]) -> Result<(), Errno> {
        self.0.set(array, number::parse_switch(bytes)?)
    }
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree, write};
    use rustix::io::Errno;

    #[test]
    fn all_levels_show_what_is_enabled_below() {
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
