//! Instances made and removed: who may, and while which of their files are open.

use super::kernel::Kernel;
use super::ours::Ours;
use super::player::Player;
use super::target::Target;
use rustix::fs::OFlags;
use rustix::io::Errno;

/// What a script has found: what was done, and what came of it.
type Found = Vec<(String, Result<String, Errno>)>;

/// Plays a script to both sides: in a tree's `instances`, with a name that nobody else has.
fn same(script: impl Fn(&mut dyn Target, &str) -> Found) {
    let Some(mut kernel) = Kernel::top() else { return };
    let name = kernel.own_name();
    let (kernels, ours) = (script(&mut kernel, &name), script(&mut Ours::with_instances(), &name));
    assert!(!kernels.is_empty());
    let differ = kernels.iter().zip(&ours).filter(|(kernels, ours)| kernels != ours);
    let differ: Vec<String> =
        differ.map(|(kernels, ours)| format!("{kernels:?}, ours {:?}", ours.1)).collect();
    assert!(differ.is_empty(), "{}", differ.join("\n"));
    assert_eq!(kernels.len(), ours.len());
}

fn shown<T>(result: Result<T, Errno>) -> Result<String, Errno> {
    result.map(|_| String::new())
}

/// Who has a file of an event or of the buffer open keeps the instance; what only describes an event, or
/// belongs to it, keeps nothing. Reading and writing it go on meanwhile, or have their errors afterwards.
#[test]
fn every_file_keeps_its_instance_while_it_is_open_or_does_not() {
    let Some(mut player) = Player::new() else { return };
    // Some kernels let nobody open the lists of functions, by a policy.
    let files: Vec<String> =
        player.files().into_iter().filter(|file| !file.starts_with("set_ftrace_")).collect();
    drop(player);
    let modes = [OFlags::RDONLY, OFlags::WRONLY, OFlags::RDWR];
    same(|target, name| {
        let path = format!("instances/{name}");
        let mut found = Found::new();
        for (file, mode) in files.iter().flat_map(|file| modes.map(|mode| (file, mode))) {
            let mut add = |what: &str, result| found.push((format!("{what} with {file} {mode:?}"), result));
            add("mkdir", shown(target.make_directory(&path)));
            let opened = target.open(&format!("{path}/{file}"), mode | OFlags::NONBLOCK);
            add("open", shown(opened));
            add("rmdir", shown(target.remove_directory(&path)));
            if let Ok(opened) = opened {
                // The kernel's options are read from memory that it has freed with the instance.
                if !file.starts_with("options/") {
                    add("read", shown(target.read(opened, 100)));
                    add("write", shown(target.write(opened, b"garbage_of_some_length\n")));
                }
                target.close(opened);
            }
            add("rmdir after", shown(target.remove_directory(&path)));
        }
        found
    });
}

#[test]
fn names_are_taken_as_by_the_kernel() {
    same(|target, name| {
        let path = |end: &str| format!("instances/{name}{end}");
        let mut found = Found::new();
        let long = format!("instances/{}", "x".repeat(256));
        let mut make = |target: &mut dyn Target, path: &str| {
            found.push((format!("mkdir {}", path.replace(name, "")), shown(target.make_directory(path))));
        };
        for path in [
            &path(""),
            &path(""),
            &path("/"),
            &path("/new"),
            &path("/events/new"),
            &path("/events"),
            &path(" with blanks.and.dots"),
            &long,
            "instances",
            "instances/.",
            "instances/..",
            "instances/nothing/new",
        ] {
            make(target, path);
        }
        for path in [
            &path("/events"),
            &path("/events/sched"),
            &path("/options"),
            &path("/per_cpu/cpu0"),
            &path("/trace"),
            &path("/trace/x"),
            &path("/nothing"),
            &long,
            "instances",
            "instances/nothing-of-this-name",
        ] {
            let name = path.replace(name, "");
            found.push((format!("rmdir {name}"), shown(target.remove_directory(path))));
            found.push((format!("unlink {name}"), shown(target.remove_file(path))));
        }
        let enable = target.open(&path("/events/sched/enable"), OFlags::WRONLY);
        if let Ok(enable) = enable {
            found.push(("enable".to_string(), shown(target.write(enable, b"1"))));
            target.close(enable);
        }
        for end in ["/", "", " with blanks.and.dots"] {
            found.push((format!("rmdir {end:?}"), shown(target.remove_directory(&path(end)))));
        }
        found
    });
}

#[test]
fn a_new_one_is_as_the_kernels() {
    same(|target, name| {
        let path = format!("instances/{name}");
        let mut found = vec![("mkdir".to_string(), shown(target.make_directory(&path)))];
        for file in
            ["tracing_on", "current_tracer", "set_event", "events/enable", "error_log", "trace_options"]
        {
            let opened = target.open(&format!("{path}/{file}"), OFlags::RDONLY);
            let content = opened.and_then(|opened| {
                let content = target.read(opened, 10);
                target.close(opened);
                content
            });
            let text = content.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            // Which options there are differs.
            let text =
                if file == "trace_options" { text.map(|text| text.is_empty().to_string()) } else { text };
            found.push((file.to_string(), text));
        }
        found.push(("rmdir".to_string(), shown(target.remove_directory(&path))));
        found
    });
}
