//! Tracepoints with formats, some of which a C program has, too: `lookback record -e ktrace: -- formats`.
#![forbid(unsafe_code)]

use tracepoint::do_trace;

macro_rules! many {
    ($($name:ident $number:literal)*) => {
        fn record_many() {
            $(
                do_trace!($name, "number %d of %s", $number, "Rust");
                println!("{}: number {} of Rust", stringify!($name), $number);
            )*
        }
    };
}

many!(many_100 100 many_101 101 many_102 102 many_103 103 many_104 104 many_105 105 many_106 106);

fn main() {
    record_many();
    let (small, text) = (-5i16, String::from("caf\u{e9}"));
    do_trace!(rust_numbers, "%hd %zu %#lx %c %d", small, 7usize, 255u64, b'x', true);
    println!("rust_numbers: -5 7 0xff x 1");
    do_trace!(rust_texts, "%s|%6.2s|%.*s", text.as_str(), c"abc", 2, "xyz");
    println!("rust_texts: caf\u{e9}|    ab|xy");
    do_trace!(rust_bytes, "%*ph|%*phN", b"\x01\xff".as_slice(), [0u8, 16].as_slice());
    println!("rust_bytes: 01 ff|0010");
    let long = "caf\u{e9}_".repeat(1000);
    do_trace!(rust_long, "%s|%.300s", long.get(..3000).unwrap_or_default(), long.as_str());
    println!("rust_long: {}|{}", "caf\u{e9}_".repeat(500), "caf\u{e9}_".repeat(50));
    do_trace!(rust_cut, "%s", long.as_str());
    println!("rust_cut: {}...", "caf\u{e9}_".repeat(674));
    do_trace!(rust_nothing, "nothing");
    println!("rust_nothing: nothing");
}
