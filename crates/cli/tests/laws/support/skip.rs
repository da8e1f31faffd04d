//! Tests that can't be run everywhere.

use std::process::{Command, Stdio};

/// Says why a test is not run. Where everything it needs is expected to be there, that is a failure.
pub(crate) fn skip(why: &str) {
    println!("skipped: {why}");
    assert!(std::env::var_os("LOOKBACK_CI").is_none_or(|value| value != "1"), "skipped: {why}");
}

/// Says why a test can't be run, on any such machine.
pub(crate) fn skip_documented(why: &str) {
    println!("skipped: {why}");
}

/// Whether a program is installed.
pub(crate) fn available(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
