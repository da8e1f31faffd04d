//! Spans on several threads, values of every type, generic code, records of `log`.
//!
//! `spans wait` says "ready" and then waits for a callsite to be looked at, a line for each step; `spans
//! trigger` then changes the directory, and comes there once more. `spans both` enters many spans, with
//! another layer that wants them all.
#![forbid(unsafe_code)]

use std::cell::Cell;
use std::fmt::Debug;
use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};
use tracing::{Level, Span, event, info, info_span};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// A task that is polled on another thread each time, and enters its span there.
struct Task {
    span: Span,
    polls: u32,
}

impl Future for Task {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        let span = self.span.clone();
        let _entered = span.enter();
        self.polls += 1;
        info!(name: "step", polls = self.polls);
        if self.polls < 3 { Poll::Pending } else { Poll::Ready(()) }
    }
}

fn run_task() {
    let mut task = Task { span: info_span!("task", name = "mover"), polls: 0 };
    let mut is_done = false;
    while !is_done {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut context = Context::from_waker(Waker::noop());
                is_done = pin!(&mut task).poll(&mut context).is_ready();
            });
        });
    }
}

fn generic(value: impl tracing::Value) {
    info!(name: "generic", value);
}

fn values() {
    let ratio = 1.5;
    let list = [1, 2];
    event!(name: "values", Level::INFO, a = 7u64, b = -7i64, yes = true, text = "text", ratio, ?list, "done");
}

fn say(what: &dyn Debug) {
    log::warn!(target: "spans::log", "{what:?} left");
}

fn later(was_on: &Cell<bool>) {
    info!(name: "later", was_on = was_on.replace(true), "enabled");
}

/// Records an event again and again, until it is one that is looked at: fields are evaluated only then.
fn wait() -> Cell<bool> {
    println!("ready");
    let is_on = Cell::new(false);
    let started = Instant::now();
    while !is_on.get() && started.elapsed() < Duration::from_secs(20) {
        later(&is_on);
        std::thread::sleep(Duration::from_millis(1));
    }
    is_on
}

/// A layer that wants everything, so that spans are made that are off for lookback.
struct Other;

impl<S: tracing::Subscriber> Layer<S> for Other {}

/// Enters 20,000 spans one after the other, with others between them, so that the registry uses the numbers
/// of some for the others; then 10,000 that are open at once.
fn enter_many() {
    let subscriber = tracing_subscriber::registry().with(Other).with(tracing_layer::layer());
    tracing::subscriber::with_default(subscriber, || {
        for _ in 0..20_000 {
            info_span!("wanted").in_scope(|| ());
            info_span!("other").in_scope(|| ());
            info_span!("other").in_scope(|| ());
        }
        let spans: Vec<Span> = (0..10_000).map(|_| info_span!("wanted")).collect();
        spans.iter().for_each(|span| span.in_scope(|| ()));
    });
}

fn main() {
    if std::env::args().nth(1).as_deref() == Some("both") {
        return enter_many();
    }
    tracing_subscriber::registry().with(tracing_layer::layer()).init();
    tracing_layer::Logger.install().expect("it is the only one");
    match std::env::args().nth(1).as_deref() {
        Some("wait") => {
            wait();
            return;
        }
        Some("trigger") => {
            let was_on = wait();
            std::env::set_current_dir("/").expect("it is there");
            return later(&was_on);
        }
        _ => {}
    }
    let _outer = info_span!("outer", kind = 1).entered();
    values();
    generic(5u64);
    generic("five");
    generic(6u64);
    run_task();
    say(&"1 KB");
}
