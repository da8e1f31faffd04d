//! Why a process can't be attached, as far as that is seen from outside: nobody stops it to find out.

use super::elsewhere::OtherSession;
use super::known::{has_others, is_known};
use super::named::NamedProcess;
use super::visible;
use crate::object;
use crate::unseen::{User, limit_of_addresses};
use rustix::fs::{major, minor};
use session::Instance;
use std::fs::read_to_string;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The reason; None where nothing is seen that speaks against it.
pub(super) fn find(session: &Instance, process: &NamedProcess, object: &Path) -> Option<String> {
    let directory = PathBuf::from(format!("/proc/{}", process.pid));
    let status = read_to_string(directory.join("status")).ok()?;
    let state = value(&status, "State:").and_then(|state| state.chars().next());
    if process.comm == "lookback" {
        return Some("it is lookback itself, which isn't recorded".to_owned());
    }
    if state != Some('Z') && value(&status, "VmSize:").is_none() {
        return Some("it is a thread of the kernel's".to_owned());
    }
    // Whoever may not look is told why by the one who tries to trace it.
    let maps = read_to_string(directory.join("maps")).ok().filter(|maps| !maps.is_empty())?;
    is_attached(session, process, &maps)
        .or_else(|| is_narrow(&directory).then(|| "it is a 32-bit program".to_owned()))
        .or_else(|| namespace(session, process))
        .or_else(|| memory(&directory, &status))
        .or_else(|| file(session, process, &directory, object))
}

/// Whether it is attached to a session already.
fn is_attached(session: &Instance, process: &NamedProcess, maps: &str) -> Option<String> {
    if !maps.contains(object::PREFIX) {
        return None;
    }
    let file = session.file().metadata().ok()?;
    let own = format!(" {:02x}:{:02x} {} ", major(file.dev()), minor(file.dev()), file.ino());
    if maps.contains(&own) {
        return is_known(session, process).then(|| "it is attached already".to_owned());
    }
    OtherSession::in_maps(maps)?.obstacle(process)
}

/// Whether its program is for 32 bits.
fn is_narrow(process: &Path) -> bool {
    let mut head = [0; 5];
    let mut read =
        || std::io::Read::read_exact(&mut std::fs::File::open(process.join("exe")).ok()?, &mut head).ok();
    read().is_some() && head == *b"\x7fELF\x01"
}

/// Whether it can't be told from others, which are in another PID namespace.
fn namespace(session: &Instance, process: &NamedProcess) -> Option<String> {
    has_others(session, process).then(|| {
        "it is in another PID namespace than processes of this session, where PIDs are given again: \
         `lookback start --session NAME` makes a session of its own for it"
            .to_owned()
    })
}

/// Whether it can't have the memory.
fn memory(process: &Path, status: &str) -> Option<String> {
    if let Some(limit_kb) = limit_of_addresses(process) {
        return Some(format!("its address space is limited to {limit_kb} KB (ulimit -v)"));
    }
    let size = |name| kilobytes(status, name).unwrap_or(0);
    let is_locked = size("VmLck:") > 0 && size("VmLck:") >= size("VmSize:") / 2;
    is_locked.then(|| "its memory is locked (mlockall), and so would be that of the session".to_owned())
}

/// Whether it doesn't find the files that it needs, or may not open them.
fn file(session: &Instance, process: &NamedProcess, directory: &Path, object: &Path) -> Option<String> {
    let file = session.file();
    let user = User::of(directory)?;
    if !user.may_attach(session.path()) {
        return Some(format!(
            "its user, {}, may not open the session: `lookback start --group` makes one that others may",
            user.uid
        ));
    }
    if !user.may_read(object) {
        return Some(format!("its user, {}, may not read {}", user.uid, object.display()));
    }
    // Whatever it doesn't see it can be handed.
    if visible::sees_descriptors(process) {
        return None;
    }
    let not_seen = visible::not_seen(process, [object, &file])?;
    Some(format!(
        "it doesn't see {}, and has no /proc by which it could be handed that: it is in another root directory",
        not_seen.display()
    ))
}

/// The value of a line of `/proc/PID/status`.
fn value<'a>(status: &'a str, name: &str) -> Option<&'a str> {
    Some(status.lines().find_map(|line| line.strip_prefix(name))?.trim())
}

fn kilobytes(status: &str, name: &str) -> Option<u64> {
    value(status, name)?.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_the_status_are_found() {
        let status = "Name:\tx\nVmLck:\t      12 kB\n";
        assert_eq!((kilobytes(status, "VmLck:"), value(status, "Name:")), (Some(12), Some("x")));
        assert_eq!(kilobytes(status, "VmSize:"), None);
    }
}
