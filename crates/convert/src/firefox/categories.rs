//! The categories of markers and samples, and what is shown of each kind of marker.

use super::column::quoted;
use crate::drawing::SliceName;
use foldhash::HashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Places among the categories: what none is for, and calls that have failed and events that were lost.
pub(super) const OTHER: usize = 0;
pub(super) const FAILED: usize = 1;

/// The profiler's colours of categories, apart from those of [`OTHER`] and [`FAILED`].
const COLORS: [&str; 8] = ["blue", "green", "orange", "purple", "yellow", "lightblue", "brown", "lightgreen"];

/// The systems of events as categories.
#[derive(Debug, Default)]
pub(super) struct MarkerCategories {
    places: HashMap<Rc<str>, usize>,
    all: Vec<Rc<str>>,
}

impl MarkerCategories {
    pub(super) fn of(&mut self, category: &Rc<str>) -> usize {
        if let Some(place) = self.places.get(category) {
            return *place;
        }
        let place = FAILED + 1 + self.all.len();
        self.all.push(Rc::clone(category));
        self.places.insert(Rc::clone(category), place);
        place
    }

    pub(super) fn json(&self) -> String {
        let named = self.all.iter().zip(COLORS.iter().cycle()).map(|(name, color)| (&**name, *color));
        let all = [("Other", "grey"), ("Failed or lost", "red")].into_iter().chain(named);
        let all: Vec<String> = all
            .map(|(name, color)| {
                let name = quoted(name);
                format!("{{\"name\":{name},\"color\":\"{color}\",\"subcategories\":[\"Other\"]}}")
            })
            .collect();
        all.join(",")
    }
}

/// What markers of each name have said.
#[derive(Debug, Default)]
pub(super) struct MarkerSchemas {
    /// By the place of the name: its type, and the keys of what its markers say.
    fields: Vec<Option<(String, BTreeSet<Rc<str>>)>>,
}

impl MarkerSchemas {
    /// The type of markers of this name, as JSON.
    pub(super) fn of(&mut self, name: &SliceName) -> &mut (String, BTreeSet<Rc<str>>) {
        if self.fields.len() <= name.place {
            self.fields.resize(name.place + 1, None);
        }
        self.fields[name.place]
            .get_or_insert_with(|| (quoted(&format!("{}:{}", name.category, name.name)), BTreeSet::new()))
    }

    pub(super) fn json(&self) -> String {
        let all: Vec<String> = self.fields.iter().flatten().map(|(kind, keys)| schema(kind, keys)).collect();
        all.join(",")
    }
}

/// A schema: a row of the table of markers shows all fields, the error first.
fn schema(kind: &str, keys: &BTreeSet<Rc<str>>) -> String {
    let is_error = |key: &&Rc<str>| &***key == "error";
    let first = keys.iter().filter(is_error);
    let ordered: Vec<&Rc<str>> = first.chain(keys.iter().filter(|key| !is_error(key))).collect();
    let label: Vec<String> = ordered.iter().map(|key| format!("{key}={{marker.data.{key}}}")).collect();
    let label = quoted(&label.join(" "));
    let chart = if keys.contains("error") { "{marker.name} {marker.data.error}" } else { "{marker.name}" };
    let fields: Vec<String> = ordered
        .iter()
        .map(|key| {
            let key = quoted(key);
            format!("{{\"key\":{key},\"label\":{key},\"format\":\"string\",\"searchable\":true}}")
        })
        .collect();
    let fields = fields.join(",");
    format!(
        "{{\"name\":{kind},\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"],\
         \"chartLabel\":\"{chart}\",\"tooltipLabel\":\"{{marker.name}}\",\"tableLabel\":{label},\
         \"fields\":[{fields}]}}"
    )
}
