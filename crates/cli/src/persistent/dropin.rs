//! What a unit of systemd needs so that its processes are attached to a session.

use crate::persistent::unit::Unit;
use std::fmt::Write;
use std::path::Path;

/// Settings that take away access to what is outside a list.
const READ_ONLY: [&str; 3] = ["ProtectSystem", "ReadOnlyPaths", "ReadWritePaths"];

/// Settings by which a service has another view of the file system.
const ELSEWHERE: [&str; 5] =
    ["RootDirectory", "RootImage", "TemporaryFileSystem", "InaccessiblePaths", "ProtectHome"];

/// The content of a drop-in.
#[derive(Debug)]
pub(super) struct DropIn<'a> {
    pub(super) unit: &'a Unit,
    /// What to say to have it removed.
    pub(super) removal: &'a str,
    /// The object to load.
    pub(super) object: &'a Path,
    /// The session's directory.
    pub(super) session: &'a Path,
    /// The unit that makes it.
    pub(super) session_unit: &'a str,
    /// The group that the session is for.
    pub(super) group: Option<u32>,
}

impl DropIn<'_> {
    /// The text. Access is given only where the unit takes it away: each of these settings gives a service
    /// mounts of its own.
    pub(super) fn text(&self) -> String {
        let (object, session) = (self.object.display().to_string(), self.session.display().to_string());
        let preload = match self.unit.preload() {
            Some(other) if !other.contains(crate::object::PREFIX) => format!("{other}:{object}"),
            _ => object.clone(),
        };
        let mut text = format!(
            "# Written by lookback; `{}` removes it.\n[Unit]\nWants={unit}\n{AFTER}{unit}\n\n[Service]\nEnvironment={}\nEnvironment={}\n",
            self.removal,
            quoted(&format!("LD_PRELOAD={preload}")),
            quoted(&format!("LOOKBACK_SESSION={session}")),
            unit = self.session_unit,
        );
        let is_set = |names: &[&str]| names.iter().any(|name| self.unit.is_set(name));
        let mut line = |name: &str, value: &str| {
            let _ = writeln!(text, "{name}={value}");
        };
        // With a minus: a session that is not there must not keep the service from starting.
        if is_set(&ELSEWHERE) {
            line("BindPaths", &quoted(&format!("-{session}")));
            line("BindReadOnlyPaths", &quoted(&format!("-{object}")));
        }
        if is_set(&READ_ONLY) {
            line("ReadWritePaths", &quoted(&format!("-{session}")));
        }
        if let Some(group) = self.group.filter(|_| runs_as_other(self.unit)) {
            line("SupplementaryGroups", &group.to_string());
        }
        text
    }
}

/// What is before the name of the session's unit.
const AFTER: &str = "After=";

/// The unit that makes the session, as the text of a drop-in has it.
pub(super) fn session_unit(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.strip_prefix(AFTER))
}

/// Whether the service runs as somebody else than its manager.
pub(super) fn runs_as_other(unit: &Unit) -> bool {
    unit.is_set("DynamicUser") || unit.value("User").is_some_and(|user| user != "root" && user != "0")
}

/// A word as it stands in a unit: `%` would start a specifier.
pub(super) fn quoted(word: &str) -> String {
    let escaped = word.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%");
    format!("\"{escaped}\"")
}
