//! Who was made by whom.

use std::collections::{HashMap, HashSet};
use std::fs::{read_dir, read_to_string};

/// The processes that there are, each with its parent.
pub(super) fn parents() -> HashMap<u32, u32> {
    let entries = read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter_map(|pid| Some((pid, parent(pid)?))).collect()
}

fn parent(pid: u32) -> Option<u32> {
    let stat = read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // After the state.
    reading::fields_after_name(&stat)?.nth(1)?.parse().ok()
}

/// Those of them that descend from one of `roots`, without the roots.
pub(super) fn descendants(parents: &HashMap<u32, u32>, roots: &HashSet<u32>) -> HashSet<u32> {
    let descends = |pid: u32| {
        let above = std::iter::successors(parents.get(&pid), |above| parents.get(above));
        // Bounded: the processes were not looked at all at once, so that they may seem to be in a circle.
        above.take(parents.len()).any(|above| roots.contains(above))
    };
    parents.keys().copied().filter(|pid| !roots.contains(pid) && descends(*pid)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descendants_are_found_through_others() {
        let parents = HashMap::from([(2, 1), (3, 2), (4, 3), (5, 1), (6, 7), (7, 6)]);
        assert_eq!(descendants(&parents, &HashSet::from([2])), HashSet::from([3, 4]));
        assert_eq!(
            super::parents().get(&std::process::id()).copied(),
            Some(std::os::unix::process::parent_id())
        );
    }
}
