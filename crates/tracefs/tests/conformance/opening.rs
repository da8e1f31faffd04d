//! Every file, opened in every mode, then read and written.

use super::player::Player;
use rustix::fs::OFlags;

/// Files whose content both sides have the same.
fn is_same(path: &str) -> bool {
    const OTHER: &[&str] =
        &["available_tracers", "buffer", "trace_options", "trace", "stats", "id", "format", "trace_clock"];
    let name = path.rsplit('/').next().unwrap_or_default();
    !OTHER.contains(&name) && !name.starts_with("buffer_") && !name.starts_with("trace_pipe")
}

#[test]
fn every_file_in_every_mode() {
    let Some(mut player) = Player::new() else { return };
    let modes = [OFlags::RDONLY, OFlags::WRONLY, OFlags::RDWR];
    let more = [
        OFlags::empty(),
        OFlags::TRUNC,
        OFlags::APPEND,
        OFlags::TRUNC | OFlags::APPEND,
        OFlags::CREATE,
        OFlags::CREATE | OFlags::TRUNC,
        OFlags::CREATE | OFlags::EXCL,
        OFlags::DIRECTORY,
    ];
    for path in player.files() {
        for flags in modes.iter().flat_map(|mode| more.iter().map(|more| *mode | *more | OFlags::NONBLOCK)) {
            let file = player.open(&path, flags);
            for len in [0, 1, 100] {
                player.on(&file, &format!("read {len}"), |target, file| {
                    let read = target.read(file, len);
                    read.map(|bytes| if is_same(&path) { bytes } else { Vec::new() })
                });
            }
            player.on(&file, "write garbage", |target, file| target.write(file, b"garbage_of_some_length\n"));
            player.on(&file, "write nothing", |target, file| target.write(file, b""));
            player.on(&file, "seek", |target, file| target.seek(file, 0));
            player.on(&file, "poll", |target, file| target.poll(file));
            player.close(file);
        }
    }
    player.finish();
}
