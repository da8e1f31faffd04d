//! The text of `function_graph`, against transcripts of a kernel that has the tracer.
//!
//! A transcript in `graph/` begins with the records, as text with all that is known of them,
//! after `@ records`.
//! Then come `$ ` and options, or what is looked at, with what the kernel shows of that:
//! `head N` and `lines N` the first lines with the header and without, `tail N` the last.

mod names;
mod trace;

use trace::Trace;

#[test]
fn lines_are_the_kernels() {
    for transcript in [
        include_str!("transcripts/trace.txt"),
        include_str!("transcripts/alone.txt"),
        include_str!("transcripts/options.txt"),
        include_str!("transcripts/marks.txt"),
        include_str!("transcripts/depth.txt"),
        include_str!("transcripts/pipe.txt"),
        include_str!("transcripts/thresh.txt"),
        include_str!("transcripts/overrun.txt"),
        include_str!("transcripts/irq.txt"),
        include_str!("transcripts/events.txt"),
        include_str!("transcripts/retval.txt"),
        include_str!("transcripts/retval-error.txt"),
        include_str!("transcripts/retaddr.txt"),
    ] {
        let title = transcript.lines().next().unwrap();
        let mut trace = Trace::default();
        let mut compared = 0;
        for (number, command, shown) in blocks(transcript) {
            let place = format!("{title}, line {number}: {command}");
            match command.strip_prefix("@ records") {
                Some(attributes) => trace = Trace::parse(&shown, attributes),
                None => compared += usize::from(trace.play(&command[2..], &shown, &place)),
            }
        }
        assert!(compared > 0, "{title}");
    }
}

/// Each command with its line and what follows it.
fn blocks(transcript: &str) -> Vec<(usize, &str, Vec<&str>)> {
    let mut blocks: Vec<(usize, &str, Vec<&str>)> = Vec::new();
    for (index, line) in transcript.lines().enumerate().skip(1) {
        match line.starts_with("$ ") || line.starts_with("@ ") {
            true => blocks.push((index + 1, line, Vec::new())),
            false => blocks.last_mut().unwrap().2.push(line),
        }
    }
    blocks
}
