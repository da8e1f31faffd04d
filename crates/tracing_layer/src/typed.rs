//! Events whose fields' types are known once they happen.

use crate::name;
use crate::values::{MOST, Type, Values};
use std::ffi::CStr;
use std::sync::{OnceLock, PoisonError, RwLock};
use tracepoint::{EventBuilder, FieldType, RecordLayout, Recordable, Site, SiteField};
use tracing_core::Metadata;

/// A site for fields of certain types.
#[derive(Debug)]
struct TypedEvent {
    types: Vec<Type>,
    layout: RecordLayout,
    site: &'static Site,
}

/// All sites of an event: one but for code that is generic.
#[derive(Debug)]
pub(crate) struct CallsiteEvent {
    system: &'static CStr,
    name: &'static CStr,
    /// Numbers before the fields: `span`, `parent`.
    before: &'static [&'static CStr],
    first: OnceLock<TypedEvent>,
    others: RwLock<Vec<&'static TypedEvent>>,
}

/// How many sites an event can have; types that come later are recorded as the first ones.
const OTHERS: usize = 8;

impl CallsiteEvent {
    pub(crate) const fn new(
        system: &'static CStr,
        name: &'static CStr,
        before: &'static [&'static CStr],
    ) -> CallsiteEvent {
        CallsiteEvent { system, name, before, first: OnceLock::new(), others: RwLock::new(Vec::new()) }
    }

    /// Whether it is on, or would be if it happened.
    pub(crate) fn is_enabled(&self) -> bool {
        match self.first.get() {
            Some(typed) => typed.site.is_enabled(),
            None => tracepoint::is_wanted(self.system, self.name),
        }
    }

    /// Records it.
    pub(crate) fn record(&self, metadata: &Metadata<'_>, before: &[u64], values: &Values) {
        let types = values.types();
        let first = self.first.get_or_init(|| self.typed(metadata, &types));
        if first.fits(&types) {
            first.record(before, values);
        } else if let Some(other) = self.other(metadata, &types) {
            other.record(before, values);
        }
    }

    #[cold]
    fn other(&self, metadata: &Metadata<'_>, types: &[Option<Type>; MOST]) -> Option<&'static TypedEvent> {
        let found = |others: &[&'static TypedEvent]| others.iter().find(|other| other.fits(types)).copied();
        if let Some(other) = found(&self.others.read().unwrap_or_else(PoisonError::into_inner)) {
            return Some(other);
        }
        let mut others = self.others.write().unwrap_or_else(PoisonError::into_inner);
        if others.len() == OTHERS {
            return None;
        }
        let new: &'static TypedEvent = Box::leak(Box::new(self.typed(metadata, types)));
        others.push(new);
        Some(new)
    }

    /// A site for these types, registered.
    fn typed(&self, metadata: &Metadata<'_>, types: &[Option<Type>; MOST]) -> TypedEvent {
        let types: Vec<Type> =
            metadata.fields().iter().zip(types).map(|(_, of)| of.unwrap_or(Type::Text)).collect();
        let before = self.before.iter().map(|name| (*name, u64::KIND));
        let named = metadata.fields().iter().map(|field| name::kept(field.name()));
        let all: Vec<(&CStr, FieldType)> =
            before.chain(named.zip(types.iter().map(|of| of.kind()))).collect();
        let kinds: Vec<FieldType> = all.iter().map(|(_, kind)| *kind).collect();
        let fields: Vec<SiteField> =
            all.iter().map(|(name, kind)| SiteField::new(name, *kind, &[])).collect();
        let site = Box::leak(Box::new(Site::new(self.system, self.name, None, fields.leak())));
        tracepoint::register(site);
        TypedEvent { types, layout: RecordLayout::of(&kinds), site }
    }
}

impl TypedEvent {
    /// Whether values of these types can be recorded here; a value that isn't there can always.
    fn fits(&self, types: &[Option<Type>; MOST]) -> bool {
        self.types.iter().zip(types).all(|(own, of)| of.is_none_or(|of| of == *own))
    }

    fn record(&self, before: &[u64], values: &Values) {
        if !self.site.is_enabled() {
            return;
        }
        let mut record = EventBuilder::new(self.layout);
        before.iter().for_each(|number| number.fix(&mut record));
        values.fix(&self.types, &mut record);
        values.append(&self.types, &mut record);
        self.site.write(&mut record);
    }
}
