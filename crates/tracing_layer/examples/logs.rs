//! A program that logs an error, by `log` or by `tracing`: `lookback start --snapshot-on log; lookback run --
//! logs tracing; lookback snapshots`.
#![forbid(unsafe_code)]

use tracing_subscriber::layer::SubscriberExt;

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("log") => {
            tracing_layer::Logger.install().expect("no other logger");
            log::warn!("{} orders left", 1);
            log::error!("no order {}", 7);
        }
        Some("tracing") => {
            let subscriber = tracing_subscriber::registry().with(tracing_layer::layer());
            tracing::subscriber::with_default(subscriber, || {
                tracing::warn!("few orders left");
                tracing::error!(order = 7, customer = "Ada", "no such order");
            });
        }
        _ => panic!("expected log or tracing"),
    }
    println!("served");
}
