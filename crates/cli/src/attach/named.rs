//! The processes that a command names.

use crate::failure::{Done, Failure};
use std::ffi::OsStr;
use std::fmt;
use std::fs::{read_dir, read_link, read_to_string};
use trace_data::text::printable;

/// A process that is to be attached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NamedProcess {
    pub(crate) pid: u32,
    /// The name of its first thread.
    pub(super) comm: String,
}

impl fmt::Display for NamedProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", printable(&self.comm), self.pid)
    }
}

impl NamedProcess {
    /// The process with a PID.
    pub(super) fn at(pid: u32) -> Option<NamedProcess> {
        let comm = read_to_string(format!("/proc/{pid}/comm")).ok()?;
        Some(NamedProcess { pid, comm: comm.trim_end_matches('\n').to_owned() })
    }

    /// Those that are named, each once, in their order. Errors: none has a name, or several have, unless
    /// `all` of them are meant.
    pub(crate) fn all(names: &[String], all: bool) -> Done<Vec<NamedProcess>> {
        let mut found: Vec<NamedProcess> = Vec::new();
        for name in names {
            for process in NamedProcess::named(name, all)? {
                if !found.contains(&process) {
                    found.push(process);
                }
            }
        }
        Ok(found)
    }

    fn named(name: &str, all: bool) -> Done<Vec<NamedProcess>> {
        if let Ok(pid) = name.parse() {
            let found = NamedProcess::at(pid);
            return found.map(|found| vec![found]).ok_or_else(|| none("PID", name));
        }
        let found: Vec<NamedProcess> =
            NamedProcess::others().into_iter().filter(|process| process.is_called(name)).collect();
        match found.as_slice() {
            [] => Err(none("name", name)),
            [_, _, ..] if !all => {
                let pids: Vec<String> = found.iter().map(|process| process.pid.to_string()).collect();
                Err(Failure::failed(format_args!(
                    "{} processes are called {name}: {}; name one by its PID, or all with --all",
                    found.len(),
                    pids.join(", ")
                )))
            }
            _ => Ok(found),
        }
    }

    /// All processes but this one, by their PIDs.
    pub(super) fn others() -> Vec<NamedProcess> {
        let own = std::process::id();
        let pids = read_dir("/proc").into_iter().flatten().flatten();
        let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let mut found: Vec<NamedProcess> =
            pids.filter(|pid: &u32| *pid != own).filter_map(NamedProcess::at).collect();
        found.sort_by_key(|process| process.pid);
        found
    }

    /// Whether its first thread or the file of its program has this name. Zombies have no file.
    fn is_called(&self, name: &str) -> bool {
        let Ok(exe) = read_link(format!("/proc/{}/exe", self.pid)) else { return false };
        self.comm == name || exe.file_name() == Some(OsStr::new(name))
    }
}

fn none(what: &str, name: &str) -> Failure {
    Failure::failed(format_args!("there is no process with the {what} {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_are_named_by_their_pids_once() {
        let own = std::process::id();
        let found = NamedProcess::all(&[own.to_string(), own.to_string()], false).unwrap();
        assert_eq!(found.iter().map(|process| process.pid).collect::<Vec<_>>(), [own]);
        let none = NamedProcess::all(&["no such program".to_owned()], true).unwrap_err();
        assert_eq!(none.message(), "there is no process with the name no such program");
        assert!(NamedProcess::all(&["4294967295".to_owned()], false).is_err());
    }
}
