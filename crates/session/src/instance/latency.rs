//! What latency tracers measure: the longest section so far, and the snapshot that has its trace.

use super::options_before::OptionsBefore;
use super::{Instance, Preferences, TraceOption, Tracer};
use crate::{Error, Lock};
use abi::control::{AS_GRAPH, WAKEUPS};
use events::WakeRole;
use ring_buffer::{MeasuredSection, Snapshot, SnapshotCause, SnapshotOrigin};

/// The trace of the longest section.
#[derive(Debug, Clone, Copy)]
pub struct LongestSection {
    /// What has it.
    pub snapshot: Snapshot,
    /// Whose section it was.
    pub origin: SnapshotOrigin,
    /// Which it was.
    pub section: MeasuredSection,
}

impl Instance {
    /// The longest section that the current latency tracer has measured, or what was set, in nanoseconds: the
    /// kernel's `tracing_max_latency`. The last one of those that were as long as [`Instance::threshold`],
    /// where that is not 0. What a latency tracer has left stays until the next begins with 0.
    pub fn max_latency(&self) -> u64 {
        self.control().max_latency(self.index)
    }

    /// Says what only longer sections exceed from now on. Traced processes see it at once.
    pub fn set_max_latency(&self, nanoseconds: u64) -> Result<(), Error> {
        let _lock = self.session.lock_settings()?;
        self.control().set_max_latency(self.index, nanoseconds);
        Ok(())
    }

    /// The trace that a latency tracer has kept, if there is one: the newest.
    pub fn longest_section(&self) -> Option<LongestSection> {
        let kept = self.snapshots().into_iter().rev();
        kept.filter_map(|snapshot| self.section_of(snapshot)).next()
    }

    /// The section whose trace a snapshot has, if a latency tracer has kept it.
    fn section_of(&self, snapshot: Snapshot) -> Option<LongestSection> {
        let origin = self.buffer().origin(snapshot)?;
        match origin.cause {
            SnapshotCause::Latency(section) => Some(LongestSection { snapshot, origin, section }),
            _ => None,
        }
    }

    /// Drops the trace that a latency tracer has kept; how long the section was stays. One that is being read
    /// stays, too.
    pub fn drop_longest_section(&self) -> Result<(), Error> {
        let _lock = self.session.lock_settings()?;
        self.drop_sections();
        Ok(())
    }

    fn drop_sections(&self) {
        let kept = self.snapshots().into_iter().filter(|snapshot| self.buffer().is_of_latency(*snapshot));
        kept.for_each(|snapshot| {
            self.buffer().discard(snapshot);
        });
    }

    /// How many snapshots the current tracer has for itself.
    pub(super) fn latency_snapshots(&self) -> usize {
        usize::from(self.tracer().measures_latency())
    }

    /// An error where another instance has a latency tracer; and sees to it that there is memory for the
    /// trace, and for the next while somebody reads the first: in addition to that of other snapshots as far
    /// as there is space, else in place of the oldest that somebody has asked for. None that an error has
    /// taken gives way.
    pub(super) fn prepare_latency(&self, _lock: &Lock) -> Result<(), Error> {
        if self.control().measured_sections().instance().is_some_and(|other| other != self.index) {
            return Err(Error::LatencyMeasured { path: self.path().to_path_buf() });
        }
        if !self.keeps_snapshots() || self.tracer().measures_latency() {
            return Ok(());
        }
        let kept = self.snapshots();
        self.reserve_snapshots_locked(self.buffer().spare_rings() + kept.len() + 2)?;
        let gives_way = |snapshot: &Snapshot| {
            let cause = self.buffer().origin(*snapshot).map(|origin| origin.cause);
            matches!(cause, None | Some(SnapshotCause::Process | SnapshotCause::File))
                && self.buffer().discard(*snapshot)
        };
        let has_spare = self.buffer().spare_rings() > 0 || kept.iter().any(gives_way);
        if has_spare { Ok(()) } else { Err(Error::NoSpare { path: self.path().to_path_buf() }) }
    }

    /// Whether snapshots can be kept at all.
    pub fn keeps_snapshots(&self) -> bool {
        self.buffer().keeps_snapshots()
    }

    /// Enables the options that go with latency tracers, or puts back what they were, as the tracer of these
    /// preferences replaces `before`. The kernel has its readers stop recording, too (`pause-on-trace`): it
    /// needs that as what they read is replaced meanwhile, which is held here.
    pub(super) fn choose_latency_options(&self, preferences: &mut Preferences, before: &Tracer) {
        let measures = preferences.tracer.measures_latency();
        if measures && !before.measures_latency() {
            let latency_format = preferences.is_on(TraceOption::LatencyFormat);
            let overwrite = self.option(TraceOption::Overwrite);
            preferences.before_latency = Some(OptionsBefore { latency_format, overwrite });
            preferences.set(TraceOption::LatencyFormat, true);
            self.buffer().set_overwrite(true);
        } else if let Some(before) = preferences.before_latency.filter(|_| !measures) {
            preferences.set(TraceOption::LatencyFormat, before.latency_format);
            self.buffer().set_overwrite(before.overwrite);
            preferences.before_latency = None;
        }
    }

    /// Has traced processes measure what the tracer of these preferences does, from a maximum of 0 on.
    pub(super) fn measure_latency(&self, preferences: &Preferences) {
        let (control, tracer) = (self.control(), preferences.tracer);
        control.measure_sections(None, std::iter::empty());
        self.drop_sections();
        if tracer.measures_latency() {
            control.set_max_latency(self.index, 0);
            let measures_wakeups = tracer.states & WAKEUPS != 0;
            let watched = WakeRole::watched().filter(|_| measures_wakeups);
            let form = if preferences.is_on(TraceOption::DisplayGraph) { AS_GRAPH } else { 0 };
            control.measure_sections(Some((self.index, tracer.states | form)), watched);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Author, Session, SessionOptions};
    use trigger_effect::{keep_longest, take_snapshot};

    fn tracer(name: &str) -> &'static Tracer {
        Tracer::named(name).unwrap()
    }

    #[test]
    fn one_instance_measures_at_a_time_and_options_come_back() {
        let directory = tempfile::tempdir().unwrap();
        let options = SessionOptions { buffer_kb: 64, snapshots: 1, instances: 2, ..Default::default() };
        let session = Session::create(&directory.path().join("s"), &options).unwrap();
        let other = session.session().create_instance("other").unwrap();
        session.set_option(TraceOption::Overwrite, false).unwrap();
        session.set_max_latency(7000).unwrap();
        session.set_tracer(tracer("irqsoff")).unwrap();
        assert_eq!((session.max_latency(), session.buffer().spare_rings()), (0, 1));
        let on = || [TraceOption::LatencyFormat, TraceOption::Overwrite].map(|option| session.option(option));
        assert_eq!(on(), [true; 2]);
        assert!(matches!(other.set_tracer(tracer("preemptoff")), Err(Error::LatencyMeasured { .. })));
        session.set_tracer(tracer("preemptirqsoff")).unwrap();
        session.set_max_latency(9000).unwrap();
        session.set_tracer(<&Tracer>::default()).unwrap();
        assert_eq!((on(), session.max_latency()), ([false; 2], 9000));
        other.set_tracer(tracer("preemptoff")).unwrap();
        assert_eq!(other.control().measured_sections().instance(), Some(other.index()));
        drop(other);
        session.session().remove_instance("other").unwrap();
        assert_eq!(session.control().measured_sections().instance(), None);
    }

    #[test]
    fn there_is_memory_for_its_trace() {
        let directory = tempfile::tempdir().unwrap();
        let make = |name: &str, snapshots| {
            let options = SessionOptions { buffer_kb: 64, snapshots, ..SessionOptions::default() };
            Session::create(&directory.path().join(name), &options).unwrap()
        };
        let one = make("one", 1);
        let taken = one.take_snapshot().unwrap();
        let origin = SnapshotOrigin { cause: SnapshotCause::Abort, ..one.buffer().origin(taken).unwrap() };
        one.buffer().set_origin(taken, &origin);
        assert!(matches!(one.set_tracer(tracer("irqsoff")), Err(Error::NoSpare { .. })));
        assert!(!one.tracer().measures_latency() && one.control().measured_sections().states() == 0);
        one.discard_snapshots().unwrap();
        one.take_snapshot().unwrap();
        one.set_tracer(tracer("irqsoff")).unwrap();
        assert_eq!((one.snapshots().len(), one.buffer().spare_rings()), (0, 1));
        let two = make("two", 2);
        two.take_snapshot().unwrap();
        two.set_tracer(tracer("irqsoff")).unwrap();
        assert_eq!((two.snapshots().len(), two.buffer().spare_rings()), (1, 1));
    }

    #[test]
    fn the_longest_stays_and_takes_the_place_of_no_other() {
        let directory = tempfile::tempdir().unwrap();
        let options = SessionOptions { buffer_kb: 64, snapshots: 3, ..SessionOptions::default() };
        let session = Session::create(&directory.path().join("s"), &options).unwrap();
        let (control, buffer) = (session.control(), session.buffer());
        session.reserve_snapshots(3).unwrap();
        let origin = |cause| SnapshotOrigin { cause, ..Author::current().origin(SnapshotCause::Process) };
        let keep = |nanoseconds, is_longest: bool| {
            let (start, started_at, ended_at) = (1, 2, 3);
            let section = MeasuredSection { cpu: 0, start, nanoseconds, started_at, ended_at };
            keep_longest(control, buffer, &origin(SnapshotCause::Latency(section)), || is_longest)
        };
        let longest = || session.longest_section().map(|found| found.section.nanoseconds);
        let errors = || {
            let causes = buffer.snapshots().filter_map(|snapshot| buffer.origin(snapshot));
            causes.filter(|origin| origin.cause == SnapshotCause::Abort).count()
        };
        assert!(keep(5, true) && keep(7, true) && keep(6, false));
        assert_eq!((longest(), buffer.snapshots().count()), (Some(7), 1));
        for _ in 0..4 {
            assert!(take_snapshot(control, buffer, &origin(SnapshotCause::Abort)));
        }
        assert_eq!((longest(), errors()), (Some(7), 2), "errors have the others");
        assert!(keep(8, true));
        assert_eq!((longest(), errors()), (Some(8), 2), "and keep them");
        session.drop_longest_section().unwrap();
        assert!(take_snapshot(control, buffer, &origin(SnapshotCause::Abort)));
        let refused = buffer.refused_snapshots();
        assert!(!keep(9, true));
        assert_eq!((longest(), errors(), buffer.refused_snapshots()), (None, 3, refused + 1));
    }
}
