//! Units of systemd: where they are, and what they say that matters here.

use std::path::{Path, PathBuf};

/// Directories of the system's units, the most important first.
const SYSTEM: [&str; 5] = [
    "etc/systemd/system",
    "run/systemd/system",
    "usr/local/lib/systemd/system",
    "usr/lib/systemd/system",
    "lib/systemd/system",
];

/// Directories of the units that users run.
const USER: [&str; 4] =
    ["etc/systemd/user", "run/systemd/user", "usr/local/lib/systemd/user", "usr/lib/systemd/user"];

/// What our drop-ins are called.
const DROP_IN: &str = "lookback.conf";

/// Where units are.
#[derive(Debug)]
pub(super) struct Units {
    /// The most important first: drop-ins go there.
    directories: Vec<PathBuf>,
}

impl Units {
    /// The system's, below `root`.
    pub(super) fn of_system(root: &Path) -> Units {
        Units { directories: SYSTEM.map(|directory| root.join(directory)).to_vec() }
    }

    /// The calling user's. None without a home.
    pub(super) fn of_user() -> Option<Units> {
        let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = absolute("HOME");
        let own = absolute("XDG_CONFIG_HOME").or_else(|| Some(home.as_ref()?.join(".config")))?;
        let data = absolute("XDG_DATA_HOME").or_else(|| Some(home.as_ref()?.join(".local/share")));
        let mut directories = vec![own.join("systemd/user")];
        directories.extend(data.map(|data| data.join("systemd/user")));
        directories.extend(USER.map(|directory| Path::new("/").join(directory)));
        Some(Units { directories })
    }

    /// Where a unit of our own is put.
    pub(super) fn own(&self, unit: &str) -> PathBuf {
        self.directories.first().cloned().unwrap_or_default().join(unit)
    }

    /// Where a drop-in for a unit is put.
    pub(super) fn drop_in(&self, unit: &str) -> PathBuf {
        self.own(&format!("{unit}.d")).join(DROP_IN)
    }

    /// The texts of all drop-ins that were put there.
    pub(super) fn own_drop_ins(&self) -> Vec<String> {
        let places = std::fs::read_dir(self.own("")).into_iter().flatten().flatten();
        places.filter_map(|place| std::fs::read_to_string(place.path().join(DROP_IN)).ok()).collect()
    }

    /// The unit; for an instance of a template (`a@b`) that, or the template. An error says where it was
    /// looked for.
    pub(super) fn find(&self, unit: &str) -> Result<Unit, String> {
        let template = unit.split_once('@').map(|(name, _)| format!("{name}@.service"));
        let names = [Some(unit.to_string()), template];
        let candidates = names.iter().flatten();
        let mut paths =
            candidates.flat_map(|name| self.directories.iter().map(move |place| place.join(name)));
        let text = paths.find_map(|path| std::fs::read_to_string(path).ok());
        let shown = || {
            let places: Vec<String> =
                self.directories.iter().map(|path| path.display().to_string()).collect();
            format!("there is no unit {unit} in {}", places.join(", "))
        };
        Ok(Unit { text: text.ok_or_else(shown)? + &self.drop_ins(unit) })
    }

    /// What others have added to a unit.
    fn drop_ins(&self, unit: &str) -> String {
        let own = self.drop_in(unit);
        let directories = self.directories.iter().map(|place| place.join(format!("{unit}.d")));
        let files = directories.flat_map(|directory| std::fs::read_dir(directory).into_iter().flatten());
        let paths = files.flatten().map(|entry| entry.path()).filter(|path| *path != own);
        let texts = paths.filter_map(|path| std::fs::read_to_string(path).ok());
        texts.map(|text| format!("\n{text}")).collect()
    }
}

/// What a unit says.
#[derive(Debug)]
pub(super) struct Unit {
    text: String,
}

impl Unit {
    /// What a setting was set to, each time. The last is empty where it is taken back.
    fn values<'a>(&'a self, name: &str) -> impl DoubleEndedIterator<Item = &'a str> {
        self.text.lines().filter_map(move |line| {
            Some(line.trim().strip_prefix(name)?.trim_start().strip_prefix('=')?.trim())
        })
    }

    /// What a setting is.
    pub(super) fn value<'a>(&'a self, name: &str) -> Option<&'a str> {
        self.values(name).next_back().filter(|value| !value.is_empty())
    }

    /// Whether a setting is anything but off.
    pub(super) fn is_set(&self, name: &str) -> bool {
        self.value(name).is_some_and(|value| !["no", "false", "off", "0"].contains(&value))
    }

    /// What it has the dynamic linker load already.
    pub(super) fn preload(&self) -> Option<&str> {
        self.values("Environment").rev().find_map(|value| {
            let after = value.split("LD_PRELOAD=").nth(1)?;
            after.split(['"', '\'', ' ']).next().filter(|value| !value.is_empty())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_setting_counts() {
        let text =
            "[Service]\nUser=www\n ProtectSystem = strict\nUserX=no\nProtectHome=no\nUser=\n".to_string();
        let unit = Unit { text };
        assert_eq!(unit.value("User"), None);
        assert!(unit.is_set("ProtectSystem") && !unit.is_set("ProtectHome") && !unit.is_set("PrivateTmp"));
        let unit = Unit { text: "Environment=\"A=b\" \"LD_PRELOAD=/lib/j.so\"\nEnvironment=C=d".to_string() };
        assert_eq!(unit.preload(), Some("/lib/j.so"));
    }
}
