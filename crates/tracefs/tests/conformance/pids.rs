//! `set_event_pid` and `set_event_notrace_pid`.

use super::player::Player;
use rustix::fs::OFlags;

const FILES: [&str; 2] = ["set_event_pid", "set_event_notrace_pid"];

#[test]
fn numbers_mean_the_same() {
    let Some(mut player) = Player::new() else { return };
    let texts: &[&[u8]] = &[
        b"2 3",
        b"1",
        b"3",
        b"0",
        b"x",
        b"5 x 6",
        b"-1",
        b"+13",
        b"++13",
        b"4194303 4194304 4194305",
        b"1073741823",
        b"1073741824",
        b"7 1073741824 8",
        b"4294967296",
        b"4294967297",
        b"2147483648",
        b"18446744073709551615",
        b"18446744073709551616",
        b"0x10 010",
        b"0x",
        b"08",
        b"  7  8 ",
        b"\n9\n",
        b"\r\x0b17\t",
        b"",
        b"\n",
        b" ",
        b"\0",
        b"11\x0012",
        b"14,15",
        b"1.5",
        b"\xff",
        b"\xa020",
    ];
    for path in FILES {
        for text in texts {
            for flags in [OFlags::WRONLY, OFlags::WRONLY | OFlags::TRUNC, OFlags::RDWR | OFlags::APPEND] {
                player.put(path, flags, text);
                FILES.iter().for_each(|path| drop(player.get(path)));
            }
        }
        for len in 124..132 {
            player.put(path, OFlags::WRONLY | OFlags::TRUNC, &vec![b'0'; len]);
            player.get(path);
        }
        player.put(path, OFlags::WRONLY | OFlags::TRUNC, b"");
    }
    let many: String = (0..3000).map(|number| format!("{} ", number * 7 % 40_000)).collect();
    player.put(FILES[0], OFlags::WRONLY, many.as_bytes());
    player.get(FILES[0]);
    player.finish();
}

#[test]
fn parts_of_numbers_are_numbers() {
    let Some(mut player) = Player::new() else { return };
    let file = player.open(FILES[0], OFlags::RDWR | OFlags::TRUNC);
    for text in [&b"12"[..], b"34 ", b"x", b"5", b"\n"] {
        player.write(&file, text);
        player.get(FILES[0]);
    }
    player.close(file);
    for flags in [OFlags::RDONLY | OFlags::TRUNC, OFlags::WRONLY | OFlags::TRUNC, OFlags::RDWR] {
        let file = player.open(FILES[0], flags);
        player.close(file);
        player.get(FILES[0]);
    }
    player.finish();
}

#[test]
fn markers_are_of_whoever_writes() {
    let Some(mut player) = Player::new() else { return };
    for (path, text) in [
        (FILES[0], "1".to_string()),
        ("trace_marker", "first".to_string()),
        (FILES[1], std::process::id().to_string()),
        (FILES[1], rustix::thread::gettid().as_raw_nonzero().to_string()),
        ("trace_marker", "second".to_string()),
    ] {
        player.put(path, OFlags::WRONLY, text.as_bytes());
    }
    let count = |text: String| text.lines().filter(|line| line.contains("tracing_mark_write: ")).count();
    let (kernels, ours) = player.contents("trace");
    let (kernels, ours) = (count(kernels), count(ours));
    player.compare("trace", "markers", &kernels, &ours);
    assert_eq!(ours, 2);
    player.finish();
}
