//! What is known of events, by their ids.

/// Something of each event, found out when the first record of it comes.
#[derive(Debug)]
pub(crate) struct ByEvent<T>(Vec<Option<T>>);

impl<T> Default for ByEvent<T> {
    fn default() -> ByEvent<T> {
        ByEvent(Vec::new())
    }
}

impl<T> ByEvent<T> {
    /// That of an event; `find` finds it out.
    pub(crate) fn of(&mut self, id: u16, find: impl FnOnce() -> T) -> &mut T {
        let place = usize::from(id);
        if self.0.len() <= place {
            self.0.resize_with(place + 1, || None);
        }
        self.0[place].get_or_insert_with(find)
    }
}
