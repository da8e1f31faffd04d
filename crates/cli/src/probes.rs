//! `lookback probe`, and probes of recordings.

mod debugged;
mod file;
mod list;
mod place;
mod text;
mod unrecorded;
mod variables;
mod visible;

pub(crate) use file::find as find_file;
pub(crate) use unrecorded::UnrecordedProbe;

use crate::arguments::ProbeArguments;
use crate::failure::{Done, Failure};
use crate::persistent::option;
use crate::say::{note, say};
use session::{Error, FilteredSelection, Instance, ProbeError, ProbeFailure, Removal, Session, SessionProbe};
use std::process::ExitCode;
use text::ProbeText;
use trace_data::text::printable;

/// How many events of one name are tried.
const NAMES: usize = 100;

/// Defines, lists or removes probes.
pub(crate) fn run(arguments: &ProbeArguments) -> Done {
    if let Some(place) = &arguments.vars {
        return visible::print_variables(place);
    }
    if let Some(place) = &arguments.line {
        return visible::print_lines(place);
    }
    let instance = arguments.which.open()?;
    let session = instance.session();
    if arguments.list {
        return list::list(&instance, arguments.json);
    }
    if !arguments.del.is_empty() {
        return remove(session, arguments);
    }
    let option = option(session.path());
    let mut defined = Vec::new();
    for definition in &arguments.definitions {
        define(session, definition, &mut defined).inspect_err(|_| {
            if !defined.is_empty() {
                note!("lookback: the probes before it are defined");
            }
        })?;
    }
    for probe in &defined {
        let (event, place) = (event(probe), place_of(probe));
        tell_of_obstacle(probe);
        note!("lookback: {event} at {place}; `lookback set{option} {event} on` enables it");
    }
    Ok(ExitCode::SUCCESS)
}

/// Says why a probe can't be placed.
fn tell_of_obstacle(probe: &SessionProbe) {
    if let Some(why) = probe.obstacle() {
        say!("lookback: {} can't be recorded: {}: {why}", event(probe), place_of(probe));
    }
}

/// Where a probe is.
fn place_of(probe: &SessionProbe) -> String {
    let (path, offset) = (printable(&probe.definition.path), probe.definition.offset);
    let is_return = if probe.is_return() { "%return" } else { "" };
    format!("{path}:{offset:#x}{is_return}")
}

/// What the event of a probe is called.
pub(crate) fn event(probe: &SessionProbe) -> String {
    format!("{}:{}", probe.definition.group, probe.definition.event)
}

/// Defines a probe, or one for each place of USDT of a name, and adds them to others.
fn define(session: &Session, definition: &str, defined: &mut Vec<SessionProbe>) -> Done<()> {
    ProbeText::all(definition)?.iter().try_for_each(|text| {
        defined.push(define_one(session, definition, text)?);
        Ok(())
    })
}

/// Defines a probe, under the first name that is free where none was given.
fn define_one(session: &Session, definition: &str, text: &ProbeText) -> Done<SessionProbe> {
    let first = session.define_probe(&text.line(0));
    let numbers = 1..if text.is_named() { 1 } else { NAMES };
    let defined = numbers.fold(first, |defined, number| match defined {
        Err(Error::Probe(ProbeFailure::Bad(bad))) if is_name_taken(bad.error) => {
            session.define_probe(&text.line(number))
        }
        defined => defined,
    });
    let defined = defined.map_err(|error| refused(definition, error))?;
    if let Some(source) = text.source() {
        note!("lookback: {} is placed at {source}", event(&defined));
    }
    Ok(defined)
}

fn is_name_taken(error: ProbeError) -> bool {
    matches!(error, ProbeError::EventExists | ProbeError::OtherKind | ProbeError::OtherArguments)
}

fn refused(definition: &str, error: Error) -> Failure {
    match error {
        Error::Probe(ProbeFailure::Bad(bad)) if bad.error == ProbeError::NoDefinition => {
            Failure::failed(format_args!(
                "{definition:?} is no probe: expected 'FILE:FUNC [ARG]...', 'FILE:OFFSET [ARG]...', or a line of uprobe_events"
            ))
        }
        error => error.into(),
    }
}

/// Removes the probes of the events that are meant.
fn remove(session: &Session, arguments: &ProbeArguments) -> Done {
    let is_meant = |probe: &SessionProbe| {
        let (group, event) = (&probe.definition.group, &probe.definition.event);
        arguments.del.iter().any(|selection| selection.matches(group, event, None))
    };
    let probes = session.probes();
    let mut events: Vec<&SessionProbe> = probes.iter().filter(|probe| is_meant(probe)).collect();
    events.dedup_by_key(|probe| probe.event);
    if events.is_empty() {
        return Err(Error::Probe(ProbeFailure::NotFound { path: session.path().to_path_buf() }).into());
    }
    events.into_iter().try_for_each(|probe| remove_event(session, probe))?;
    Ok(ExitCode::SUCCESS)
}

/// Removes all probes with the event of one.
fn remove_event(session: &Session, probe: &SessionProbe) -> Done<()> {
    let (group, event) = (&probe.definition.group, &probe.definition.event);
    let removal = Removal::parse(&format!("-:{group}/{event}"));
    match removal.map(|removal| session.remove_probes(&removal)) {
        // Another who removes it has done so just before.
        None | Some(Ok(_) | Err(Error::Probe(ProbeFailure::NotFound { .. }))) => Ok(()),
        Some(Err(error)) => Err(error.into()),
    }
}

/// Probes that were defined for as long as something is recorded.
#[derive(Debug, Default)]
pub(crate) struct OwnProbes(Vec<SessionProbe>);

impl OwnProbes {
    /// Defines probes: all, or none where one is refused. Those that exist already are not its own.
    pub(crate) fn define(
        session: &Session,
        definitions: &[String],
    ) -> Done<(OwnProbes, Vec<FilteredSelection>)> {
        let (mut own, mut events) = (OwnProbes::default(), Vec::new());
        for definition in definitions {
            let before = session.probes();
            let mut defined = Vec::new();
            let result = define(session, definition, &mut defined);
            for probe in defined {
                tell_of_obstacle(&probe);
                events.push(selection(&event(&probe))?);
                let is_first = before.iter().all(|other| other.event != probe.event);
                own.0.extend(Some(probe).filter(|_| is_first));
            }
            if let Err(failure) = result {
                own.remove(session);
                return Err(failure);
            }
        }
        Ok((own, events))
    }

    /// Removes them, once their events are disabled. One that somebody else has enabled stays.
    pub(crate) fn remove(&mut self, session: &Session) {
        self.0.drain(..).for_each(|probe| drop(remove_event(session, &probe)));
    }
}

/// Defines probes and enables their events: for a persistent session.
pub(crate) fn define_enabled(instance: &Instance, definitions: &[String]) -> Done<()> {
    let (_, events) = OwnProbes::define(instance.session(), definitions)?;
    events.iter().try_for_each(|event| Ok(instance.enable(event).map(drop)?))
}

fn selection(event: &str) -> Done<FilteredSelection> {
    event.parse().map_err(Failure::failed)
}
