//! Tasks of Tokio, some of which misbehave.
//!
//! ```text
//! cd examples/tokio && cargo build
//! lookback record -e 'tokio_task*:' -- ../../target/tokio/debug/tasks
//! lookback report --tasks
//! ```
#![forbid(unsafe_code)]

use std::future::{Future, pending, poll_fn};
use std::task::Poll;
use std::time::Duration;
use tokio::runtime;
use tokio::sync::oneshot;
use tokio::task::{Builder, JoinHandle};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

fn main() -> std::io::Result<()> {
    tracing_subscriber::registry().with(tracing_layer::layer()).init();
    let runtime = runtime::Builder::new_current_thread().enable_time().build()?;
    let done = runtime.block_on(tasks());
    // As in a service that goes on, nothing is dropped.
    std::mem::forget(runtime);
    done
}

/// Runs them, and ends when all have ended that do.
async fn tasks() -> std::io::Result<()> {
    let (sender, receiver) = oneshot::channel();
    let running = [
        spawn("asks", asks(receiver))?,
        spawn("answers", answers(sender))?,
        spawn("spins", spins(99))?,
        spawn("blocks", blocks())?,
        spawn("sleeps", tokio::time::sleep(Duration::from_millis(20)))?,
    ];
    spawn("forgets", pending())?;
    let files = Builder::new().name("files").spawn_blocking(|| std::thread::sleep(Duration::from_millis(5)))?;
    for task in running.into_iter().chain([files]) {
        task.await?;
    }
    Ok(())
}

fn spawn(
    name: &'static str,
    task: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<JoinHandle<()>> {
    Builder::new().name(name).spawn(task)
}

/// Waits for an answer of another task.
async fn asks(answer: oneshot::Receiver<u32>) {
    // Nobody answers who has gone.
    let _ = answer.await;
}

async fn answers(asked: oneshot::Sender<u32>) {
    // Who asked has gone.
    let _ = asked.send(42);
}

/// Wakes itself instead of waiting for something.
async fn spins(mut times: u32) {
    poll_fn(|context| {
        if times == 0 {
            return Poll::Ready(());
        }
        times -= 1;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Has all others wait for what isn't done by Tokio.
async fn blocks() {
    std::thread::sleep(Duration::from_millis(30));
}
