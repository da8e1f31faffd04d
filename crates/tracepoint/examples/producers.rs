//! Threads that trace at full speed: `producers THREADS COUNT`. There are 33 tracepoints, all reached equally
//! often.
#![forbid(unsafe_code)]

use tracepoint::do_trace;

macro_rules! tracepoints {
    ($($name:ident)*) => {
        /// Traces once by each, and says how often that is.
        fn trace_all(number: u32) -> u32 {
            let mut count = 0;
            $(
                do_trace!($name, "%u of Rust at %s", number, stringify!($name));
                count += 1;
            )*
            count
        }
    };
}

tracepoints!(
    rust_01 rust_02 rust_03 rust_04 rust_05 rust_06 rust_07 rust_08 rust_09 rust_10 rust_11
    rust_12 rust_13 rust_14 rust_15 rust_16 rust_17 rust_18 rust_19 rust_20 rust_21 rust_22
    rust_23 rust_24 rust_25 rust_26 rust_27 rust_28 rust_29 rust_30 rust_31 rust_32 rust_33
);

fn main() {
    let mut arguments = std::env::args().skip(1).map(|word| word.parse::<u32>().unwrap_or(1));
    let (threads, count) = (arguments.next().unwrap_or(2), arguments.next().unwrap_or(1));
    let produce = move || (0..count).map(trace_all).sum::<u32>();
    let producers: Vec<_> = (0..threads).map(|_| std::thread::spawn(produce)).collect();
    let total: u32 = producers.into_iter().map(|producer| producer.join().unwrap_or(0)).sum();
    println!("{total}");
}
