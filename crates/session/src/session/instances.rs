//! Instances: more buffers in a session, each with the events that are on there.
//!
//! A rare event that matters can have one for itself, which no flood overwrites. The recording, which every
//! session has, is one, too: it is what the command's tasks are about when none is given, and is called
//! [`FLIGHT`].

use super::{Session, c_path};
use crate::names::FLIGHT;
use crate::size::{check_space, most_pages, specification};
use crate::{Error, Instance};
use abi::instance::{FIRST_MADE, INSTANCE_NAME, INSTANCES, MARKER_COPIES, RECORDING};
use ring_buffer::{Buffer, Geometry, Specification};

/// The most instances that can be made in a session.
pub const MOST_INSTANCES: u32 = (INSTANCES - FIRST_MADE) as u32;

impl Session {
    /// The names of the instances that were made, sorted.
    pub fn instances(&self) -> Vec<String> {
        let mut names: Vec<String> =
            (FIRST_MADE..INSTANCES).filter_map(|index| self.name_of(index)).collect();
        names.sort_unstable();
        names
    }

    /// One of its instances.
    pub fn open_named(&self, name: &str) -> Result<Instance, Error> {
        Instance::open_at(self.path(), self.index_of(name)?)
    }

    /// All its instances but that of an index: the default one, that of the tree's top level, and those with
    /// a name. One that can't be opened is left out.
    ///
    /// Cost: three mappings for each.
    pub fn open_others(&self, than: usize) -> Vec<Instance> {
        let is_there = |index: &usize| *index == RECORDING || self.control().instance_state(*index).is_some();
        let others = (0..INSTANCES).filter(|index| *index != than).filter(is_there);
        others.filter_map(|index| Instance::open_at(self.path(), index).ok()).collect()
    }

    /// Makes an instance: with a buffer as large as the session's first was, its options, all events off.
    ///
    /// Cost: about 0.3 ms per MB of its memory. No traced process has to do anything.
    pub fn create_instance(&self, name: &str) -> Result<Instance, Error> {
        check_name(name)?;
        let _lock = self.lock_settings()?;
        if self.index_of(name).is_ok() {
            return Err(Error::InstanceExists { path: self.path().to_path_buf(), name: name.to_string() });
        }
        let buffers = self.control().buffers().min(INSTANCES);
        let is_free = |index: &usize| self.control().instance_state(*index).is_none();
        let index = (FIRST_MADE..buffers).find(is_free).ok_or_else(|| Error::TooManyInstances {
            path: self.path().to_path_buf(),
            most: buffers.saturating_sub(FIRST_MADE),
        })?;
        let other = self.open_top()?.map_or_else(|| Instance::open(self.path()), Ok)?;
        self.make(index, name, |made| made.inherit_options(&other))
    }

    /// Makes an instance of a number that is free, whatever somebody who was killed has left there. It is
    /// there when `prepare` has set what is to be set.
    pub(crate) fn make(
        &self,
        index: usize,
        name: &str,
        prepare: impl FnOnce(&Instance) -> Result<(), Error>,
    ) -> Result<Instance, Error> {
        self.set_instance_off(index)?;
        self.forget_companions(index)?;
        self.equip(index)?;
        self.make_file(&self.lock_file(index))?;
        self.control().set_trace_clock(index, self.control().trace_clock(RECORDING));
        prepare(&Instance::open_at(self.path(), index)?)?;
        self.control().name_instance(index, name);
        Instance::open_at(self.path(), index)
    }

    /// Removes an instance with all that it has recorded. [`Error::Busy`] while somebody takes events out, or
    /// has one of its files open; [`Error::Protected`] for the recording.
    pub fn remove_instance(&self, name: &str) -> Result<(), Error> {
        let lock = self.lock_settings()?;
        let index = self.index_of(name)?;
        if index == RECORDING {
            return Err(Error::Protected { path: self.path().to_path_buf() });
        }
        let removed = Instance::open_at(self.path(), index)?;
        let _open = removed.lock_removal()?;
        let _reader = removed.lock_reader()?;
        removed.discard_all(&removed.holder()?)?;
        let had_functions = removed.traces_functions() || self.control().has_commands(index);
        self.control().forget_instance(index);
        // It is gone. What can't be given back now is what the next one there is made of.
        removed.buffer().set_recording(false);
        let _ = self.set_instance_off(index);
        let _ = removed.give_memory_back();
        let _ = self.forget_companions(index);
        match had_functions {
            true => self.call_for_functions(&lock),
            false => self.follow_all_events(&lock),
        }
        Ok(())
    }

    /// The names of the others that get what is written to the session's own markers. Cost: a load for each
    /// that there can be.
    pub fn instances_with_marker_copies(&self) -> impl Iterator<Item = String> {
        let wants = |index: &usize| self.control().instance_flags(*index) & MARKER_COPIES != 0;
        (FIRST_MADE..INSTANCES).filter(wants).filter_map(|index| self.name_of(index))
    }

    pub(crate) fn name_of(&self, index: usize) -> Option<String> {
        self.control().instance_name(index, &mut [0; INSTANCE_NAME]).map(str::to_string)
    }

    pub(crate) fn index_of(&self, name: &str) -> Result<usize, Error> {
        if name == FLIGHT {
            return Ok(RECORDING);
        }
        let is_it = |index: &usize| self.name_of(*index).as_deref() == Some(name);
        (FIRST_MADE..INSTANCES).find(is_it).ok_or_else(|| self.no_instance(name))
    }

    pub(crate) fn no_instance(&self, name: &str) -> Error {
        let (path, name) = (self.path().to_path_buf(), name.to_string());
        Error::NoInstance { path, name, there: self.instances() }
    }

    /// Gives an instance a buffer with memory that has nothing in it, and that records.
    fn equip(&self, index: usize) -> Result<(), Error> {
        let first = Instance::open(self.path())?;
        let geometry = first.buffer().geometry();
        let cpus: Vec<bool> = (0..geometry.cpus).map(|cpu| first.buffer().capacity(cpu) > 0).collect();
        let (kb, snapshots) = (self.control().buffer_kb(), geometry.rings - 1);
        let wanted = specification(kb, snapshots, &cpus)?;
        let wanted = Specification {
            clock: geometry.clock,
            identity: geometry.identity,
            most_pages: most_pages(wanted.pages, snapshots),
            ..wanted
        };
        let (_, place) = Session::open_with_buffer(self.path(), index)?;
        let path = c_path(&self.file())?;
        let no_memory = |error| Error::errno(self.file(), error);
        self.control().reserve_instance(&path, index).map_err(no_memory)?;
        if Geometry::of(&place).is_ok_and(|found| found.identity == geometry.identity) {
            let before = Buffer::new(place).map_err(|error| Error::unusable(self.file(), error))?;
            return first.reuse(&before, wanted.pages);
        }
        check_space(self.path(), kb, 0, &cpus)?;
        let not_laid_out = || Error::unusable(self.file(), "could not be laid out");
        let reserved = wanted.reserved().ok_or_else(not_laid_out)?;
        shm::reserve(&path, &place, std::iter::once(reserved)).map_err(no_memory)?;
        Buffer::create(place, &wanted).ok_or_else(not_laid_out)?;
        Ok(())
    }

    /// Switches all events of an instance off, and forgets its patterns, filters, triggers and PID
    /// filters.
    pub(crate) fn set_instance_off(&self, index: usize) -> Result<(), Error> {
        self.replace_rules(index, "")?;
        self.control().want_nothing(index);
        self.control().announce_switched();
        Ok(())
    }
}

fn check_name(name: &str) -> Result<(), Error> {
    let is_good = (1..INSTANCE_NAME).contains(&name.len())
        && !name.contains(['/', '\0'])
        && name != "."
        && name != "..";
    if is_good { Ok(()) } else { Err(Error::BadInstanceName { name: name.to_string() }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SessionOptions;
    use std::os::unix::fs::MetadataExt;
    use tempfile::TempDir;

    fn session(snapshots: u32) -> (TempDir, Instance) {
        let directory = tempfile::tempdir_in("/dev/shm").unwrap();
        let instances = MOST_INSTANCES;
        let options = SessionOptions { buffer_kb: 256, snapshots, instances, ..SessionOptions::default() };
        let session = Session::create(&directory.path().join("s"), &options).unwrap();
        (directory, session)
    }

    fn set(session: &Instance, text: &str, on: bool) -> usize {
        session.set(&text.parse().unwrap(), on).unwrap()
    }

    fn on(session: &Instance) -> Vec<String> {
        session.events().filter(|event| event.enabled).map(|event| event.name).collect()
    }

    #[test]
    fn each_has_its_own_events_and_rules() {
        let (_directory, session) = session(1);
        let rare = session.session().create_instance("rare").unwrap();
        set(&session, "libc:read", true);
        set(&rare, "libc:write", true);
        set(&rare, "shop:*", true);
        assert_eq!((on(&session), on(&rare)), (vec!["read".to_string()], vec!["write".to_string()]));
        assert_eq!(
            (session.rules().as_str(), rare.rules().as_str()),
            ("+libc:read\n", "+libc:write\n+shop:*\n")
        );
        session.control().add_event("shop", "order", "").unwrap();
        assert_eq!((on(&session).len(), on(&rare)), (1, vec!["write".to_string(), "order".to_string()]));
        session.set_all_off().unwrap();
        assert_eq!((on(&session).len(), on(&rare).len()), (0, 2));
        let again = session.session().open_named("rare").unwrap();
        assert_eq!((again.name().as_deref(), again.index()), (Some("rare"), rare.index()));
        session.session().remove_instance("rare").unwrap();
        assert!(on(&rare).is_empty() && rare.rules().is_empty() && session.session().instances().is_empty());
    }

    #[test]
    fn names_are_checked() {
        let (_directory, session) = session(0);
        for name in ["", ".", "..", "a/b", &"x".repeat(256)] {
            assert!(
                matches!(session.session().create_instance(name), Err(Error::BadInstanceName { .. })),
                "{name:?}"
            );
        }
        session.session().create_instance(&"x".repeat(255)).unwrap();
        session.session().create_instance("one").unwrap();
        assert!(matches!(session.session().create_instance("one"), Err(Error::InstanceExists { .. })));
        assert!(matches!(session.session().open_named("two"), Err(Error::NoInstance { .. })));
        assert!(matches!(session.session().remove_instance("two"), Err(Error::NoInstance { .. })));
        assert_eq!(session.session().open_named(FLIGHT).unwrap().index(), RECORDING);
        assert!(matches!(session.session().create_instance(FLIGHT), Err(Error::InstanceExists { .. })));
        assert!(matches!(session.session().remove_instance(FLIGHT), Err(Error::Protected { .. })));
        for number in 3..=MOST_INSTANCES {
            session.session().create_instance(&number.to_string()).unwrap();
        }
        let full = session.session().create_instance("more");
        assert!(matches!(full, Err(Error::TooManyInstances { most, .. }) if most == MOST_INSTANCES as usize));
        session.session().remove_instance("one").unwrap();
        session.session().create_instance("more").unwrap();
        assert_eq!(session.session().instances().len(), MOST_INSTANCES as usize);
    }

    #[test]
    fn memory_comes_and_goes() {
        let (_directory, session) = session(1);
        let kb = || session.file().metadata().unwrap().blocks() / 2;
        let (before, most) = (kb(), session.most_bytes());
        let first = session.session().create_instance("first").unwrap();
        let with_one = kb();
        // Four lanes of a quarter each count as a CPU.
        let share = 256 * (first.buffer().geometry().cpus as u64 + 1);
        assert!(with_one >= before + share, "{before} KB, then {with_one}");
        let filtering = abi::control::FILTERING as u64;
        assert_eq!(session.most_bytes() - most, most - crate::size::CONTROL_BYTES + filtering);
        session.session().remove_instance("first").unwrap();
        assert!(kb() < before + share / 2, "{before} KB, then {with_one}, then {}", kb());
        let again = session.session().create_instance("again").unwrap();
        assert!(kb() >= before + share && kb() <= with_one + share, "{with_one} KB, then {}", kb());
        assert!(again.buffer().is_empty() && !again.buffer().control().is_off());
        Session::remove(session.path()).unwrap();
    }

    #[test]
    fn one_that_is_read_stays() {
        let (_directory, session) = session(0);
        let instance = session.session().create_instance("read").unwrap();
        let lock = instance.lock_reader().unwrap();
        assert!(instance.lock_reader().is_err(), "one at a time");
        assert!(session.lock_reader().is_ok(), "the session's own is another");
        assert!(matches!(session.session().remove_instance("read"), Err(Error::Busy { .. })));
        drop(lock);
        let opened = (
            instance.lock_open().unwrap(),
            session.session().open_named("read").unwrap().lock_open().unwrap(),
        );
        assert!(matches!(session.session().remove_instance("read"), Err(Error::Busy { .. })));
        drop(opened);
        session.session().remove_instance("read").unwrap();
        assert!(matches!(instance.lock_open(), Err(Error::NoInstance { .. })) && !instance.is_there());
        let again = session.session().create_instance("read").unwrap();
        assert_eq!(again.index(), instance.index(), "in the same slot");
        assert!(again.is_named("read") && !instance.is_named("read") && instance.lock_open().is_err());
    }
}
