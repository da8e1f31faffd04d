//! What slices are called, each once.

use crate::drawing::SliceName;
use foldhash::HashMap;
use std::rc::Rc;
use trace_data::symbols::{Symbols, function_at};

/// All names of a timeline, so far.
#[derive(Debug, Default)]
pub(super) struct SliceNames {
    known: HashMap<(String, String), Rc<SliceName>>,
    /// By address.
    functions: HashMap<u64, Rc<SliceName>>,
}

impl SliceNames {
    pub(super) fn of(&mut self, category: &str, name: &str) -> Rc<SliceName> {
        let place = self.known.len();
        let make = || Rc::new(SliceName { place, name: name.into(), category: category.into() });
        Rc::clone(self.known.entry((category.to_owned(), name.to_owned())).or_insert_with(make))
    }

    /// That of a function that is traced.
    pub(super) fn of_function(&mut self, address: u64, symbols: &dyn Symbols) -> Rc<SliceName> {
        if let Some(name) = self.functions.get(&address) {
            return Rc::clone(name);
        }
        let name = self.of("function", &function_at(address, symbols));
        self.functions.insert(address, Rc::clone(&name));
        name
    }
}
