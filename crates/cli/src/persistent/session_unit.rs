//! The unit of systemd that makes a session at each boot, before the services that are recorded there.

use crate::arguments::BudgetOption;
use crate::persistent::dropin::quoted;
use std::ffi::OsStr;
use std::fmt::Write;
use std::path::Path;

/// What the text of one starts with, whoever has chosen the session.
const MARK: &str = "# Written by `lookback install`: the session at ";

/// A unit for a session.
#[derive(Debug)]
pub(super) struct SessionUnit<'a> {
    /// The session's directory.
    pub(super) session: &'a Path,
    /// What makes it there: its name, or its path.
    pub(super) name: &'a Path,
    /// This command.
    pub(super) command: &'a Path,
    /// The group that the session is for.
    pub(super) group: Option<u32>,
    /// Where its events are copied to.
    pub(super) journal: Option<&'a Path>,
    /// Where its snapshots are saved.
    pub(super) save_to: Option<&'a Path>,
    /// What recording there may cost.
    pub(super) budget: BudgetOption,
}

impl SessionUnit<'_> {
    /// What the unit of the session at `path` is called.
    pub(super) fn name_of(path: &Path) -> String {
        let name = path.file_name().unwrap_or(OsStr::new("session")).to_string_lossy();
        let name = name.replace(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_', "-");
        format!("lookback-{name}.service")
    }

    /// Whether a text is that of a unit for another session.
    pub(super) fn is_of_other(&self, text: &str) -> bool {
        !text.starts_with(&self.mark())
    }

    fn mark(&self) -> String {
        format!("{MARK}{}\n", self.session.display())
    }

    /// The text.
    pub(super) fn text(&self) -> String {
        let word = |path: &Path| quoted(&path.display().to_string());
        let (session, name) = (word(self.session), word(self.name));
        let command = word(self.command);
        let group = self.group.map_or_else(String::new, |group| format!(" --group {group}"));
        let save = self.save_to.map_or_else(String::new, |path| format!(" --save-to {}", word(path)));
        let start = format!("{command} start -q --session {name}{group} --budget {}{save}", self.budget);
        let mut text = self.mark();
        text += "[Unit]\nDescription=Session of lookback, in which services are recorded\n\n[Service]\n";
        let stands = match (self.journal, self.save_to) {
            (Some(journal), _) => Some(format!("persist -q --session {session} {}", word(journal))),
            (None, Some(_)) => Some(format!("snapshots watch -q --session {session}")),
            (None, None) => None,
        };
        let _ = match stands {
            Some(task) => {
                // It ends without a failure when its session is removed: then the next one is made, unless
                // somebody has made it already.
                let restart = "Restart=always\nRestartSec=1";
                write!(text, "ExecStartPre={start}\nExecStart={command} {task}\n{restart}\n")
            }
            None => write!(text, "Type=oneshot\nRemainAfterExit=yes\nExecStart={start}\n"),
        };
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit<'a>(journal: Option<&'a Path>) -> SessionUnit<'a> {
        let session = Path::new("/dev/shm/lookback-0/my session");
        let (name, command) = (Path::new("my session"), Path::new("/usr/bin/lookback"));
        SessionUnit {
            session,
            name,
            command,
            group: Some(33),
            journal,
            save_to: None,
            budget: BudgetOption(Some(1.0)),
        }
    }

    #[test]
    fn it_is_named_by_its_session_and_knows_it() {
        let unit = unit(None);
        assert_eq!(SessionUnit::name_of(unit.session), "lookback-my-session.service");
        assert!(!unit.is_of_other(&unit.text()));
        let other = SessionUnit { session: Path::new("/tmp/my session"), ..unit };
        assert!(other.is_of_other(&unit.text()));
    }

    #[test]
    fn it_makes_the_session_and_copies_it_where_that_is_wanted() {
        let start = r#""/usr/bin/lookback" start -q --session "my session" --group 33 --budget 1"#;
        assert!(unit(None).text().ends_with(&format!("RemainAfterExit=yes\nExecStart={start}\n")));
        let text = unit(Some(Path::new("/var/lib/50%"))).text();
        assert!(text.contains(&format!("\nExecStartPre={start}\n")), "{text}");
        assert!(text.ends_with("\nRestart=always\nRestartSec=1\n"), "{text}");
        assert!(
            text.contains(r#"persist -q --session "/dev/shm/lookback-0/my session" "/var/lib/50%%""#),
            "{text}"
        );
        let unit = SessionUnit { save_to: Some(Path::new("/var/my snapshots")), ..unit(None) };
        let text = unit.text();
        assert!(text.contains(&format!("{start} --save-to \"/var/my snapshots\"\n")), "{text}");
        let watch = r#"snapshots watch -q --session "/dev/shm/lookback-0/my session""#;
        assert!(text.contains(&format!("\nExecStart=\"/usr/bin/lookback\" {watch}\nRestart=")), "{text}");
        let journal = Some(Path::new("/var/j"));
        let text = SessionUnit { journal, ..unit }.text();
        assert!(
            text.contains(" persist ") && text.contains(" --save-to ") && !text.contains("watch"),
            "{text}"
        );
    }
}
