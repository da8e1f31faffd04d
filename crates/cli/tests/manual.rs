//! The man pages in `docs/man` are those that the command makes.

use std::path::Path;
use std::process::Command;

#[test]
fn the_pages_are_up_to_date() {
    let made = tempfile::tempdir().unwrap();
    let status =
        Command::new(env!("CARGO_BIN_EXE_lookback")).arg("manual").arg(made.path()).status().unwrap();
    assert!(status.success());
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/man");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(made.path()).unwrap() {
        let name = entry.unwrap().file_name();
        let read = |directory: &Path| std::fs::read_to_string(directory.join(&name)).unwrap_or_default();
        let same = read(made.path()) == read(&kept);
        assert!(same, "{name:?} is out of date: cargo run -p lookback-cli -- manual docs/man");
        names.push(name);
    }
    assert_eq!(names.len(), 5, "{names:?}");
}
