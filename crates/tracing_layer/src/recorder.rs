//! The layer itself.

use crate::callsite::{Callsite, record_move};
use crate::switches;
use crate::values::Values;
use tracing_core::span::{Attributes, Id};
use tracing_core::subscriber::Interest;
use tracing_core::{Event, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

/// Records spans and events. Made by [`layer`](crate::layer) and [`only_layer`](crate::only_layer).
#[derive(Debug)]
pub struct Recorder {
    /// Whether nobody else wants to know of callsites that are off.
    pub(crate) is_only: bool,
}

impl<S> Layer<S> for Recorder
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        if self.is_only { switches::interest(metadata) } else { Interest::always() }
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(callsite) = Callsite::of(attributes.metadata()) else { return };
        if callsite.event.is_enabled() {
            let parent = context.span(id).and_then(|span| span.parent().map(|parent| parent.id().into_u64()));
            let mut values = Values::new();
            attributes.record(&mut values);
            callsite.event.record(attributes.metadata(), &[id.into_u64(), parent.unwrap_or(0)], &values);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let Some(callsite) = Callsite::of(event.metadata()) else { return };
        if !callsite.event.is_enabled() {
            return;
        }
        let span = context.event_span(event).map_or(0, |span| span.id().into_u64());
        let mut values = Values::new();
        event.record(&mut values);
        callsite.event.record(event.metadata(), &[span], &values);
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        moved(id, &context, 0);
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        moved(id, &context, 1);
    }
}

/// Records that a span is entered (0) or left (1).
#[inline]
fn moved<S>(id: &Id, context: &Context<'_, S>, which: usize)
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    let moves = context.metadata(id).and_then(Callsite::of).and_then(|callsite| callsite.moves);
    if let Some(moves) = moves {
        record_move(moves[which], id.into_u64());
    }
}
