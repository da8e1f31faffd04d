//! How full the pages get.

use super::player::Player;
use super::target::{File, Target};
use rustix::fs::OFlags;

/// How many such events it takes until a CPU's pipe can be read. A pause between two takes 8 bytes of a page,
/// so the most of some rounds.
fn until_readable(target: &mut dyn Target, pipe: File, event: &[u8]) -> usize {
    let marker = target.open("trace_marker_raw", OFlags::WRONLY).unwrap();
    let mut round = || {
        let trace = target.open("trace", OFlags::WRONLY | OFlags::TRUNC).unwrap();
        target.close(trace);
        let mut write = || target.write(marker, event).is_ok() && !target.poll(pipe);
        1 + (0..100_000).take_while(|_| write()).count()
    };
    let most = (0..3).map(|_| round()).max().unwrap();
    target.close(marker);
    most
}

#[test]
fn as_many_events_make_a_buffer_as_full() {
    let Some(mut player) = Player::new() else { return };
    player.put("buffer_percent", OFlags::WRONLY, b"2");
    let pipe = player.open("per_cpu/cpu0/trace_pipe_raw", OFlags::RDONLY | OFlags::NONBLOCK);
    for len in [4, 8, 12, 16, 20, 24, 28, 60, 100, 104, 108, 112, 240, 244] {
        let event: Vec<u8> = 7u32.to_le_bytes().into_iter().chain((0..len - 4).map(|_| b'x')).collect();
        player.on(&pipe, &format!("poll, events of {len} bytes"), |target, pipe| {
            until_readable(target, pipe, &event)
        });
    }
    player.close(pipe);
    player.finish();
}
