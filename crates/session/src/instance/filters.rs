//! Event filters: what is recorded of an event, decided in the traced process before anything is written.
//!
//! A filter belongs to an event, as in the kernel's `events/SYSTEM/EVENT/filter`: it stays while the event is
//! off, until `0` takes it away. Events that a program brings later have none.

use crate::{Error, EventInfo, FilteredSelection, Instance};
use control::StoredFilter;
use event_filter::{ErrorKind, Filter, FilterField, MAX_TEXT};
use trace_data::format::Format;
use trace_data::print::value_names;

/// What takes a filter away, as in the kernel.
const NO_FILTER: &str = "0";

/// How many events were enabled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EnabledEvents {
    /// Those that are on now.
    pub events: usize,
    /// Those that were selected and stay as they were: they can't take the filter.
    pub others: usize,
}

/// A filter that an event is to get; none takes away the one that it has.
pub(crate) struct NewFilter<'a> {
    id: u16,
    compiled: Option<(Filter, &'a str)>,
}

impl<'a> NewFilter<'a> {
    /// That of a text for an event, if there is one.
    pub(crate) fn compile(event: &EventInfo, text: Option<&'a str>) -> Result<NewFilter<'a>, Error> {
        let Some(text) = text.map(str::trim_ascii).filter(|text| *text != NO_FILTER) else {
            return Ok(NewFilter { id: event.id, compiled: None });
        };
        Ok(NewFilter { id: event.id, compiled: Some((compile_filter(event, text)?, text)) })
    }

    /// Those of several events, and why the others can't have it.
    fn compile_all(
        events: impl Iterator<Item = EventInfo>,
        text: Option<&'a str>,
    ) -> (Vec<NewFilter<'a>>, Vec<Error>) {
        let (mut filters, mut errors) = (Vec::new(), Vec::new());
        for event in events {
            match NewFilter::compile(&event, text) {
                Ok(filter) => filters.push(filter),
                Err(error) => errors.push(error),
            }
        }
        (filters, errors)
    }
}

impl Instance {
    /// The text of an event's filter, if it has one.
    pub fn filter(&self, id: u16) -> Option<String> {
        self.control().filter_text(id, self.index, &mut [0; MAX_TEXT]).map(str::to_string)
    }

    /// Gives those of some events this filter that have its fields, in place of the one that they have, in
    /// all traced processes at once, whether they are on or not; `0` takes it away. Why the others can't have
    /// it: they stay as they were; the kernel leaves an event without a filter then.
    pub fn set_filters(&self, ids: &[u16], text: &str) -> Result<Vec<event_filter::Error>, Error> {
        let (filters, errors) = NewFilter::compile_all(self.events_of_ids(ids), Some(text));
        let refused = errors.into_iter().map(|error| match error {
            Error::BadFilter { error: Some(error), .. } => Ok(error),
            error => Err(error),
        });
        let refused = refused.collect::<Result<Vec<event_filter::Error>, Error>>()?;
        let _lock = self.session.lock_settings()?;
        self.give_filters(&filters)?;
        Ok(refused)
    }

    /// Switches the selected events on: with the filter, or without any if there is none, whatever filters
    /// they had. Without a filter those follow that programs bring later, as in [`Instance::set`].
    ///
    /// Of several events some may not have the fields that the filter asks for: those stay as they were, as
    /// with the kernel's `events/SYSTEM/filter`. After an error nothing has changed.
    pub fn enable(&self, wanted: &FilteredSelection) -> Result<EnabledEvents, Error> {
        let (filters, others) = self.filters_for(wanted)?;
        let lock = self.session.lock_settings()?;
        self.give_filters(&filters)?;
        let events = match wanted.filter {
            None => self.set_locked(&wanted.selection, true, &lock)?,
            Some(_) => {
                filters.iter().for_each(|filter| self.control().enable(filter.id, self.index, true));
                self.control().announce_switched();
                let enabled: Vec<u16> = filters.iter().map(|filter| filter.id).collect();
                self.session.follow_events(&enabled, &lock);
                filters.len()
            }
        };
        Ok(EnabledEvents { events, others })
    }

    /// Whether [`Instance::enable`] would take this.
    pub fn check_enable(&self, wanted: &FilteredSelection) -> Result<(), Error> {
        self.filters_for(wanted).map(drop)
    }

    /// The filters that the selected events would get, and how many can't.
    fn filters_for<'a>(&self, wanted: &'a FilteredSelection) -> Result<(Vec<NewFilter<'a>>, usize), Error> {
        self.check(&wanted.selection)?;
        let selected = self.selected(&wanted.selection);
        if selected.is_empty() && wanted.filter.is_some() {
            return Err(Error::NoEventToFilter { selection: wanted.selection.text().to_string() });
        }
        let (filters, errors) =
            NewFilter::compile_all(self.events_of_ids(&selected), wanted.filter.as_deref());
        let others = errors.len();
        match furthest(errors).filter(|_| filters.is_empty()) {
            Some(error) => Err(error),
            None => Ok((filters, others)),
        }
    }

    /// Gives events their filters, all or none. For one who has [`crate::Session::lock_settings`].
    pub(crate) fn give_filters(&self, filters: &[NewFilter<'_>]) -> Result<(), Error> {
        let mut space = self.control().filter_space();
        let mut store = |filter: &NewFilter<'_>| match &filter.compiled {
            None => Ok(None),
            Some((compiled, text)) => space.store(compiled.words(), text).map(Some).ok_or(()),
        };
        let stored: Result<Vec<Option<StoredFilter>>, ()> = filters.iter().map(&mut store).collect();
        let stored = stored.map_err(|()| Error::TooManyFilters { path: self.path().to_path_buf() })?;
        for (filter, stored) in filters.iter().zip(stored) {
            self.control().set_filter(filter.id, self.index, stored);
        }
        Ok(())
    }
}

/// Of errors that a text gives for several events, the one for the event that understands most of it.
pub(crate) fn furthest(errors: Vec<Error>) -> Option<Error> {
    let progress = |error: &Error| match error {
        Error::BadFilter { error: Some(error), .. } => Some(error.progress()),
        _ => None,
    };
    errors.into_iter().rev().max_by_key(progress)
}

/// The filter of a text for an event.
pub(crate) fn compile_filter(event: &EventInfo, text: &str) -> Result<Filter, Error> {
    let format = Format::parse(&event.system, &event.format).map_err(|error| Error::BadFilter {
        explained: format!("{}:{} can't be filtered: {error}", event.system, event.name),
        error: None,
    })?;
    filter_for(&format, text).map_err(|error| Error::BadFilter {
        explained: explain_filter(&format, text, &error),
        error: Some(error),
    })
}

/// The filter of a text for an event with this format: names of values are those that its print format shows.
pub fn filter_for(format: &Format, text: &str) -> Result<Filter, event_filter::Error> {
    Filter::compile(text, &filter_fields(format, &value_names(format)))
}

/// The fields of an event as filters know them. What lies beyond 64 KiB can't be asked for.
fn filter_fields<'a>(format: &'a Format, names: &'a [Vec<(u64, String)>]) -> Vec<FilterField<'a>> {
    let fields = format.fields.iter().zip(names).filter_map(|(field, names)| {
        Some(FilterField {
            name: &field.name,
            type_name: &field.type_name,
            offset: field.offset.try_into().ok()?,
            size: field.size.try_into().ok()?,
            signed: field.signed,
            names,
        })
    });
    fields.collect()
}

/// The kernel's words for what is wrong with a filter's text, and the fields or names that exist.
pub fn explain_filter(format: &Format, text: &str, error: &event_filter::Error) -> String {
    let mut message = format!("the filter for {}:{}:\n{}", format.system, format.name, error.explain(text));
    match error.kind {
        ErrorKind::FieldNotFound => {
            let names: Vec<&str> = format.fields.iter().map(|field| field.name.as_str()).collect();
            message += &format!("fields: {}, COMM, CPU", names.join(", "));
            if exit_takes(format, text) {
                message +=
                    &format!("\n{}_exit, the end of the call, has what the filter asks for", format.name);
            }
        }
        ErrorKind::NameNotFound => message += &format!("names: {}", error.expected.join(", ")),
        _ => {
            message +=
                "expected FIELD OPERATOR VALUE, joined by && || ! and parentheses, with strings in quotes";
        }
    }
    message
}

/// Whether the event at the end of a call has the fields that the one at its beginning lacks.
fn exit_takes(format: &Format, text: &str) -> bool {
    let name = format!("{}_exit", format.name);
    let exit = events::all().find(|event| event.system == format.system && event.name == name);
    let text_of =
        |event: events::EventType| events::format_file(event.name, event.id, event.own_format()).to_string();
    let exit = exit.and_then(|event| Format::parse(event.system, &text_of(event)).ok());
    exit.is_some_and(|exit| filter_for(&exit, text).is_ok())
}
