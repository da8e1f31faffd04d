//! What is known of each callsite.

use crate::name;
use crate::typed::CallsiteEvent;
use std::ptr::from_ref;
use std::sync::OnceLock;
use tracepoint::{EventBuilder, FieldType, RecordLayout, Recordable, Site, SiteField};
use tracing_core::Metadata;
use tracing_core::span::Id;

/// A callsite's events.
#[derive(Debug)]
pub(crate) struct Callsite {
    metadata: &'static Metadata<'static>,
    place: usize,
    /// The event; of a span, that it is made.
    pub(crate) event: CallsiteEvent,
    /// Of a span: that it is entered, left, and closed.
    moves: Option<[&'static Site; 3]>,
}

/// The places for callsites, found by the addresses of their metadata: nobody waits to find one.
static CALLSITES: OnceLock<Box<[OnceLock<Callsite>]>> = OnceLock::new();

/// How many places are looked at for one.
const PROBES: usize = 64;

impl Callsite {
    /// How many places there are. Callsites beyond are not recorded.
    pub(crate) const PLACES: usize = 4096;

    /// The callsite with this metadata, which is entered where it isn't known; None when there is no space.
    #[inline]
    pub(crate) fn of(metadata: &'static Metadata<'static>) -> Option<&'static Callsite> {
        let places = CALLSITES.get_or_init(|| (0..Self::PLACES).map(|_| OnceLock::new()).collect());
        // Metadata is larger than 64 bytes, and aligned.
        let first = from_ref(metadata).addr() / 64;
        (first..first + PROBES).find_map(|place| {
            let place = place % Self::PLACES;
            let found = places.get(place)?.get_or_init(|| Callsite::new(metadata, place));
            std::ptr::eq(found.metadata, metadata).then_some(found)
        })
    }

    /// The callsite in a place.
    #[inline]
    pub(crate) fn at(place: usize) -> Option<&'static Callsite> {
        CALLSITES.get()?.get(place)?.get()
    }

    /// Its place.
    pub(crate) fn place(&self) -> usize {
        self.place
    }

    fn new(metadata: &'static Metadata<'static>, place: usize) -> Callsite {
        let system = name::kept(metadata.target());
        let own = name::of(metadata);
        let before: &[_] = if metadata.is_span() { &[c"span", c"parent"] } else { &[c"span"] };
        let moves = metadata.is_span().then(|| {
            ["enter", "exit", "close"].map(|what| {
                let fields = vec![SiteField::new(c"span", FieldType::unsigned(8), &[])].leak();
                let site = Site::new(system, name::kept(&format!("{own}_{what}")), None, fields);
                let site: &'static Site = Box::leak(Box::new(site));
                tracepoint::register(site);
                site
            })
        });
        Callsite { metadata, place, event: CallsiteEvent::new(system, name::kept(&own), before), moves }
    }

    /// Records what happens to its span `id`.
    #[inline]
    pub(crate) fn record_move(&self, id: &Id, what: Move) {
        let site = self.moves.map(|moves| moves[what as usize]);
        if let Some(site) = site.filter(|site| site.is_enabled()) {
            let mut record = EventBuilder::new(const { RecordLayout::of(&[u64::KIND]) });
            id.into_u64().fix(&mut record);
            site.write(&mut record);
        }
    }

    /// Whether any of its events is on.
    pub(crate) fn is_enabled(&self) -> bool {
        self.event.is_enabled() || self.moves.iter().flatten().any(|site| site.is_enabled())
    }
}

/// What happens to a span that is open.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Move {
    Enter,
    Exit,
    /// Nobody has it any longer.
    Close,
}
