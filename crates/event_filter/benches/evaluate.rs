//! What evaluating a filter costs: `cargo bench -p lookback-event-filter`.

use event_filter::{Filter, FilterField, Here, evaluate};
use std::hint::black_box;
use std::time::Instant;

const EVENTS: u64 = 20_000_000;

const FIELDS: [FilterField<'static>; 3] = [
    FilterField { name: "common_pid", type_name: "int", offset: 4, size: 4, signed: true, names: &[] },
    FilterField { name: "fd", type_name: "int", offset: 8, size: 4, signed: true, names: &[] },
    FilterField {
        name: "path",
        type_name: "__data_loc char[]",
        offset: 12,
        size: 4,
        signed: false,
        names: &[],
    },
];

fn main() {
    let mut record = vec![0; 8];
    record.extend(3i32.to_le_bytes());
    record.extend((12u32 << 16 | 16).to_le_bytes());
    record.extend(b"/etc/passwd\0");
    let here = Here { cpu: 1, comm: b"cat" };
    for text in [
        "fd == 3",
        "fd == 4",
        "fd > 2 && common_pid == 0 && CPU == 1",
        "path == \"/etc/passwd\"",
        "path ~ \"/etc/*\"",
        "path ~ \"*wd\"",
        "COMM == \"cat\"",
    ] {
        let filter = Filter::compile(text, &FIELDS).unwrap();
        let started = Instant::now();
        let passed = (0..EVENTS).filter(|_| evaluate(filter.words(), black_box(&record), &here)).count();
        let nanoseconds = started.elapsed().as_nanos() as f64 / EVENTS as f64;
        println!("{nanoseconds:6.2} ns  {text}  ({})", if passed > 0 { "passes" } else { "is refused" });
    }
}
