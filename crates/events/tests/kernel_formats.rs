//! The formats of the kernel's events that are ours, too, against those of the kernel that runs.

use std::path::Path;
use std::string::ToString;

/// The kernel whose formats the descriptions have.
const VERSION: &str = "6.18.";
/// How many may have changed in another kernel.
const MOST_CHANGES: usize = 40;

/// The format of an event as the kernel has it, without its id.
fn kernels(system: &str, name: &str) -> Option<String> {
    let path = Path::new("/sys/kernel/tracing/events").join(system).join(name).join("format");
    let text = std::fs::read_to_string(path).ok()?;
    Some(text.lines().filter(|line| !line.starts_with("ID: ")).map(|line| format!("{line}\n")).collect())
}

#[test]
fn formats_of_system_calls_are_the_kernels() {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let (mut compared, mut changed) = (0, Vec::new());
    for event in events::all().filter(|event| events::system_call::is_system_call(event.id)) {
        let Some(kernels) = kernels(event.system, event.name) else { continue };
        let text = events::format_file(event.name, event.id, event.own_format()).to_string();
        let ours = text.replace(&format!("ID: {}\n", event.id), "");
        if ours != kernels {
            assert!(!release.starts_with(VERSION), "ours is\n{ours}\nand the kernel's is\n{kernels}");
            changed.push(event.name);
        }
        compared += 1;
    }
    println!("{compared} formats compared with Linux {}; other than there: {changed:?}", release.trim());
    assert!(compared == 0 || compared > 600, "only {compared} formats were found");
    assert!(changed.len() <= MOST_CHANGES, "{changed:?}");
}
