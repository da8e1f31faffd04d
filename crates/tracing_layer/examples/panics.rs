//! A program that panics, and goes on: `lookback run -- panics; lookback snapshots`.
#![forbid(unsafe_code)]

fn main() {
    tracing_layer::record_panics();
    let worker = std::thread::Builder::new().name("worker".to_owned());
    let job = worker.spawn(|| panic!("no order {}", 7)).expect("a thread can be made");
    println!("{}", if job.join().is_err() { "panicked" } else { "done" });
}
