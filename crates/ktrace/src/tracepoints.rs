//! Which events are tracepoints with formats.

use crate::layout::PackedLayout;
use control::ControlArea;

/// What is known of an event.
#[derive(Debug, Clone, Default)]
enum KnownEvent {
    /// Nothing yet.
    #[default]
    Nothing,
    /// It is no tracepoint with a format.
    Other,
    /// It is one.
    Tracepoint(PackedLayout),
}

/// The tracepoints of a session, by the ids of their events. Ids are given once.
#[derive(Debug, Default)]
pub(crate) struct Tracepoints {
    by_id: Vec<KnownEvent>,
}

/// Bytes that a description takes at most.
pub(crate) const LONGEST: usize = 8192;

impl Tracepoints {
    /// How records of the event with this id are packed. None of one that is no tracepoint.
    ///
    /// Cost: that of a load, and of looking for its description when it comes first.
    pub(crate) fn layout(&mut self, control: &ControlArea, id: u16) -> Option<&PackedLayout> {
        let index = usize::from(id);
        if !matches!(self.by_id.get(index), Some(KnownEvent::Other | KnownEvent::Tracepoint(_))) {
            self.look(control, id);
        }
        match self.by_id.get(index) {
            Some(KnownEvent::Tracepoint(layout)) => Some(layout),
            _ => None,
        }
    }

    /// Looks for the description of an event, which is there before the first of its records.
    #[cold]
    fn look(&mut self, control: &ControlArea, id: u16) {
        let mut buffer = vec![0; LONGEST];
        let layout = control.declaration(id, &mut buffer).and_then(PackedLayout::of);
        let index = usize::from(id);
        if self.by_id.len() <= index {
            self.by_id.resize_with(index + 1, KnownEvent::default);
        }
        if let Some(known) = self.by_id.get_mut(index) {
            *known = layout.map_or(KnownEvent::Other, KnownEvent::Tracepoint);
        }
    }
}
