//! Strings that are written once, and then called by a number.

use super::wire::{put_bytes, put_number};
use crate::arguments::{ArgumentShape, NamedNumber};
use crate::drawing::SliceName;
use foldhash::HashMap;
use std::rc::Rc;
use trace_data::info::TraceInfo;

/// The most texts: what comes later is written in full.
const MOST: usize = 1 << 16;

/// Fields of Perfetto's `InternedData`.
const CATEGORIES: u32 = 1;
const NAMES: u32 = 2;
const ARGUMENT_NAMES: u32 = 3;
const TEXTS: u32 = 29;

/// The strings that were written, and those that the next packet brings.
#[derive(Debug, Default)]
pub(super) struct Interned {
    categories: HashMap<Rc<str>, u64>,
    argument_names: HashMap<Rc<str>, u64>,
    /// The numbers of argument names by the places of their fields.
    arguments: Vec<Option<u64>>,
    texts: HashMap<Rc<str>, u64>,
    /// The texts of numbers.
    numbers: HashMap<(usize, u64), u64>,
    /// The category of each name, by its place; none of one that was not written.
    names: Vec<Option<u64>>,
    /// What the next packet has to bring, as fields of `InternedData`.
    new: Vec<u8>,
    entry: Vec<u8>,
}

impl Interned {
    /// What the next packet has to bring. Clear it then.
    pub(super) fn new_entries(&mut self) -> &mut Vec<u8> {
        &mut self.new
    }

    /// The numbers of a slice's name and of its category.
    pub(super) fn name(&mut self, name: &SliceName) -> (u64, u64) {
        if self.names.len() <= name.place {
            self.names.resize(name.place + 1, None);
        }
        let iid = name.place as u64 + 1;
        if let Some(category) = self.names[name.place] {
            return (iid, category);
        }
        self.bring(NAMES, iid, &name.name);
        let (category, is_new) = number(&mut self.categories, &name.category);
        if is_new {
            self.bring(CATEGORIES, category, &name.category);
        }
        self.names[name.place] = Some(category);
        (iid, category)
    }

    /// The number of an argument's name.
    pub(super) fn argument(&mut self, argument: &ArgumentShape) -> u64 {
        if let Some(Some(iid)) = self.arguments.get(argument.place) {
            return *iid;
        }
        let iid = self.argument_name(&argument.name);
        self.arguments.resize(self.arguments.len().max(argument.place + 1), None);
        self.arguments[argument.place] = Some(iid);
        iid
    }

    /// The number of the name of an argument that is no field.
    pub(super) fn argument_name(&mut self, name: &Rc<str>) -> u64 {
        let (iid, is_new) = number(&mut self.argument_names, name);
        if is_new {
            self.bring(ARGUMENT_NAMES, iid, name);
        }
        iid
    }

    /// The number of a string. None where there are too many.
    pub(super) fn text(&mut self, text: &str) -> Option<u64> {
        if let Some(iid) = self.texts.get(text) {
            return Some(*iid);
        }
        if self.texts.len() >= MOST {
            return None;
        }
        let (iid, _) = number(&mut self.texts, &text.into());
        self.bring(TEXTS, iid, text);
        Some(iid)
    }

    /// The number of the text of a number. None where there are too many.
    pub(super) fn named(&mut self, named: NamedNumber<'_>, trace: &TraceInfo<'_>) -> Option<u64> {
        if let Some(iid) = self.numbers.get(&named.key) {
            return Some(*iid);
        }
        let iid = self.text(&named.text(trace))?;
        self.numbers.insert(named.key, iid);
        Some(iid)
    }

    fn bring(&mut self, field: u32, iid: u64, text: &str) {
        self.entry.clear();
        put_number(1, iid, &mut self.entry);
        put_bytes(2, text.as_bytes(), &mut self.entry);
        put_bytes(field, &self.entry, &mut self.new);
    }
}

/// The number of a string, and whether it is new.
fn number(known: &mut HashMap<Rc<str>, u64>, text: &Rc<str>) -> (u64, bool) {
    if let Some(iid) = known.get(text) {
        return (*iid, false);
    }
    let iid = known.len() as u64 + 1;
    known.insert(Rc::clone(text), iid);
    (iid, true)
}
