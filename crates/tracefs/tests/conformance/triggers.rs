//! `trigger`, `set_event_pid` and `set_event_notrace_pid`: what they take and read, and what they do to
//! markers.

use super::player::Player;
use rustix::fs::OFlags;

const EXEC: &str = "events/sched/sched_process_exec/trigger";
const PRINT: &str = "events/ftrace/print/trigger";

/// What can be read of triggers and of what they do.
fn states(player: &mut Player) {
    for path in ["tracing_on", "events/sched/enable", "events/enable"] {
        player.get(path);
    }
    for path in [EXEC, PRINT] {
        let (kernels, ours) = player.contents(path);
        // Which there are is up to how a kernel was built.
        let known = |text: String| {
            text.lines().filter(|line| !line.starts_with("# traceon")).map(String::from).collect::<Vec<_>>()
        };
        player.compare(path, "text", &known(kernels), &known(ours));
    }
    for event in ["sched_process_exec", "sched_process_exit", "sched_process_fork"] {
        player.get(&format!("events/sched/{event}/enable"));
    }
}

/// Writes each, and looks at everything.
fn write_each(player: &mut Player, path: &str, texts: &[&[u8]]) {
    for text in texts {
        player.put(path, OFlags::WRONLY, text);
        states(player);
    }
}

#[test]
fn texts_mean_the_same() {
    let Some(mut player) = Player::new() else { return };
    let texts: &[&[u8]] = &[
        b"traceon",
        b"traceoff",
        b"traceoff:3",
        b"!traceoff",
        b"!traceoff",
        b"traceoff:3\n",
        b"!traceon:99",
        b"traceoff:",
        b"!traceoff garbage here",
        b"traceoff:unlimited",
        b"traceoff:-1",
        b"traceoff:+1",
        b"traceoff:0x10",
        b"!traceoff",
        b"traceoff:010",
        b"!traceoff",
        b"traceoff:1:2",
        b"!traceoff",
        b"traceoff:0",
        b"!traceoff",
        b"traceoff: 3",
        b"!traceoff",
        b"traceoff 3",
        b"!traceoff",
        b"traceoff :3",
        b"traceoff\t:3",
        b"traceoff:18446744073709551615",
        b"!traceoff",
        b"traceoff:18446744073709551616",
        b"traceoff:3x",
        b"traceoff:08",
        b"traceoff:0x",
        b"traceoff:3 x",
        b"traceoff:3 if",
        b"traceoff if",
        b"traceoff iff ip == 1",
        b"traceoff if ip",
        b"traceoff if nothing == 1",
        b"traceoff if (ip == 1",
        b"traceoff if ip == 1)",
        b"traceoff if ip == 'x",
        b"traceoff if buf == 3",
        b"traceoff if ip == 1 garbage",
        b"traceoff:3  if   ip == 1  ",
        b"!traceoff if bla",
        b"traceoff:if ip==1||ip == 2",
        b"!traceoff",
        b"traceoff if buf ~ \"/no/*\" && COMM != 'x'",
        b"  traceon",
        b"\t!traceon\n\n",
        b"Traceoff",
        b"!traceoffx",
        b"traceofff",
        b"!",
        b"!!traceoff",
        b"! traceoff",
        b"",
        b" ",
        b"\n",
        b"\0",
        b"traceoff\0:3",
        b"!traceoff\0",
        b"\xff\xfe",
        b"enable_event",
        b"enable_event:",
        b"enable_event:sched",
        b"enable_event:sched:",
        b"enable_event::sched_process_exit",
        b"enable_event:sched:nothing",
        b"enable_event:ftrace:print",
        b"enable_event:sched:sched_process_exit",
        b"enable_event:sched:sched_process_exit:4",
        b"disable_event:sched:sched_process_exit",
        b"enable_event:sched:sched_process_fork:4 if ip==1",
        b"disable_event:sched:sched_process_exec:",
        b"disable_event:sched:sched_process_exec: if ip==1",
        b"disable_event:sched:sched_process_exec:3x",
        b"disable_event:sched:sched_process_exec 3",
        b"disable_event:sched:sched_process_exec:unlimited",
        b"disable_event:sched:sched_process_exec:+2",
        b"!enable_event",
        b"!enable_event:sched",
        b"!enable_event:sched:nothing",
        b"!enable_event:sched:sched_process_exec",
        b"!disable_event:sched:sched_process_exit:anything at all",
        b"enable_event sched:sched_process_exit",
        b"!enable_event sched:sched_process_exit",
        b"!enable_event:sched:sched_process_fork",
        b"hist:keys=nothing",
        b"nothing",
        b"traceon if ip == 0",
        b"!traceoff",
    ];
    // Nobody else writes to these markers, while programs are executed all the time.
    write_each(&mut player, PRINT, texts);
    for len in [4094, 4095, 4096, 5000] {
        let text = [b"traceoff if pid == ".to_vec(), vec![b'1'; len - 19]].concat();
        write_each(&mut player, EXEC, &[&text]);
    }
    player.put(PRINT, OFlags::WRONLY, b"traceoff if ip == 1");
    for (flags, event) in [
        (OFlags::WRONLY | OFlags::TRUNC, "sched_process_exec"),
        (OFlags::WRONLY | OFlags::APPEND, "sched_process_exit"),
        (OFlags::RDWR | OFlags::TRUNC, "sched_process_fork"),
    ] {
        player.put(PRINT, flags, format!("enable_event:sched:{event}").as_bytes());
        states(&mut player);
    }
    let file = player.open(PRINT, OFlags::RDONLY);
    for len in [1, 7, 100, 100] {
        player.read(&file, len);
    }
    player.close(file);
    player.finish();
}

#[test]
fn what_is_wrong_with_a_filter_is_told_alike() {
    let Some(mut player) = Player::new() else { return };
    for text in ["nothing == 1", "pid ==", "  (pid == 1", "pid == 1)", "pid == 'x", "comm == 3 || filename"] {
        player.put(EXEC, OFlags::WRONLY, format!("traceoff:2 if {text}").as_bytes());
        let (kernels, ours) = player.contents("error_log");
        let last = |text: &str| {
            let lines: Vec<&str> = text.lines().collect();
            lines[lines.len().saturating_sub(3)..]
                .iter()
                .map(|line| line.split("] ").last().unwrap().to_string())
                .collect::<Vec<_>>()
        };
        player.compare("error_log", "content", &last(&kernels), &last(&ours));
    }
    player.finish();
}

#[test]
fn soft_mode_comes_and_goes_alike() {
    let Some(mut player) = Player::new() else { return };
    let enable = "events/sched/sched_process_exec/enable";
    for (path, text) in [
        (EXEC, "traceoff if pid == 77777777"),
        (enable, "1"),
        (enable, "0"),
        (enable, "1"),
        (EXEC, "!traceoff"),
        (EXEC, "traceoff if pid == 77777777"),
        (enable, "0"),
        (PRINT, "enable_event:sched:sched_process_exec"),
        (EXEC, "!traceoff"),
        ("trace_marker", "x"),
        (PRINT, "!enable_event:sched:sched_process_exec"),
        ("events/enable", "1"),
        (PRINT, "disable_event:sched:sched_process_exec:1"),
        ("trace_marker", "x"),
        ("trace_marker", "x"),
        (enable, "1"),
        ("trace_marker", "x"),
        ("events/enable", "0"),
        (PRINT, "!enable_event:sched:sched_process_exec"),
    ] {
        player.put(path, OFlags::WRONLY, text.as_bytes());
        states(&mut player);
    }
    player.put(PRINT, OFlags::WRONLY, b"enable_event:sched:sched_process_exec");
    let sorted = |text: String| {
        let mut lines: Vec<String> = text.lines().map(String::from).collect();
        lines.sort();
        lines
    };
    let (kernels, ours) = player.contents("set_event");
    player.compare("set_event", "lines", &sorted(kernels), &sorted(ours));
    player.put("set_event", OFlags::WRONLY | OFlags::TRUNC, b"");
    states(&mut player);
    player.finish();
}

#[test]
fn markers_do_the_same() {
    let Some(mut player) = Player::new() else { return };
    let last = |player: &mut Player| {
        let texts = |text: &str| -> Vec<String> {
            let lines = text.lines().filter_map(|line| line.split_once(": tracing_mark_write: "));
            lines.map(|(_, text)| text.to_string()).collect()
        };
        let (kernels, ours) = player.contents("trace");
        player.compare("trace", "markers", &texts(&kernels), &texts(&ours));
    };
    for (path, text) in [
        (PRINT, "traceoff:2"),
        ("trace_marker", "one"),
        ("trace_marker", "lost"),
        ("tracing_on", "1"),
        ("trace_marker", "two"),
        ("tracing_on", "1"),
        ("trace_marker", "three"),
        (PRINT, "!traceoff"),
        (PRINT, "traceoff if buf == \"stop\""),
        ("trace_marker", "stop\n"),
        ("trace_marker", "stop"),
        ("tracing_on", "1"),
        ("trace_marker_raw", "stop1234"),
        (PRINT, "!traceon"),
        (PRINT, "traceon"),
        ("trace_marker", "on already"),
        ("tracing_on", "0"),
        ("trace_marker", "lost"),
        (PRINT, "!traceon"),
        ("tracing_on", "1"),
        (PRINT, "enable_event:sched:sched_process_exec:3 if common_pid > 0 && COMM != 'nobody'"),
        ("trace_marker", "on"),
        ("trace_marker", "on already"),
        ("events/sched/sched_process_exec/enable", "0"),
        ("trace_marker", "on again"),
        ("set_event_pid", "1"),
        ("events/sched/sched_process_exec/enable", "0"),
        ("trace_marker", "of nobody who is listed"),
        (PRINT, "!enable_event:sched:sched_process_exec"),
    ] {
        player.put(path, OFlags::WRONLY, text.as_bytes());
        states(&mut player);
        last(&mut player);
    }
    player.finish();
}
