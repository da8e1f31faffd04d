//! `trace_stat/functionN`: how often functions were called on a CPU, and how long they took.

use super::function_line::{Calls, HEADER, print};
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;
use session::{CpuProfile, ProfiledFunction};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Reads a line for each function that was called on the CPU since `function_profile_enabled` was last
/// enabled, of all processes: how often, how long in all, on average, and the variance. The one that took
/// longest is the first. Calls are counted where they begin. Calls that have not returned have no time.
///
/// What was not counted the last lines say, if there is anything.
#[derive(Clone)]
pub(super) struct FunctionStat {
    pub(super) cpu: u32,
}

impl TextFile for FunctionStat {
    const IS_KEPT: bool = true;

    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        let profile = array.instance().session().profile(self.cpu);
        let mut text = HEADER.as_bytes().to_vec();
        for (name, calls) in named(array, &profile) {
            print(&name, calls, &mut text);
        }
        let mut text = String::from_utf8_lossy(&text).into_owned();
        print_losses(&profile, &mut text);
        Ok(text)
    }
}

/// The functions with their names, in their order.
fn named(array: &TraceArray, profile: &CpuProfile) -> Vec<(String, Calls)> {
    let site = |function: &ProfiledFunction| (function.object, function.address);
    let sites: Vec<_> = profile.functions.iter().map(site).collect();
    let names = array.reader().site_names(&sites);
    let mut named: BTreeMap<(u32, Option<u64>, String), Calls> = BTreeMap::new();
    for (function, found) in profile.functions.iter().zip(names) {
        // A function whose sites have its name has one wherever it is inlined.
        let address = (!found.is_own).then_some(function.address);
        let ProfiledFunction { hits, time, squares, .. } = *function;
        *named.entry((function.object, address, found.name)).or_default() += Calls { hits, time, squares };
    }
    let mut named: Vec<_> = named.into_iter().map(|((.., name), calls)| (name, calls)).collect();
    named.sort_by(|one, other| {
        let key = |(name, calls): &(String, Calls)| (Reverse((calls.time, calls.hits)), name.clone());
        key(one).cmp(&key(other))
    });
    named
}

fn print_losses(profile: &CpuProfile, text: &mut String) {
    if profile.not_counted > 0 {
        let _ = writeln!(
            text,
            "# {} calls on this CPU were not counted: there was no space for the function, or for the call",
            profile.not_counted
        );
    }
    if profile.elsewhere > 0 {
        let _ = writeln!(
            text,
            "# {} calls were made on CPUs that no program could use when the session was made",
            profile.elsewhere
        );
    }
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree_for, write};
    use abi::profile::function_key;
    use rustix::io::Errno;

    #[test]
    fn functions_are_sorted_and_what_was_not_counted_is_said() {
        let (_directory, tree) = tree_for(1, 1);
        let empty = read(&tree, "trace_stat/function0");
        assert_eq!(empty.lines().count(), 2);
        write(&tree, "function_profile_enabled", "1").unwrap();
        let (session, control) = (tree.instance().session(), tree.instance().control());
        let cpu = tree.instance().cpus().next().unwrap();
        let file = format!("trace_stat/function{cpu}");
        assert_eq!(read(&tree, &file), empty);
        // Has the profile mapped here.
        assert!(session.profile(cpu).functions.is_empty());
        for (address, times) in [(0x30, &[1000][..]), (0x10, &[]), (0x20, &[7000, 9000])] {
            for time in times {
                let call = control.count_call(cpu, function_key(5, address)).unwrap();
                control.add_time(call, *time);
            }
            if times.is_empty() {
                control.count_call(cpu, function_key(5, address)).unwrap();
            }
        }
        let expected = "  \
  0x20                                     2    16.000 us       8.000 us        2.000 us    \n  \
  0x30                                     1    1.000 us        1.000 us        0.000 us    \n  \
  0x10                                     1    0.000 us        0.000 us        0.000 us    \n";
        assert_eq!(read(&tree, &file), format!("{empty}{expected}"));
        control.count_not_counted(cpu);
        control.count_not_counted(4095);
        let text = read(&tree, &file);
        let losses: Vec<&str> =
            text.lines().skip(5).map(|line| line.split(" calls ").next().unwrap()).collect();
        assert_eq!(losses, ["# 1", "# 1"]);
        write(&tree, "function_profile_enabled", "0").unwrap();
        assert_eq!(read(&tree, &file), text, "what was counted stays");
        write(&tree, "function_profile_enabled", "1").unwrap();
        assert_eq!(read(&tree, &file), empty);
    }

    #[test]
    fn it_exists_once() {
        let (_directory, tree) = tree_for(1, 1);
        tree.make_directory("instances/a").unwrap();
        for name in ["function_profile_enabled", "trace_stat"] {
            assert!(tree.find(name).is_ok() && tree.find(&format!("instances/a/{name}")).is_err());
        }
        assert_eq!(write(&tree, "trace_stat/function0", "0"), Err(Errno::INVAL));
        assert!(tree.find("trace_stat/function99999").is_err());
    }
}
