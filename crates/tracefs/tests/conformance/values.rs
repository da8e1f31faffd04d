//! Every input to every file that keeps something, and what is read afterwards.

use super::differences::is_lacking;
use super::input::inputs;
use super::player::Player;
use rustix::fs::OFlags;

/// Files that keep what is written.
fn is_kept(path: &str) -> bool {
    path.starts_with("options/")
        || path.ends_with("/enable")
        || path.ends_with("buffer_size_kb")
        || ["tracing_on", "buffer_percent", "tracing_cpumask", "trace_options", "current_tracer"]
            .contains(&path)
}

/// Whether an input would enable everything that the kernel has, or be a number that overflows in it.
fn is_too_much(path: &str, input: &[u8]) -> bool {
    path == "events/enable" && input.iter().any(|byte| (b'1'..=b'9').contains(byte))
        || path.ends_with("buffer_size_kb") && input.starts_with(b"18446744073709551615")
}

#[test]
fn every_input_is_taken_or_refused_as_by_the_kernel() {
    let Some(mut player) = Player::new() else { return };
    // That one decides at our top where markers go.
    let files = player.files().into_iter().filter(|path| path != "options/copy_trace_marker");
    for path in files.collect::<Vec<_>>() {
        let before = player.contents(&path).0;
        for input in inputs().into_iter().filter(|input| !is_too_much(&path, input)) {
            player.put(&path, OFlags::WRONLY, &input);
            if is_kept(&path) {
                let options = ["trace_options"].contains(&path.as_str());
                if !options {
                    player.get(&path);
                }
            }
        }
        if is_kept(&path) && path != "trace_options" {
            player.put(&path, OFlags::WRONLY | OFlags::TRUNC, before.as_bytes());
            player.get(&path);
        }
    }
    player.finish();
}

#[test]
fn options_are_switched_by_words() {
    let Some(mut player) = Player::new() else { return };
    // The kernel's is an instance, which gets none at first.
    player.put("trace_options", OFlags::WRONLY, b"nocopy_trace_marker");
    // A kernel without latency tracers doesn't know theirs.
    let mut options = player.our_names("options");
    options.retain(|option| {
        let path = format!("options/{option}");
        !is_lacking(&path) || player.kernel_has(&path)
    });
    for option in &options {
        for word in [format!("no{option}"), option.clone(), format!(" no{option} \n"), format!("{option}\n")]
        {
            player.put("trace_options", OFlags::WRONLY | OFlags::TRUNC, word.as_bytes());
            if player.kernel_has(&format!("options/{option}")) {
                player.get(&format!("options/{option}"));
            }
            let (kernels, ours) = player.contents("trace_options");
            let known = |text: &str| -> Vec<String> {
                let is_compared =
                    |line: &&str| options.iter().any(|option| option == line.trim_start_matches("no"));
                text.lines().filter(is_compared).map(String::from).collect()
            };
            player.compare("trace_options", &word, &known(&kernels), &known(&ours));
        }
    }
    player.finish();
}

#[test]
fn clocks_are_chosen_by_name() {
    let Some(mut player) = Player::new() else { return };
    let names = ["global", "uptime\n", " perf ", "mono", "mono_raw", "boot", "tai", "x86-tsc", "local"];
    for name in names.into_iter().chain(["tai boot", "MONO", "[tai]", ""]) {
        player.put("trace_marker", OFlags::WRONLY, b"to be cleared");
        player.put("trace_clock", OFlags::WRONLY | OFlags::TRUNC, name.as_bytes());
        let (kernels, ours) = player.contents("trace_clock");
        player.compare("trace_clock", name, &kernels.replace("counter ", ""), &ours);
        let (kernels, ours) = player.contents("trace");
        let is_cleared = |text: &str| !text.contains("to be cleared");
        player.compare("trace", name, &is_cleared(&kernels), &is_cleared(&ours));
    }
    player.finish();
}

#[test]
fn reads_at_odd_offsets_give_the_same() {
    let Some(mut player) = Player::new() else { return };
    let files = [
        "tracing_on",
        "buffer_percent",
        "tracing_cpumask",
        "current_tracer",
        "timestamp_mode",
        "events/sched/enable",
        "events/sched/sched_process_exec/enable",
        "events/header_page",
        "events/header_event",
        "events/ftrace/print/format",
        "options/overwrite",
    ];
    for path in files {
        let file = player.open(path, OFlags::RDONLY);
        for (offset, len) in
            [(0, 1), (1, 1), (0, 0), (2, 1), (3, 100), (0, 100), (1, 1), (1 << 40, 7), (i64::MAX as u64, 1)]
        {
            player.on(&file, &format!("read {len} at {offset}"), |target, file| {
                target.read_at(file, offset, len)
            });
        }
        for offset in [1, 0, 1 << 33] {
            player.on(&file, &format!("seek {offset}"), |target, file| target.seek(file, offset));
            player.read(&file, 2);
            player.read(&file, 2);
        }
        player.close(file);
    }
    player.finish();
}
