//! A program that keeps what led to a full queue: `lookback run -- snapshot; lookback snapshots`.
#![forbid(unsafe_code)]

use tracepoint::{snapshot, trace_printk};

fn main() {
    for length in 1..=3 {
        trace_printk!("the queue has {} entries", length);
        if length == 2 {
            snapshot!("the queue is full");
        }
    }
    println!("served");
}
