//! The processes that a command means: by name, by user, by control group, by service.
//!
//! What is meant by more than a name leaves out lookback itself, init and the threads of the kernel's: nobody
//! means those unless they are named.

use super::known::is_known;
use super::named::NamedProcess;
use crate::accounts;
use crate::arguments::MeantArguments;
use crate::failure::{Done, Failure};
use session::Instance;
use std::fs::{metadata, read_link, read_to_string};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Where control groups are mounted.
const MOUNTED: &str = "/sys/fs/cgroup";

/// The processes, each once: those that are named, and the others that are meant.
fn processes(meant: &MeantArguments, named: &[NamedProcess]) -> Done<Vec<NamedProcess>> {
    let mut found = named.to_vec();
    if let Some(user) = &meant.all_of_user {
        let user = user_id(user)?;
        add(&mut found, |process| owner(process) == Some(user));
    }
    if let Some(path) = &meant.cgroup {
        let path = path.strip_prefix(MOUNTED).unwrap_or(path).trim_matches('/').to_owned();
        add_all(&mut found, |group| is_within(group, &path), &format!("the control group /{path}"))?;
    }
    if let Some(unit) = &meant.service {
        let unit = if unit.contains('.') { unit.clone() } else { format!("{unit}.service") };
        add_all(&mut found, |group| group.split('/').any(|part| part == unit), &unit)?;
    }
    Ok(found)
}

/// Those that are named, and of the others those that are attached to a session, or that are not.
pub(super) fn in_session(
    session: &Instance,
    meant: &MeantArguments,
    is_attached: bool,
) -> Done<Vec<NamedProcess>> {
    let named = NamedProcess::all(&meant.processes, meant.all)?;
    let mut found = processes(meant, &named)?;
    found.retain(|process| named.contains(process) || is_known(session, process) == is_attached);
    Ok(found)
}

/// Adds those of a control group, of which there has to be one.
fn add_all(found: &mut Vec<NamedProcess>, is_in: impl Fn(&str) -> bool, what: &str) -> Done<()> {
    let before = found.len();
    let in_group = |process: &NamedProcess| groups(process.pid).iter().any(|group| is_in(group));
    add(found, in_group);
    let is_any = found.len() > before || found.iter().any(in_group);
    is_any.then_some(()).ok_or_else(|| Failure::failed(format_args!("there is no process in {what}")))
}

fn add(found: &mut Vec<NamedProcess>, is_meant: impl Fn(&NamedProcess) -> bool) {
    let others = NamedProcess::others().into_iter();
    let is_program = |process: &NamedProcess| {
        process.pid != 1
            && process.comm != "lookback"
            && read_link(format!("/proc/{}/exe", process.pid)).is_ok()
    };
    let new: Vec<NamedProcess> = others
        .filter(|process| is_meant(process) && is_program(process) && !found.contains(process))
        .collect();
    found.extend(new);
}

/// The user whose process it is.
fn owner(process: &NamedProcess) -> Option<u32> {
    Some(metadata(format!("/proc/{}", process.pid)).ok()?.uid())
}

/// A user's number, by name or number; the one who runs this for an empty name.
fn user_id(user: &str) -> Done<u32> {
    if user.is_empty() {
        return Ok(rustix::process::geteuid().as_raw());
    }
    accounts::user_id(user).ok_or_else(|| Failure::failed(format_args!("there is no user {user}")))
}

/// The control groups of a process without the first slash, and with the directories that they are mounted
/// at.
fn groups(pid: u32) -> Vec<String> {
    let text = read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default();
    let groups = text.lines().filter_map(group);
    groups.flat_map(|(mounted, group)| [group.to_owned(), format!("{mounted}/{group}")]).collect()
}

/// The group that a line of `/proc/PID/cgroup` names, after the hierarchy that it is of.
fn group(line: &str) -> Option<(&str, &str)> {
    let (mounted, group) = line.split_once(':')?.1.split_once(':')?;
    Some((mounted.trim_start_matches("name="), group.trim_start_matches('/')))
}

/// Whether a group is this one, or in it.
fn is_within(group: &str, outer: &str) -> bool {
    Path::new(group).starts_with(outer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_services_are_found() {
        assert_eq!(group("0::/system.slice/nginx.service"), Some(("", "system.slice/nginx.service")));
        assert_eq!(group("3:cpu,cpuacct:/a:b"), Some(("cpu,cpuacct", "a:b")));
        assert_eq!(group("nothing"), None);
        assert!(is_within("system.slice/nginx.service", "system.slice"));
        assert!(is_within("system.slice", "system.slice") && is_within("anything", ""));
        assert!(!is_within("system.slice2/x", "system.slice"));
    }

    #[test]
    fn users_are_known_by_name_and_number() {
        assert_eq!(user_id("root").ok(), Some(0));
        assert_eq!(user_id("4711").ok(), Some(4711));
        assert_eq!(user_id("").ok(), Some(rustix::process::geteuid().as_raw()));
        assert_eq!(user_id("no such user").unwrap_err().message(), "there is no user no such user");
    }
}
