//! The worker: events, spans and messages, repeated as standard input says; see `worker.h`.

use crate::clock::{thread_cpu_ns, wall_ns};
use crate::events::read_tsc;
use std::hint::black_box;
use std::io::{BufRead, Error, Write};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

tracepoint::trace_event! {
    fn bench_author:number(value: u64);
    fn bench_author:text(value: u64, status: u32, path: &str);
}

/// A layer that does nothing: what is left is tracing itself.
struct Nothing;

impl<S: tracing::Subscriber> Layer<S> for Nothing {}

/// Answers each line "NAME COUNT" by the nanoseconds that COUNT operations have taken, and those of the
/// processor.
pub fn serve() -> Result<(), Error> {
    tracing_subscriber::registry().with(tracing_layer::layer()).init();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let (name, count) = line.split_once(' ').unwrap_or_default();
        let count = count.parse().map_err(Error::other)?;
        let (wall, cpu) = (wall_ns(), thread_cpu_ns());
        repeat(name, count)?;
        let (cpu, wall) = (thread_cpu_ns() - cpu, wall_ns() - wall);
        println!("{wall} {cpu}");
        std::io::stdout().flush()?;
    }
    Ok(())
}

fn repeat(name: &str, count: u64) -> Result<(), Error> {
    match name {
        "nothing" => (0..count).for_each(|value| _ = black_box(value)),
        "rdtsc" => read_tsc(count),
        "event" => (0..count).for_each(|value| number(black_box(value))),
        "text" => {
            (0..count).for_each(|value| text(black_box(value), value as u32, black_box("/etc/hosts.1")))
        }
        "format" => (0..count).for_each(|value| {
            tracepoint::do_trace!(bench_numbers, "%lu of %u", black_box(value), value as u32);
        }),
        "format_text" => (0..count).for_each(|value| {
            tracepoint::do_trace!(bench_text, "%lu %s", black_box(value), black_box("/etc/hosts.1"));
        }),
        "printk" => (0..count).for_each(|value| tracepoint::trace_printk!("value {}", black_box(value))),
        "span" => {
            let span = tracing::info_span!("work", kind = 1);
            (0..count).for_each(|_| drop(black_box(span.enter())));
        }
        // The span keeps the subscriber that it was made with.
        "span_unrecorded" => {
            let nothing = tracing_subscriber::registry().with(Nothing);
            let span = tracing::subscriber::with_default(nothing, || tracing::info_span!("work", kind = 2));
            (0..count).for_each(|_| drop(black_box(span.enter())));
        }
        "threads" => {
            (0..count).for_each(|value| _ = std::thread::spawn(move || number(black_box(value))).join());
        }
        "tracing" => (0..count).for_each(|value| tracing::info!(name: "value", value = black_box(value))),
        name => return Err(Error::other(format!("no operation is called {name}"))),
    }
    Ok(())
}
