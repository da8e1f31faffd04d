//! Why commands to control files were refused, told to whoever looks: the kernel's `error_log`.

use super::Instance;
use crate::Error;
use crate::session::ERROR_LOG;
use control::Clocks;

/// Errors that are kept. The kernel's `TRACING_LOG_ERRS_MAX`.
const MOST: usize = 8;

/// Lines of an error: what, the command, and a mark below it.
const LINES: usize = 3;

/// What stands before a command.
const COMMAND: &str = "  Command: ";

impl Instance {
    /// The last errors, each of three lines, the oldest first.
    pub fn error_log(&self) -> String {
        std::fs::read_to_string(self.session.companion_of(self.index, ERROR_LOG)).unwrap_or_default()
    }

    /// Adds an error: who has found it (`event filter parse error`), what is wrong with the command, and
    /// below which of its bytes the mark is to stand. The last 8 are kept.
    pub fn log_error(&self, finder: &str, wrong: &str, command: &str, at: usize) -> Result<(), Error> {
        let _lock = self.session.lock_settings()?;
        let microseconds = Clocks::now().mono / 1000;
        let (seconds, rest) = (microseconds / 1_000_000, microseconds % 1_000_000);
        // A command is one line here, whatever it is made of.
        let command = command.replace(|letter: char| letter.is_control(), " ");
        // It can be after the command: where something is missing.
        let before = command.get(..at).unwrap_or(&command).chars().count();
        let mark = COMMAND.len() + before + at.saturating_sub(command.len());
        let old = self.error_log();
        let lines: Vec<&str> = old.lines().collect();
        let kept = lines.get(lines.len().saturating_sub((MOST - 1) * LINES)..).unwrap_or_default();
        let mut text: String = kept.iter().flat_map(|line| [*line, "\n"]).collect();
        text += &format!("[{seconds:5}.{rest:06}] {finder}: error: {wrong}\n");
        text += &format!("{COMMAND}{command}\n{:mark$}^\n", "");
        self.session.replace_file(self.index, ERROR_LOG, text.as_bytes())
    }

    /// Forgets all errors.
    pub fn clear_error_log(&self) -> Result<(), Error> {
        let _lock = self.session.lock_settings()?;
        self.session.replace_file(self.index, ERROR_LOG, b"")
    }
}

#[cfg(test)]
mod tests {
    use crate::{Session, SessionOptions};

    #[test]
    fn the_last_eight_are_kept_and_the_mark_is_below_the_byte() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("s");
        let session =
            Session::create(&path, &SessionOptions { buffer_kb: 64, ..SessionOptions::default() }).unwrap();
        assert_eq!(session.error_log(), "");
        for number in 0..10 {
            let command = format!("foo{number} ==\n1");
            session.log_error("event filter parse error", "Field not found", &command, 5).unwrap();
        }
        let text = session.error_log();
        assert_eq!(text.lines().count(), 24);
        let (time, rest) = text.split_once("] ").unwrap();
        assert!(time.starts_with('[') && time.len() >= 13, "{time}");
        let expected = "\
event filter parse error: error: Field not found
  Command: foo2 == 1
                ^
";
        assert!(rest.starts_with(expected), "{rest}");
        assert!(text.ends_with("  Command: foo9 == 1\n                ^\n"));
        session.clear_error_log().unwrap();
        assert_eq!(session.error_log(), "");
        Session::remove(&path).unwrap();
    }
}
