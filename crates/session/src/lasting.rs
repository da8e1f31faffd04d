//! How long a session stays that nobody deletes.

use std::path::{Path, PathBuf};

/// What ends a session in the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lasting {
    /// The end of the system: it is in memory.
    Boot,
    /// The end of its user's last login: systemd-logind removes then what is his.
    Logout,
    /// Nothing: it is on a disk.
    Disk,
}

/// The first user that is a person: logind leaves files of the system's users alone.
const FIRST_PERSON: u32 = 1000;

/// How long what lies at `path` stays, which is the calling user's.
pub fn lasting(path: &Path) -> Lasting {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    lasting_of(&path, rustix::process::geteuid().as_raw(), Path::new("/"))
}

/// How long it lasts for a user, on a system below `root`.
fn lasting_of(path: &Path, user: u32, root: &Path) -> Lasting {
    if path.starts_with("/run/user") {
        return if is_lingering(user, root) { Lasting::Boot } else { Lasting::Logout };
    }
    if path.starts_with("/dev/shm") {
        let is_removed = user >= FIRST_PERSON && is_managed(user, root) && removes_ipc(root);
        return if is_removed && !is_lingering(user, root) { Lasting::Logout } else { Lasting::Boot };
    }
    if path.starts_with("/run") || is_in_memory(path) { Lasting::Boot } else { Lasting::Disk }
}

fn is_in_memory(path: &Path) -> bool {
    const TMPFS: i64 = 0x0102_1994;
    let existing = path.ancestors().find(|path| path.exists());
    existing.and_then(|path| rustix::fs::statfs(path).ok()).is_some_and(|found| found.f_type == TMPFS)
}

/// What logind says of a user who has logged in.
fn login(user: u32, root: &Path) -> Option<String> {
    std::fs::read_to_string(root.join(format!("run/systemd/users/{user}"))).ok()
}

fn is_managed(user: u32, root: &Path) -> bool {
    login(user, root).is_some()
}

/// Whether the user's services run when he is not logged in: `loginctl enable-linger`.
fn is_lingering(user: u32, root: &Path) -> bool {
    let Some(login) = login(user, root) else { return false };
    let name = login.lines().find_map(|line| line.strip_prefix("NAME="));
    name.is_some_and(|name| root.join("var/lib/systemd/linger").join(name).exists())
}

/// Whether logind removes a user's files in `/dev/shm`. It does unless it is told not to.
fn removes_ipc(root: &Path) -> bool {
    let mut files = vec![root.join("etc/systemd/logind.conf")];
    let directories = ["usr/lib", "run", "etc"].map(|name| root.join(name).join("systemd/logind.conf.d"));
    let mut parts: Vec<PathBuf> = directories
        .iter()
        .flat_map(|directory| std::fs::read_dir(directory).into_iter().flatten().flatten())
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "conf"))
        .collect();
    // By name, wherever they are.
    parts.sort_by_key(|path| path.file_name().map(std::ffi::OsStr::to_os_string));
    files.extend(parts);
    let mut said = files.iter().filter_map(|path| std::fs::read_to_string(path).ok()).filter_map(|text| {
        let mut values = text.lines().filter_map(|line| line.trim().strip_prefix("RemoveIPC="));
        values.next_back().map(|value| ["yes", "true", "on", "1", "y", "t"].contains(&value.trim()))
    });
    said.next_back().unwrap_or(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{create_dir_all, write};

    #[test]
    fn what_logind_removes_stays_to_the_logout() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        let of = |path: &str, user| lasting_of(path.as_ref(), user, root);
        let shared = "/dev/shm/lookback-1000/default";
        assert_eq!(of(shared, 1000), Lasting::Boot, "nobody manages logins");
        for name in ["run/systemd/users", "var/lib/systemd/linger", "etc/systemd/logind.conf.d"] {
            create_dir_all(root.join(name)).unwrap();
        }
        write(root.join("run/systemd/users/1000"), "# private\nNAME=somebody\nSTATE=active\n").unwrap();
        assert_eq!(of(shared, 1000), Lasting::Logout);
        assert_eq!(of("/dev/shm/lookback-0/default", 0), Lasting::Boot);
        assert_eq!(of("/run/user/1000/lookback/default", 1000), Lasting::Logout);
        write(root.join("etc/systemd/logind.conf"), "[Login]\n#RemoveIPC=yes\nRemoveIPC=no\n").unwrap();
        assert_eq!(of(shared, 1000), Lasting::Boot);
        write(root.join("etc/systemd/logind.conf.d/50.conf"), "[Login]\nRemoveIPC=yes\n").unwrap();
        assert_eq!(of(shared, 1000), Lasting::Logout);
        write(root.join("var/lib/systemd/linger/somebody"), "").unwrap();
        assert_eq!(of(shared, 1000), Lasting::Boot);
        assert_eq!(of("/run/user/1000/lookback/default", 1000), Lasting::Boot);
        assert_eq!(of("/run/lookback/default", 0), Lasting::Boot);
    }
}
