//! What the instance of the control tree's top level shows and takes from the default instance.
//!
//! Why: `docs/decisions/004-flight.md`.

use super::Instance;
use crate::{Error, Lock};
use abi::instance::{RECORDING, STOPPED_HERE, TOP};
use ring_buffer::ControlWord;

impl Instance {
    /// Up to when what the recording has is shown before the events of this instance, in the buffer's clock.
    /// Only the top level's own has such a past, until its buffer is emptied: what was recorded when that was
    /// made is to be seen there still.
    pub fn past_until(&self) -> Option<u64> {
        self.control().past_until(self.index, self.buffer().control().generation())
    }

    /// Leaves it without a past.
    pub fn forget_past(&self) {
        self.control().set_past_until(self.index, 0, 0);
    }

    /// Stops what the top level shows, or goes on with it.
    pub fn set_tracing_at_top(&self, on: bool) {
        if self.index == RECORDING {
            self.control().set_instance_flags(TOP, STOPPED_HERE, !on);
        }
        self.buffer().set_tracing(on);
    }

    /// Does something with the session's default instance: this one, or another that is opened for it.
    ///
    /// # Errors
    ///
    /// Those of opening it, and of what is done.
    pub fn with_recording<R>(&self, work: impl FnOnce(&Instance) -> Result<R, Error>) -> Result<R, Error> {
        if self.index == RECORDING { work(self) } else { work(&Instance::open(self.path())?) }
    }

    /// Gives a new instance the settings of the recording, for one who has [`crate::Session::lock_settings`].
    pub(crate) fn take_settings(&self, lock: &Lock) -> Result<(), Error> {
        let recording = Instance::open(self.path())?;
        let is_stopped = recording.buffer().control().0 & ControlWord::TRACING_OFF != 0;
        if self.control().instance_flags(TOP) & STOPPED_HERE != 0 {
            recording.buffer().set_tracing(true);
            self.control().set_instance_flags(TOP, STOPPED_HERE, false);
        }
        self.buffer().set_tracing(!is_stopped);
        for cpu in self.cpus().filter(|cpu| !recording.buffer().is_block_recording(*cpu)) {
            self.buffer().set_block_recording(cpu, false);
        }
        self.control().set_trace_clock(self.index, recording.trace_clock());
        self.prefer_locked(recording.preferences())?;
        self.take_pids(&recording)?;
        self.inherit_options(&recording)?;
        self.take_tracing_options(&recording);
        self.restore_locked(&recording.settings())?;
        self.take_triggers(&recording)?;
        self.take_functions(&recording, lock)?;
        self.session.follow_all_events(lock);
        // From now on it has all that is to be there.
        let (now, generation) = (self.buffer().now(), self.buffer().control().generation());
        self.control().set_past_until(self.index, now, generation);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::{Error, Instance, Session, SessionOptions, TraceClock};

    fn set(session: &Instance, text: &str, on: bool) {
        session.set(&text.parse().unwrap(), on).unwrap();
    }

    fn on(session: &Instance) -> Vec<String> {
        session.events().filter(|event| event.enabled).map(|event| event.name).collect()
    }

    #[test]
    fn the_trees_own_is_next_to_those_that_are_made() {
        let directory = tempfile::tempdir().unwrap();
        let options =
            SessionOptions { buffer_kb: 64, snapshots: 1, instances: 2, ..SessionOptions::default() };
        let session = Session::create(&directory.path().join("s"), &options).unwrap();
        assert!(session.session().open_top().unwrap().is_none());
        session.enable(&"libc:read_exit if ret < 0".parse().unwrap()).unwrap();
        let read = session.events().find(|event| event.enabled).unwrap().id;
        for trigger in
            ["traceoff:3 if ret < -1", "snapshot:2", "enable_event:libc:write", "stacktrace:7 if ret == 0"]
        {
            session.set_trigger(read, trigger).unwrap();
        }
        let top = session.session().make_top().unwrap().unwrap();
        assert_eq!((on(&top), on(&session)), (vec!["read_exit".to_string()], vec!["read_exit".to_string()]));
        assert_eq!(top.triggers(read), session.triggers(read));
        assert_eq!((top.rules(), top.filter(read).as_deref()), (session.rules(), Some("ret < 0")));
        set(&session, "libc:read_exit", false);
        set(&top, "libc:write", true);
        set(&top, "libc:read_exit", false);
        assert_eq!((on(&session), on(&top)), (vec![], vec!["write".to_string()]));
        assert_eq!((session.session().instances().len(), top.name()), (0, None));
        assert!(matches!(session.session().open_named(""), Err(Error::NoInstance { .. })));
        assert_eq!(on(&session.session().make_top().unwrap().unwrap()), ["write"], "the same");
        top.set_trace_clock(TraceClock::Boot).unwrap();
        // Each has counters of its own.
        top.set_trigger(read, "!snapshot").unwrap();
        top.set_trigger(read, "snapshot:1").unwrap();
        assert_eq!((top.triggers(read).len(), session.triggers(read).len()), (4, 4));
        assert_eq!((top.triggers(read)[0].left, session.triggers(read)[2].left), (Some(1), Some(2)));
        assert_eq!((session.trace_clock(), top.trace_clock().name()), (TraceClock::Mono, "boot"));
    }
}
