//! `set_event` and `enable`.

use super::player::{Opened, Player};
use rustix::fs::OFlags;

/// Events that both have.
const EVENTS: &[&str] = &["sched_process_exec", "sched_process_exit", "sched_process_fork"];

/// The states of the events that both have, one by one.
fn states(player: &mut Player) {
    for event in EVENTS {
        player.get(&format!("events/sched/{event}/enable"));
    }
}

/// Writes all, coming again with the rest, as the shell does.
fn write_all(player: &mut Player, file: &Opened, bytes: &[u8]) {
    let what = format!("write all of {:?}", String::from_utf8_lossy(bytes));
    player.on(file, &what, |target, file| {
        let (mut rest, mut counts) = (bytes, Vec::new());
        while !rest.is_empty() {
            let taken = target.write(file, rest);
            counts.push(taken);
            let Ok(taken) = taken else { break };
            rest = &rest[taken..];
        }
        counts
    });
}

#[test]
fn words_mean_the_same() {
    let Some(mut player) = Player::new() else { return };
    let words: &[&[u8]] = &[
        b"sched:sched_process_exec",
        b"!sched:sched_process_exec",
        b"sched_process_exec\n",
        b"!sched_process_exec\n",
        b"*:sched_process_exec",
        b":sched_process_exec",
        b"!:sched_process_exec",
        b"sched:sched_process_ex",
        b"sched:sched_process_exec*",
        b"*sched_process_exec*",
        b"SCHED:sched_process_exec",
        b"sched:SCHED_PROCESS_EXEC",
        b"sched:sched_process_exec:x",
        b"sched::sched_process_exec",
        b"!",
        b"! sched_process_exec",
        b"!!sched_process_exec",
        b"sched_process_exec sched_process_exit sched_process_fork",
        b"sched_process_exec nothing sched_process_fork",
        b"  sched_process_exit  ",
        b"\tsched_process_fork\n\n",
        b"\n",
        b"",
        b" ",
        b"\0",
        b"sched_process_exec\0x",
        b"sched_process_exec\0",
        b"sched:",
        b"!sched:",
        b"sched",
        b"!sched",
        b"sched:*",
        b"!sched:*",
        b"!*:*",
        b"!:",
        b"!*:",
        b"ftrace:print",
        b"ftrace",
        b"print",
        b"ftrace:",
        b"nothing",
        b"nothing:",
        b"nothing:*",
        b"*",
        b"!*",
        b"sched:sched_process_exec,sched:sched_process_exit",
        b"\xff\xff",
        b"sched\xa0sched_process_exec",
        b":mod:",
        b"sched:?",
    ];
    for (index, word) in words.iter().enumerate() {
        let appending: &[OFlags] =
            if index < 3 { &[OFlags::APPEND, OFlags::APPEND | OFlags::TRUNC] } else { &[] };
        for flags in [OFlags::empty(), OFlags::TRUNC].iter().chain(appending) {
            player.put("set_event", OFlags::WRONLY, b"sched:sched_process_exit");
            let file = player.open("set_event", OFlags::WRONLY | *flags);
            states(&mut player);
            write_all(&mut player, &file, word);
            states(&mut player);
            player.close(file);
            player.get("events/sched/enable");
        }
    }
    player.finish();
}

#[test]
fn a_word_is_not_put_together_from_two_writes() {
    let Some(mut player) = Player::new() else { return };
    let file = player.open("set_event", OFlags::WRONLY);
    for part in [
        &b"sched:sched_process"[..],
        b"_exec\n",
        b"sched:sched_process_exec",
        b" ",
        b"sched:sched_process_exit\n",
    ] {
        player.write(&file, part);
        states(&mut player);
    }
    player.close(file);
    let long: Vec<u8> = [b"sched:sched_process_exec ".repeat(20)].concat();
    let file = player.open("set_event", OFlags::RDWR | OFlags::TRUNC);
    write_all(&mut player, &file, &long);
    player.read(&file, 7);
    player.close(file);
    for len in 120..135 {
        player.put("set_event", OFlags::WRONLY, &vec![b'x'; len]);
        player.put("set_event", OFlags::WRONLY, &[vec![b'x'; len], b" ".to_vec()].concat());
        player.put("set_event", OFlags::WRONLY, &[vec![b' '; len], b"sched_process_exec".to_vec()].concat());
        states(&mut player);
    }
    player.finish();
}

#[test]
fn what_is_on_is_told_at_all_levels() {
    let Some(mut player) = Player::new() else { return };
    let levels = ["events/enable", "events/sched/enable", "events/sched/sched_process_exec/enable"];
    let tell = |player: &mut Player| levels.iter().for_each(|level| drop(player.get(level)));
    tell(&mut player);
    for (level, word) in [(2, "1"), (2, "0"), (1, "1"), (2, "0"), (2, "1"), (1, "0"), (1, "1"), (0, "0")] {
        player.put(levels[level], OFlags::WRONLY, word.as_bytes());
        tell(&mut player);
    }
    for event in EVENTS {
        player.put("set_event", OFlags::WRONLY, event.as_bytes());
    }
    let (kernels, ours) = player.contents("set_event");
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(String::from).collect();
        lines.sort();
        lines
    };
    player.compare("set_event", "content", &sorted(&kernels), &sorted(&ours));
    player.finish();
}
