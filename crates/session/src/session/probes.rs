//! The probes of a session: as they were defined, and as traced processes place them.
//!
//! Definitions are kept as text in a small file next to the session's own, and compiled for traced processes.
//! Whoever is killed between the two leaves that to who changes them next.

use super::probed_files::{FilesOnDisk, KnownFiles, identity};
use super::{PROBES, Session, c_path};
use crate::{Error, Lock, ProbeFailure};
use abi::instance::{INSTANCES, RECORDING};
use probe::{FileIdentity, MOST_PROBES, MOST_RECORD, Probe, ProbeKind, compile};
use probe_definition::{BadProbe, ProbeDefinition, ProbeError, Removal, is_probe_format};
use std::collections::HashSet;
use std::path::Path;

/// A probe of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionProbe {
    /// How it was defined.
    pub definition: ProbeDefinition,
    /// The id of its event, which others may have, too.
    pub event: u16,
    /// What counts how often it was hit.
    pub(super) counter: u16,
    /// Its file, whatever lies at the path by now.
    pub(super) file: FileIdentity,
}

/// How often a probe was hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProbeCounts {
    /// While its event was enabled, in all processes.
    pub hits: u64,
    /// Those whose event could not be recorded.
    pub missed: u64,
    /// In so many processes there was no place for it: how often it would have been hit there isn't known.
    pub unplaced: u64,
}

impl Session {
    /// The probes, in the order in which they were defined. Cost: reading a small file.
    pub fn probes(&self) -> Vec<SessionProbe> {
        let text = std::fs::read_to_string(self.companion_of(RECORDING, PROBES)).unwrap_or_default();
        text.lines().filter_map(SessionProbe::parse).collect()
    }

    /// A number that changes with the probes.
    pub fn probes_version(&self) -> u64 {
        self.control().probes_version()
    }

    /// How often a probe was hit.
    pub fn probe_hits(&self, probe: &SessionProbe) -> ProbeCounts {
        let (control, counter) = (self.control(), probe.counter);
        let (hits, missed) = (control.probe_hits(counter), control.probe_missed(counter));
        ProbeCounts { hits, missed, unplaced: control.probe_unplaced(counter) }
    }

    /// Defines a probe, by a line in the kernel's grammar. Its event is disabled, but if it is one that
    /// another probe has.
    pub fn define_probe(&self, line: &str) -> Result<SessionProbe, Error> {
        let definition = ProbeDefinition::parse(line, &FilesOnDisk).map_err(bad)?;
        let file = identity(Path::new(&definition.path))
            .ok_or_else(|| bad(ProbeDefinition::refuse(line, ProbeError::FileNotFound)))?;
        let lock = self.lock_settings()?;
        let mut probes = self.probes();
        let is_new = self.check_definition(line, &definition, file, &probes).map_err(bad)?;
        let refuse = |error| bad(ProbeDefinition::refuse(line, error));
        let is_free = |counter: &u16| probes.iter().all(|probe| probe.counter != *counter);
        let counter =
            (0..MOST_PROBES as u16).find(is_free).ok_or_else(|| refuse(ProbeError::TooManyProbes))?;
        let (group, name) = (&definition.group, &definition.event);
        let event = self.control().add_event(group, name, &definition.own_format());
        let event = event.ok_or_else(|| refuse(ProbeError::EventTooBig))?;
        if is_new {
            // Also where patterns for events of programs would enable it: nobody has asked for this one.
            (0..INSTANCES).for_each(|index| self.control().enable(event, index, false));
        }
        self.control().forget_probe_hits(counter);
        let defined = SessionProbe { definition, event, counter, file };
        probes.push(defined.clone());
        self.publish_probes(&probes, &lock)?;
        Ok(defined)
    }

    /// Whether the event of a definition is new; or why there can't be such a probe next to the others.
    fn check_definition(
        &self,
        line: &str,
        new: &ProbeDefinition,
        file: FileIdentity,
        probes: &[SessionProbe],
    ) -> Result<bool, BadProbe> {
        let refuse = |error| Err(ProbeDefinition::refuse(line, error));
        if new.fixed_bytes() > MOST_RECORD {
            return Err(ProbeDefinition::refuse_argument(line, ProbeError::EventTooBig, 0));
        }
        let at_place = |probe: &&SessionProbe| probe.file == file && probe.definition.offset == new.offset;
        let counts = |probe: &SessionProbe| probe.definition.reference_counter != new.reference_counter;
        if probes.iter().filter(at_place).any(counts) {
            return refuse(ProbeError::BadReference);
        }
        let has_name = |probe: &&SessionProbe| {
            (&probe.definition.group, &probe.definition.event) == (&new.group, &new.event)
        };
        let Some(other) = probes.iter().find(has_name) else {
            let is_taken = self.has_event(&new.group, &new.event);
            return if is_taken { refuse(ProbeError::EventExists) } else { Ok(true) };
        };
        if other.definition.kind != new.kind {
            return refuse(ProbeError::OtherKind);
        }
        if let Some(argument) = new.differing_argument(&other.definition) {
            return Err(ProbeDefinition::refuse_argument(line, ProbeError::OtherArguments, argument));
        }
        let is_same = |probe: &SessionProbe| probe.definition.has_arguments_of(new);
        let is_there = probes.iter().filter(has_name).filter(at_place).any(is_same);
        if is_there { refuse(ProbeError::SameProbe) } else { Ok(false) }
    }

    /// Removes probes: all that are meant, or none. How many they were.
    ///
    /// # Errors
    ///
    /// [`ProbeFailure::NotFound`] where none is meant, [`ProbeFailure::InUse`] where the event of one is
    /// enabled or has triggers.
    pub fn remove_probes(&self, removal: &Removal) -> Result<usize, Error> {
        match self.remove_where(|probe| removal.matches(&probe.definition))? {
            0 => Err(Error::Probe(ProbeFailure::NotFound { path: self.path().to_path_buf() })),
            removed => Ok(removed),
        }
    }

    /// Removes all probes. How many they were; [`ProbeFailure::InUse`] as [`Session::remove_probes`].
    pub fn remove_all_probes(&self) -> Result<usize, Error> {
        self.remove_where(|_| true)
    }

    fn remove_where(&self, is_meant: impl Fn(&SessionProbe) -> bool) -> Result<usize, Error> {
        let lock = self.lock_settings()?;
        let (removed, kept): (Vec<SessionProbe>, Vec<SessionProbe>) =
            self.probes().into_iter().partition(is_meant);
        if removed.is_empty() {
            return Ok(0);
        }
        if let Some(probe) = removed.iter().find(|probe| self.is_in_use(probe.event)) {
            let ProbeDefinition { group, event, .. } = &probe.definition;
            return Err(Error::Probe(ProbeFailure::InUse { event: format!("{group}:{event}") }));
        }
        self.publish_probes(&kept, &lock)?;
        for probe in removed.iter().filter(|probe| kept.iter().all(|other| other.event != probe.event)) {
            (0..INSTANCES).for_each(|index| self.control().set_filter(probe.event, index, None));
        }
        Ok(removed.len())
    }

    /// Whether an event is enabled anywhere, or something is to be done when it happens.
    fn is_in_use(&self, event: u16) -> bool {
        let switched = self.control().switched(event);
        !switched.on.is_empty() || !switched.triggered.is_empty()
    }

    fn publish_probes(&self, probes: &[SessionProbe], lock: &Lock) -> Result<(), Error> {
        let text: String = probes.iter().map(SessionProbe::print).collect();
        let compiled: Vec<Probe> = probes.iter().map(SessionProbe::compiled).collect();
        self.replace_file(RECORDING, PROBES, text.as_bytes())?;
        let stored = self.control().set_probe_words(&c_path(&self.file())?, &compile(&compiled));
        stored.map_err(|error| Error::errno(self.file(), error))?;
        self.call_for_functions(lock);
        Ok(())
    }

    /// Whether any of these events is a probe's.
    pub(super) fn are_of_probes(&self, events: &[u16]) -> bool {
        self.control().has_probes() && self.probes().iter().any(|probe| events.contains(&probe.event))
    }

    /// The ids of events of probes that were removed: they stay, for readers of what they have recorded, and
    /// are listed nowhere.
    pub fn removed_probe_events(&self) -> HashSet<u16> {
        // Nobody has ever defined one.
        if self.probes_version() == 0 {
            return HashSet::new();
        }
        let defined: HashSet<u16> = self.probes().iter().map(|probe| probe.event).collect();
        let mut buffer = vec![0; 64 * 1024];
        let mut is_probe =
            |id| self.control().describe(id, &mut buffer).is_some_and(|found| is_probe_format(found.format));
        self.control().event_ids().filter(|id| !defined.contains(id) && is_probe(*id)).collect()
    }

    /// Whether there is an event of a name, other than those that are listed nowhere.
    fn has_event(&self, system: &str, name: &str) -> bool {
        let mut buffer = vec![0; 64 * 1024];
        let is_it = |id| {
            let found = self.control().describe(id, &mut buffer);
            found.is_some_and(|found| {
                (found.system, found.name) == (system, name) && !is_probe_format(found.format)
            })
        };
        self.control().event_ids().any(is_it)
    }
}

impl SessionProbe {
    /// A line of the file: its event, its counter, its file, its definition.
    fn print(&self) -> String {
        let file = match self.file {
            FileIdentity::BuildId(id) => id.iter().map(|byte| format!("{byte:02x}")).collect(),
            FileIdentity::Inode { device, inode } => format!("{device}:{inode}"),
        };
        format!("{} {} {file} {}\n", self.event, self.counter, self.definition)
    }

    /// What a line says. None for one that nobody has written like this.
    fn parse(line: &str) -> Option<SessionProbe> {
        let mut parts = line.splitn(4, ' ');
        let (event, counter) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let file = parse_identity(parts.next()?)?;
        let definition = ProbeDefinition::parse(parts.next()?, &KnownFiles).ok()?;
        Some(SessionProbe { definition, event, counter, file })
    }

    fn compiled(&self) -> Probe {
        let ProbeDefinition { kind, offset, reference_counter, .. } = self.definition;
        let arguments = self.definition.arguments.iter().map(|argument| argument.fetch.clone()).collect();
        let (event, counter, file) = (self.event, self.counter, self.file);
        Probe { event, counter, kind, file, offset, reference_counter, arguments }
    }

    /// Whether it is at a function's return.
    pub fn is_return(&self) -> bool {
        self.definition.kind == ProbeKind::Return
    }
}

fn bad(refused: BadProbe) -> Error {
    Error::Probe(ProbeFailure::Bad(refused))
}

fn parse_identity(text: &str) -> Option<FileIdentity> {
    if let Some((device, inode)) = text.split_once(':') {
        return Some(FileIdentity::Inode { device: device.parse().ok()?, inode: inode.parse().ok()? });
    }
    let mut id = [0; 20];
    for (index, byte) in id.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * index..2 * index + 2)?, 16).ok()?;
    }
    Some(FileIdentity::BuildId(id))
}
