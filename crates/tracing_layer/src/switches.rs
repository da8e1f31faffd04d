//! What is on: asked by tracing once per callsite, and again when it changes.

use crate::callsite::Callsite;
use rustix::thread::futex;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Acquire;
use std::sync::{Mutex, Once, PoisonError};
use tracing_core::dispatcher::{self, WeakDispatch};
use tracing_core::subscriber::Interest;
use tracing_core::{Dispatch, Level, Metadata, callsite};
use tracing_subscriber::layer::{Context, Filter};

/// Which callsites are on, by the names of their events.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EnabledFilter;

impl<S> Filter<S> for EnabledFilter {
    /// Asked for each event and span where another layer is interested now and then; whether it is on is
    /// looked at when it is recorded. So where there is a session `tracing` reports all spans.
    fn enabled(&self, _: &Metadata<'_>, _: &Context<'_, S>) -> bool {
        tracepoint::switched().is_some()
    }

    fn callsite_enabled(&self, metadata: &'static Metadata<'static>) -> Interest {
        interest(metadata)
    }
}

/// Whether a callsite's events are on now. Errors are in any session: they can take snapshots.
fn interest(metadata: &'static Metadata<'static>) -> Interest {
    let is_error = metadata.is_event() && *metadata.level() == Level::ERROR;
    let is_on = || is_error || Callsite::of(metadata).is_some_and(Callsite::is_enabled);
    if tracepoint::switched().is_some() && is_on() { Interest::always() } else { Interest::never() }
}

/// Has tracing ask again whenever events were switched, if there is a session.
///
/// `dispatch` is whom it is to ask. As long as there is only one subscriber, tracing-core asks the calling
/// thread's, so it has to be the waiting thread's, too.
pub(crate) fn watch(dispatch: &Dispatch) {
    static WATCHED: Once = Once::new();
    let Some(switched) = tracepoint::switched() else { return };
    *LATEST.lock().unwrap_or_else(PoisonError::into_inner) = Some(dispatch.downgrade());
    WATCHED.call_once(|| {
        // Without the thread, what is on at the start is recorded.
        let _ = std::thread::Builder::new().name("lookback".into()).spawn(|| wait(switched));
    });
}

/// The subscriber that the layer became part of last.
static LATEST: Mutex<Option<WeakDispatch>> = Mutex::new(None);

fn wait(switched: &'static AtomicU32) {
    loop {
        let seen = switched.load(Acquire);
        let latest = LATEST.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match latest.and_then(|latest| latest.upgrade()) {
            Some(latest) => dispatcher::with_default(&latest, callsite::rebuild_interest_cache),
            None => callsite::rebuild_interest_cache(),
        }
        // An interruption is as good as a change.
        let _ = futex::wait(switched, futex::Flags::empty(), seen, None);
    }
}
