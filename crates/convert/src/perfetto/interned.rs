//! Strings that are written once, and then called by a number.

use super::message::{InternedData, InternedName};
use crate::drawing::SliceName;
use std::collections::HashMap;
use std::rc::Rc;

/// The most strings of a kind: what comes later is written in full.
const MOST: usize = 1 << 16;

/// The strings that were written, and those that the next packet brings.
#[derive(Debug, Default)]
pub(super) struct Interned {
    categories: HashMap<Rc<str>, u64>,
    arguments: HashMap<Rc<str>, u64>,
    texts: HashMap<Rc<str>, u64>,
    /// The category of each name, by its place; none of one that was not written.
    names: Vec<Option<u64>>,
    new: Option<InternedData>,
}

impl Interned {
    /// What the next packet has to bring.
    pub(super) fn take_new(&mut self) -> Option<InternedData> {
        self.new.take()
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
        let new = self.new.get_or_insert_default();
        new.event_names.push(InternedName { iid, text: name.name.to_string() });
        let (category, is_new) = number(&mut self.categories, &name.category);
        if is_new {
            new.event_categories.push(InternedName { iid: category, text: name.category.to_string() });
        }
        self.names[name.place] = Some(category);
        (iid, category)
    }

    /// The number of an argument's name.
    pub(super) fn argument(&mut self, name: &Rc<str>) -> u64 {
        let (iid, is_new) = number(&mut self.arguments, name);
        if is_new {
            let name = InternedName { iid, text: name.to_string() };
            self.new.get_or_insert_default().debug_annotation_names.push(name);
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
        let text = InternedName { iid, text: text.to_owned() };
        self.new.get_or_insert_default().debug_annotation_strings.push(text);
        Some(iid)
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
