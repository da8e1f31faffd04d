//! How functions of stacks are called, by addresses in them: looked up once for each.

use foldhash::HashMap;
use std::rc::Rc;
use trace_data::symbols::{Symbols, function_at};

/// The names that were looked up.
#[derive(Debug, Default)]
pub(crate) struct FunctionLabels(HashMap<u64, Rc<str>>);

impl FunctionLabels {
    /// The name of the function at an address.
    pub(crate) fn of(&mut self, address: u64, symbols: &dyn Symbols) -> &Rc<str> {
        self.0.entry(address).or_insert_with(|| function_at(address, symbols).into())
    }
}
