//! Recording what is on.

use crate::callsite::{Callsite, Move};
use crate::errors::keep_error;
use crate::spans::Spans;
use crate::values::Values;
use tracing_core::span::{Attributes, Id};
use tracing_core::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

/// Records the spans and events that `tracing` reports.
#[derive(Debug)]
pub(crate) struct RecordingLayer {
    /// Its spans.
    pub(crate) spans: Spans,
}

impl<S> Layer<S> for RecordingLayer
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let callsite = Callsite::of(attributes.metadata());
        self.spans.remember(id, callsite);
        let Some(callsite) = callsite else { return };
        if callsite.event.is_enabled() {
            let parent = context.span(id).and_then(|span| span.parent().map(|parent| parent.id().into_u64()));
            let mut values = Values::new();
            attributes.record(&mut values);
            callsite.event.record(attributes.metadata(), &[id.into_u64(), parent.unwrap_or(0)], &values);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let callsite = Callsite::of(event.metadata());
        if let Some(callsite) = callsite.filter(|callsite| callsite.event.is_enabled()) {
            let span = context.event_span(event).map_or(0, |span| span.id().into_u64());
            let mut values = Values::new();
            event.record(&mut values);
            callsite.event.record(event.metadata(), &[span], &values);
        }
        if *event.metadata().level() == Level::ERROR {
            keep_error(event);
        }
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        self.moved(id, &context, Move::Enter);
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        self.moved(id, &context, Move::Exit);
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        // It needs its slot no more.
        if let Some(callsite) = context.metadata(&id).and_then(Callsite::of) {
            callsite.record_move(&id, Move::Close);
        }
    }
}

impl RecordingLayer {
    /// Records what happens to a span whose slot another one has: from now on it has it again.
    #[cold]
    fn moved<S>(&self, id: &Id, context: &Context<'_, S>, what: Move)
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        if let Some(callsite) = context.metadata(id).and_then(Callsite::of) {
            self.spans.remember(id, Some(callsite));
            callsite.record_move(id, what);
        }
    }
}
