//! The layer itself.
//!
//! # Safety
//!
//! tracing's layers find each other by `downcast_raw`, which is handed on as it comes: what is asked of this
//! layer is asked of the filtered one in it. So it answers for that one's types, and never for its own.

use crate::callsite::Move;
use crate::recorder::RecordingLayer;
use crate::spans::Spans;
use crate::switches::{self, EnabledFilter};
use std::any::TypeId;
use std::fmt::{Debug, Formatter};
use tracing_core::span::{Attributes, Id};
use tracing_core::subscriber::Interest;
use tracing_core::{Dispatch, Event, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Filtered;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

/// Records spans and events. Made by [`layer`](crate::layer).
///
/// It is a layer with a filter of its own, as [`Layer::with_filter`] makes it, but for spans that are
/// entered, left and closed: there `Filtered` asks the registry each time whether the span was on when it was
/// made, which takes three times as long as all else.
pub struct LookbackLayer<S>(Filtered<RecordingLayer, EnabledFilter, S>);

impl<S> LookbackLayer<S>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    pub(crate) fn new() -> LookbackLayer<S> {
        LookbackLayer(RecordingLayer { spans: Spans::new() }.with_filter(EnabledFilter))
    }

    /// Records what happens to a span that is known. Whether it is.
    #[inline]
    fn record_move(&self, id: &Id, what: Move) -> bool {
        let callsite = self.0.inner().spans.find(id);
        if let Some(callsite) = callsite {
            callsite.record_move(id, what);
        }
        callsite.is_some()
    }
}

impl<S> Layer<S> for LookbackLayer<S>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn on_register_dispatch(&self, subscriber: &Dispatch) {
        switches::watch(subscriber);
    }

    fn on_layer(&mut self, subscriber: &mut S) {
        self.0.on_layer(subscriber);
    }

    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        self.0.register_callsite(metadata)
    }

    fn enabled(&self, metadata: &Metadata<'_>, context: Context<'_, S>) -> bool {
        self.0.enabled(metadata, context)
    }

    fn event_enabled(&self, event: &Event<'_>, context: Context<'_, S>) -> bool {
        self.0.event_enabled(event, context)
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        self.0.on_new_span(attributes, id, context);
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        self.0.on_event(event, context);
    }

    #[inline]
    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        if !self.record_move(id, Move::Enter) {
            self.0.on_enter(id, context);
        }
    }

    #[inline]
    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        if !self.record_move(id, Move::Exit) {
            self.0.on_exit(id, context);
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        if !self.record_move(&id, Move::Close) {
            self.0.on_close(id, context);
        }
    }

    // SAFETY: the pointer is what the filtered layer says of itself; it lives as long as this one.
    unsafe fn downcast_raw(&self, id: TypeId) -> Option<*const ()> {
        // SAFETY: as the caller promises.
        unsafe { self.0.downcast_raw(id) }
    }
}

impl<S> Debug for LookbackLayer<S> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("LookbackLayer").field(self.0.inner()).finish()
    }
}
