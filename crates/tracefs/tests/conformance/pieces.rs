//! Words in pieces, at odd offsets, and to files that were opened in odd ways.

use super::player::Player;
use rustix::fs::OFlags;

/// Words that files take, each cut in two.
const HALVES: &[(&[u8], &[u8])] = &[
    (b"1", b"0\n"),
    (b"0", b"\n"),
    (b"", b"1\n"),
    (b"1", b""),
    (b"annot", b"ate\n"),
    (b"noannot", b"ate\n"),
    (b"n", b"op\n"),
    (b"mo", b"no\n"),
    (b"sched:sched_process", b"_exec\n"),
    (b"sched:sched_process_exec", b"\n"),
    (b"!sched:sched_process_exec", b" \n"),
    (b"common_pid ==", b" 1\n"),
    (b"1\n", b"1\n"),
];

/// Whether what a file has afterwards can be compared.
fn is_kept(path: &str) -> bool {
    path.starts_with("options/")
        || path.ends_with("sched_process_exec/enable")
        || ["tracing_on", "buffer_percent", "tracing_cpumask", "current_tracer"].contains(&path)
}

/// Files that a script can write words to, without enabling everything that the kernel has.
fn written(player: &mut Player) -> Vec<String> {
    let is_too_much = |path: &String| ["events/enable", "events/syscalls/enable"].contains(&path.as_str());
    player.files().into_iter().filter(|path| !is_too_much(path)).collect()
}

#[test]
fn no_file_puts_words_together_from_two_writes() {
    let Some(mut player) = Player::new() else { return };
    for path in written(&mut player) {
        for (first, second) in HALVES {
            let file = player.open(&path, OFlags::WRONLY);
            player.write(&file, first);
            player.write(&file, second);
            player.close(file);
            if is_kept(&path) {
                player.get(&path);
            }
        }
    }
    player.finish();
}

#[test]
fn words_are_taken_however_a_file_was_opened() {
    let Some(mut player) = Player::new() else { return };
    let more = [OFlags::TRUNC, OFlags::APPEND, OFlags::TRUNC | OFlags::APPEND, OFlags::NONBLOCK];
    for path in written(&mut player) {
        for flags in
            [OFlags::WRONLY, OFlags::RDWR].iter().flat_map(|mode| more.iter().map(|more| *mode | *more))
        {
            for word in [&b"1\n"[..], b"0\n", b"nop\n", b"overwrite\n", b"sched:sched_process_exec\n"] {
                let file = player.open(&path, flags);
                player.write(&file, word);
                player.write(&file, word);
                player.close(file);
                if is_kept(&path) {
                    player.get(&path);
                }
            }
        }
    }
    player.finish();
}

#[test]
fn writes_do_not_care_for_the_offset() {
    let Some(mut player) = Player::new() else { return };
    for path in written(&mut player) {
        for offset in [1, 7, 4095, 4096, 1 << 20] {
            for word in [&b"1\n"[..], b"0\n", b"", b"x"] {
                let file = player.open(&path, OFlags::WRONLY);
                player.on(&file, &format!("seek {offset}"), |target, file| target.seek(file, offset));
                player.write(&file, word);
                player.close(file);
            }
            if is_kept(&path) {
                player.get(&path);
            }
        }
    }
    player.finish();
}
