//! What is on: asked by tracing once per callsite, and again when it changes.

use crate::callsite::Callsite;
use rustix::thread::futex;
use std::sync::Once;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Acquire;
use tracing_core::subscriber::Interest;
use tracing_core::{Metadata, callsite};
use tracing_subscriber::layer::{Context, Filter};

/// Which callsites are on, by the names of their events.
#[derive(Debug, Clone, Copy)]
pub struct Switches;

impl<S> Filter<S> for Switches {
    /// Asked for each event where another layer is interested now and then; whether it is on is looked at
    /// when it is recorded.
    fn enabled(&self, _: &Metadata<'_>, _: &Context<'_, S>) -> bool {
        tracepoint::switched().is_some()
    }

    fn callsite_enabled(&self, metadata: &'static Metadata<'static>) -> Interest {
        interest(metadata)
    }
}

/// Whether a callsite's events are on now.
pub(crate) fn interest(metadata: &'static Metadata<'static>) -> Interest {
    let is_on = tracepoint::switched().is_some() && Callsite::of(metadata).is_some_and(Callsite::is_enabled);
    if is_on { Interest::always() } else { Interest::never() }
}

/// Has tracing ask again whenever events were switched, if there is a session.
pub(crate) fn watch() {
    static WATCHED: Once = Once::new();
    let Some(switched) = tracepoint::switched() else { return };
    WATCHED.call_once(|| {
        // Without the thread, what is on at the start is recorded.
        let _ = std::thread::Builder::new().name("lookback".into()).spawn(|| wait(switched));
    });
}

fn wait(switched: &'static AtomicU32) {
    loop {
        let seen = switched.load(Acquire);
        callsite::rebuild_interest_cache();
        // An interruption is as good as a change.
        let _ = futex::wait(switched, futex::Flags::empty(), seen, None);
    }
}
