//! Modes, directories, and names that can't be made or removed.

use super::differences::is_lacking;
use super::player::Player;
use rustix::fs::OFlags;

#[test]
fn modes_are_the_same() {
    let Some(mut player) = Player::new() else { return };
    let mut paths = player.files();
    let directories = [
        "",
        "events",
        "events/sched",
        "events/sched/sched_process_exec",
        "options",
        "per_cpu",
        "per_cpu/cpu0",
    ];
    paths.extend(directories.map(String::from));
    for path in paths {
        let _ = player.both(&path, "mode", |target| target.mode(&path));
    }
    player.finish();
}

#[test]
fn nothing_can_be_made_or_removed() {
    let Some(mut player) = Player::new() else { return };
    let long = "x".repeat(256);
    let paths = [
        "new",
        "events/new",
        "events/sched/new",
        "events/sched/sched_process_exec/new",
        "options/new",
        "per_cpu/new",
        "per_cpu/cpu0/new",
        "events",
        "events/sched",
        "per_cpu/cpu0",
        "options",
        "trace",
        "trace/",
        "trace/x",
        "events/header_page",
        "events/header_page/x",
        "nothing/new",
        "nothing/",
        "events/nothing/x",
        "options/overwrite",
        "options/OVERWRITE",
        "per_cpu/cpu00",
        "per_cpu/cpu",
        "per_cpu/cpu999",
        long.as_str(),
        "TRACE",
        "events/ftrace/enable",
        "events/ftrace/raw_data/id",
        "events/ftrace/print/id",
    ];
    for path in paths {
        let _ = player.both(path, "mode", |target| target.mode(path).map(drop));
        let _ = player.both(path, "mkdir", |target| target.make_directory(path));
        let _ = player.both(path, "rmdir", |target| target.remove_directory(path));
        let _ = player.both(path, "unlink", |target| target.remove_file(path));
        for flags in [
            OFlags::RDONLY,
            OFlags::WRONLY,
            OFlags::WRONLY | OFlags::CREATE,
            OFlags::RDWR | OFlags::CREATE | OFlags::EXCL,
        ] {
            // Who lists a directory opens it, but not by a handle.
            if flags.contains(OFlags::DIRECTORY) || flags == OFlags::RDONLY && player.is_directory(path) {
                continue;
            }
            let file = player.open(path, flags);
            player.close(file);
        }
    }
    player.finish();
}

#[test]
fn what_we_have_the_kernel_has() {
    let Some(mut player) = Player::new() else { return };
    // What is only at the kernel's top; `tracing_thresh` holds for all of its instances.
    let top = [
        "README",
        "available_events",
        "available_filter_functions",
        "available_filter_functions_addrs",
        "dyn_ftrace_total_info",
        "dynamic_events",
        "enabled_functions",
        "saved_cmdlines",
        "saved_cmdlines_size",
        "saved_tgids",
        "tracing_thresh",
        "uprobe_events",
        "uprobe_profile",
        "printk_formats",
        "instances",
        "printk-msg-only",
        "record-cmd",
    ];
    for directory in [
        "",
        "events/sched/sched_process_exec",
        "events/ftrace/print",
        "events/ftrace/raw_data",
        "options",
        "per_cpu",
        "per_cpu/cpu0",
    ] {
        for name in player.our_names(directory) {
            let path = format!("{directory}/{name}");
            if is_lacking(&path) {
                continue;
            }
            let is_there = player.kernel_has(&path)
                || std::path::Path::new("/sys/kernel/tracing").join(path.trim_start_matches('/')).exists();
            player.compare(&path, "is there", &is_there, &true);
            assert!(player.kernel_has(&path) || top.contains(&name.as_str()), "{path} is in every instance");
        }
    }
    player.finish();
}
