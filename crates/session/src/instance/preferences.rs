//! What the control tree remembers and traced programs don't need: how the text looks, when readers wake up.
//!
//! It is a small file next to the session's own, replaced as a whole: who is killed while he changes it has
//! changed nothing. A setting that nobody has changed is not in it.

use super::options_before::OptionsBefore;
use super::{FUNCTION, FUNCTION_GRAPH, Instance, TraceOption, Tracer};
use crate::Error;
use crate::session::PREFERENCES;
use std::fmt::Write;

/// What readers of a session prefer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preferences {
    options: u64,
    /// How full a CPU's buffer is when its readers wake up, in percent: the kernel's `buffer_percent`.
    pub buffer_percent: u32,
    /// The current tracer.
    pub tracer: &'static Tracer,
    /// What options were before a latency tracer has enabled them.
    pub(super) before_latency: Option<OptionsBefore>,
}

impl Default for Preferences {
    fn default() -> Preferences {
        let on = TraceOption::ALL.iter().filter(|option| option.is_on_by_default());
        let options = on.fold(0, |bits, option| bits | option.bit());
        Preferences { options, buffer_percent: 50, tracer: <&Tracer>::default(), before_latency: None }
    }
}

impl Preferences {
    /// Whether an option is on. Some are the buffer's, or programs': ask [`Instance::option`].
    pub fn is_on(&self, option: TraceOption) -> bool {
        self.options & option.bit() != 0
    }

    /// Switches an option.
    pub fn set(&mut self, option: TraceOption, on: bool) {
        self.options = if on { self.options | option.bit() } else { self.options & !option.bit() };
    }

    /// The events that are on with the current tracer: calls of functions, as latency tracers want them.
    pub(super) fn events_of_functions(&self) -> &'static [u16] {
        match self.tracer.measures_latency() {
            true if !self.is_on(TraceOption::FunctionTrace) => &[],
            true if self.is_on(TraceOption::DisplayGraph) => FUNCTION_GRAPH.events,
            true => FUNCTION.events,
            false => self.tracer.events,
        }
    }

    /// These preferences, with the options of others.
    pub(crate) fn with_options_of(self, others: &Preferences) -> Preferences {
        Preferences { options: others.options, ..self }
    }

    /// Reads lines `NAME VALUE`. What makes no sense is as if nobody had set it.
    fn parse(text: &str) -> Preferences {
        let mut preferences = Preferences::default();
        for (name, value) in text.lines().filter_map(|line| line.split_once(' ')) {
            if let Some(tracer) = Tracer::named(value).filter(|_| name == "current_tracer") {
                preferences.tracer = tracer;
            }
            let Ok(value) = value.parse::<u32>() else { continue };
            if name == "buffer_percent" && value <= 100 {
                preferences.buffer_percent = value;
            } else if name == "before_latency" {
                preferences.before_latency = Some(OptionsBefore::from_bits(value));
            } else if let Some(option) = TraceOption::named(name) {
                preferences.set(option, value != 0);
            }
        }
        preferences
    }

    fn print(&self) -> String {
        let default = Preferences::default();
        let mut text = String::new();
        for option in
            TraceOption::ALL.iter().copied().filter(|option| self.is_on(*option) != default.is_on(*option))
        {
            let _ = writeln!(text, "{} {}", option.name(), u32::from(self.is_on(option)));
        }
        if self.buffer_percent != default.buffer_percent {
            let _ = writeln!(text, "buffer_percent {}", self.buffer_percent);
        }
        if self.tracer != default.tracer {
            let _ = writeln!(text, "current_tracer {}", self.tracer.name);
        }
        if let Some(before) = self.before_latency {
            let _ = writeln!(text, "before_latency {}", before.bits());
        }
        text
    }
}

impl Instance {
    /// The preferences now. Cost: reading a small file.
    pub fn preferences(&self) -> Preferences {
        Preferences::parse(
            &std::fs::read_to_string(self.session.companion_of(self.index, PREFERENCES)).unwrap_or_default(),
        )
    }

    /// Changes the preferences, for all who use the session.
    pub fn prefer(&self, change: impl FnOnce(&mut Preferences)) -> Result<(), Error> {
        let _lock = self.session.lock_settings()?;
        let mut preferences = self.preferences();
        change(&mut preferences);
        self.prefer_locked(preferences)
    }

    /// Replaces them, for one who has [`crate::Session::lock_settings`].
    pub(crate) fn prefer_locked(&self, preferences: Preferences) -> Result<(), Error> {
        self.session.replace_file(self.index, PREFERENCES, preferences.print().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Session, SessionOptions};

    #[test]
    fn only_what_was_changed_is_written() {
        let mut preferences = Preferences::default();
        assert_eq!(preferences.print(), "");
        preferences.set(TraceOption::RecordTgid, true);
        preferences.set(TraceOption::IrqInfo, false);
        preferences.buffer_percent = 0;
        assert_eq!(preferences.print(), "record-tgid 1\nirq-info 0\nbuffer_percent 0\n");
        assert_eq!(Preferences::parse(&preferences.print()), preferences);
    }

    #[test]
    fn what_makes_no_sense_is_as_if_not_set() {
        let text = "buffer_percent 101\nannotate x\nunknown 1\n\nirq-info\n\0 7\nmarkers 0";
        let mut expected = Preferences::default();
        expected.set(TraceOption::Markers, false);
        assert_eq!(Preferences::parse(text), expected);
    }

    #[test]
    fn no_change_is_lost_when_many_change_at_once() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("s");
        let session =
            Session::create(&path, &SessionOptions { buffer_kb: 64, ..SessionOptions::default() }).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..25 {
                        session.prefer(|preferred| preferred.buffer_percent -= 1).unwrap();
                        session.prefer(|preferred| preferred.buffer_percent += 1).unwrap();
                    }
                });
            }
        });
        assert_eq!(session.preferences(), Preferences::default());
    }
}
