//! Markers, and what readers see of them.

use super::player::Player;
use rustix::fs::OFlags;

/// A text of events without what can't be the same: times and addresses; names and processes of threads,
/// which the kernel learns when it switches tasks; and that it writes markers where it can't be preempted.
fn masked(text: &str) -> String {
    let thread = format!("-{}", rustix::thread::gettid().as_raw_nonzero());
    let verbose = format!(" {:7} ", rustix::thread::gettid().as_raw_nonzero());
    let masked = text.lines().map(|line| {
        // Those of `latency-format`, with a mark for how long it took, or a blank and so a colon by itself.
        let is_microseconds = |word: &str| {
            let digits = word.trim_end_matches([':', '+', '!', '#', '*', '@', '$']).strip_suffix("us");
            digits.is_some_and(|digits| digits.parse::<u64>().is_ok())
        };
        // Names can have blanks. The kernel's name and process can be an earlier thread's of this TID.
        let line = line.find(&thread).map_or(line.to_string(), |at| {
            format!("COMM{thread}{}", without_process(&line[at + thread.len()..]))
        });
        let line = line.find(&verbose).map_or(line.clone(), |at| {
            format!("COMM{}", line[at..].replacen(" 0 0 00000001 ", " 0 0 00000000 ", 1))
        });
        let words: Vec<&str> = line.split(' ').collect();
        let is_time = |word: &str| {
            word.len() > 8
                && word.trim_end_matches(':').split_once('.').is_some_and(|(seconds, rest)| {
                    rest.len() == 6
                        && [seconds, rest].iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
                })
        };
        // Addresses, and times in other forms, which have brackets; not what counts events.
        let is_long = |word: &str| {
            let digits = word.trim_matches(['<', '>', '[', ']', ':']);
            digits.len() > if word.starts_with('[') { 7 } else { 8 }
                && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        };
        let words = words.into_iter().filter(|word| !["", ":"].contains(word) || line.starts_with('#'));
        let word = |word: &str| match word {
            word if is_time(word) => "TIME:".to_string(),
            word if is_microseconds(word) => "TIME:".to_string(),
            word if word.trim_end_matches("):").ends_with("ms") => "TIME".to_string(),
            word if is_long(word) => "NUMBER".to_string(),
            word if word.starts_with("tracing_mark_write+0x") => "tracing_mark_write+OFFSET".to_string(),
            word if word.starts_with("(M:") => "(M:".to_string(),
            "0...1." | "0.N.1." => "0.....".to_string(),
            // Another thread may be due while the kernel writes.
            "...1." | ".N.1." | ".n.1." | ".p.1." => ".....".to_string(),
            word => word.to_string(),
        };
        words.map(word).collect::<Vec<_>>().join(" ") + "\n"
    });
    masked.collect()
}

/// What follows a thread's number in a line, with its process as where that isn't known.
fn without_process(rest: &str) -> String {
    let process = rest.trim_start().strip_prefix("(").and_then(|rest| rest.split_once(')'));
    match process {
        Some((number, rest)) if number.trim_start().bytes().all(|byte| byte.is_ascii_digit()) => {
            format!(" (-------){rest}")
        }
        _ => rest.to_string(),
    }
}

/// Compares the texts of a file.
fn compare(player: &mut Player, path: &str) {
    let (kernels, ours) = player.contents(path);
    player.compare(path, "text", &masked(&kernels), &masked(&ours));
}

fn mark(player: &mut Player, path: &str, bytes: &[u8]) {
    player.put(path, OFlags::WRONLY, bytes);
}

#[test]
fn the_text_of_markers_is_the_same_with_all_options() {
    let Some(mut player) = Player::new() else { return };
    let texts: &[&[u8]] = &[b"one", b"two\n", b"", b"\n", b"three\nlines\nhere", b"%s %d", b"\xc3\xa9\xff"];
    let settings = [
        "",
        "noirq-info",
        "record-tgid",
        "nocontext-info",
        "noannotate",
        "latency-format",
        "verbose",
        "verbose latency-format",
        "sym-offset",
        "sym-addr",
        "sym-offset sym-addr",
        "fields",
        "raw",
        "hex",
        "raw nocontext-info",
        "hex nocontext-info",
        "raw hex bin nocontext-info",
        "printk-msg-only",
        "printk-msg-only raw",
        "noprint-parent",
        "block",
    ];
    for setting in settings {
        for word in setting.split_whitespace() {
            player.put("trace_options", OFlags::WRONLY, word.as_bytes());
        }
        player.put("trace", OFlags::WRONLY | OFlags::TRUNC, b"x");
        for text in texts.iter().filter(|text| std::str::from_utf8(text).is_ok()) {
            mark(&mut player, "trace_marker", text);
        }
        mark(&mut player, "trace_marker_raw", b"\x39\x30\0\0abcdabcdabcd");
        mark(&mut player, "trace_marker_raw", b"\x01\0\0\0");
        compare(&mut player, "trace");
        compare(&mut player, "per_cpu/cpu0/trace");
        compare(&mut player, "trace_pipe");
        compare(&mut player, "trace");
        for word in setting.split_whitespace() {
            let back = word.strip_prefix("no").map_or(format!("no{word}"), str::to_string);
            player.put("trace_options", OFlags::WRONLY, back.as_bytes());
        }
    }
    player.finish();
}

#[test]
fn recording_pauses_while_trace_is_open() {
    let Some(mut player) = Player::new() else { return };
    player.put("options/pause-on-trace", OFlags::WRONLY, b"1");
    for path in ["trace", "per_cpu/cpu0/trace"] {
        mark(&mut player, "trace_marker", b"before");
        let (first, second) = (player.open(path, OFlags::RDONLY), player.open("trace", OFlags::RDONLY));
        mark(&mut player, "trace_marker", b"meanwhile");
        player.get("tracing_on");
        player.close(first);
        mark(&mut player, "trace_marker", b"meanwhile");
        player.close(second);
        mark(&mut player, "trace_marker", b"after");
    }
    compare(&mut player, "trace");
    player.finish();
}

#[test]
fn a_pipe_can_always_be_read_with_block() {
    let Some(mut player) = Player::new() else { return };
    player.put("options/block", OFlags::WRONLY, b"1");
    for path in ["trace_pipe", "per_cpu/cpu0/trace_pipe"] {
        let pipe = player.open(path, OFlags::RDONLY | OFlags::NONBLOCK);
        player.on(&pipe, "poll", |target, file| target.poll(file));
        player.read(&pipe, 100);
        player.close(pipe);
    }
    player.finish();
}

#[test]
fn markers_are_refused_for_the_same_reasons() {
    let Some(mut player) = Player::new() else { return };
    let try_both = |player: &mut Player| {
        mark(player, "trace_marker", b"text");
        mark(player, "trace_marker_raw", b"12345678");
        mark(player, "trace_marker_raw", b"123");
    };
    for (path, off, on) in
        [("tracing_on", "0", "1"), ("options/markers", "0", "1"), ("tracing_cpumask", "2", "3")]
    {
        player.put(path, OFlags::WRONLY, off.as_bytes());
        try_both(&mut player);
        player.put(path, OFlags::WRONLY, on.as_bytes());
        try_both(&mut player);
    }
    compare(&mut player, "trace");
    player.finish();
}

#[test]
fn what_is_truncated_is_gone_and_nothing_else() {
    let Some(mut player) = Player::new() else { return };
    for path in ["trace", "per_cpu/cpu0/trace", "per_cpu/cpu1/trace"] {
        for mode in [OFlags::RDONLY, OFlags::WRONLY, OFlags::RDWR] {
            for more in [OFlags::empty(), OFlags::TRUNC, OFlags::APPEND, OFlags::APPEND | OFlags::TRUNC] {
                mark(&mut player, "trace_marker", b"text");
                let file = player.open(path, mode | more);
                player.write(&file, b"0");
                player.close(file);
                compare(&mut player, "trace");
                compare(&mut player, "per_cpu/cpu0/trace");
            }
        }
    }
    player.finish();
}

#[test]
fn pipes_exclude_each_other_and_end_alike() {
    let Some(mut player) = Player::new() else { return };
    let flags = OFlags::RDONLY | OFlags::NONBLOCK;
    let paths = [
        "trace_pipe",
        "per_cpu/cpu0/trace_pipe",
        "per_cpu/cpu1/trace_pipe",
        "per_cpu/cpu0/trace_pipe_raw",
        "trace",
    ];
    for first in paths {
        let first = player.open(first, flags);
        for second in paths {
            let second = player.open(second, flags);
            player.close(second);
        }
        player.close(first);
    }
    let pipe = player.open("trace_pipe", flags);
    let poll = |player: &mut Player| player.on(&pipe, "poll", |target, file| target.poll(file));
    poll(&mut player);
    player.read(&pipe, 100);
    mark(&mut player, "trace_marker", b"text");
    poll(&mut player);
    let first = |target: &mut dyn super::target::Target, file| target.read(file, 1).map(|bytes| bytes.len());
    player.on(&pipe, "read 1", first);
    player.on(&pipe, "the rest", |target, file| target.read(file, 4096).is_ok());
    player.read(&pipe, 100);
    player.put("tracing_on", OFlags::WRONLY, b"0");
    player.read(&pipe, 100);
    player.close(pipe);
    player.finish();
}

#[test]
fn raw_pages_have_the_same_events() {
    let Some(mut player) = Player::new() else { return };
    let raw = player.open("per_cpu/cpu0/trace_pipe_raw", OFlags::RDONLY | OFlags::NONBLOCK);
    for len in [0, 1, 16, 17, 4096] {
        player.read(&raw, len);
    }
    for number in 0..300 {
        mark(&mut player, "trace_marker", format!("number {number}").as_bytes());
    }
    for len in [0, 1, 8, 15, 16] {
        player.read(&raw, len);
    }
    player.on(&raw, "poll", |target, file| target.poll(file));
    let texts = |page: &[u8]| -> Vec<Vec<u8>> {
        let page = trace_data::page::Page::new(page).unwrap();
        page.events().map(|event| event.payload[16..].to_vec()).collect()
    };
    let Some((kernels, ours)) = player.on(&raw, "pages", |target, file| {
        let mut found = (Vec::new(), Vec::new());
        while let Ok(page) = target.read(file, 4096)
            && !page.is_empty()
        {
            found.0.push(page.len());
            found.1.extend(texts(&page));
        }
        found.1
    }) else {
        return;
    };
    assert_eq!((kernels.len(), ours.len()), (300, 300));
    player.close(raw);
    player.finish();
}

#[test]
fn statistics_count_the_same() {
    let Some(mut player) = Player::new() else { return };
    let stats = |player: &mut Player| {
        let (kernels, ours) = player.contents("per_cpu/cpu0/stats");
        let masked = |text: &str| -> Vec<String> {
            // A pause between two events takes 8 bytes, and what is a pause is in units of the clock.
            let line = |line: &str| match line.split_once(" ts:") {
                Some((name, time)) => format!("{name} {}", time.split('.').count()),
                None => line.split_once("bytes: ").map_or(line, |_| "bytes").to_string(),
            };
            text.lines().map(line).collect()
        };
        player.compare("per_cpu/cpu0/stats", "content", &masked(&kernels), &masked(&ours));
    };
    stats(&mut player);
    for number in 0..100 {
        mark(&mut player, "trace_marker", format!("number {number}").as_bytes());
    }
    stats(&mut player);
    let pipe = player.open("trace_pipe", OFlags::RDONLY | OFlags::NONBLOCK);
    player.on(&pipe, "read", |target, file| target.read(file, 1).map(drop));
    player.close(pipe);
    player.put("trace", OFlags::WRONLY | OFlags::TRUNC, b"");
    stats(&mut player);
    player.finish();
}
