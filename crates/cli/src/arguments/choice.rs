//! The options that choose which events are shown, for all commands that show events.

use clap::Args;
use query::{Choice, EventRule, IdList, TimeBound, TimeRange};
use session::Selection;

/// Which events are shown. An event is shown if it matches all options.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ChoiceArguments {
    /// Show only these events, given as for record
    #[arg(short = 'e', long = "event", value_name = "EVENT")]
    pub(crate) events: Vec<Selection>,

    /// Show only events that match: 'EVENT: FILTER'
    ///
    /// Or 'EVENT,EVENT: FILTER', with events given as for -e; can be given several times, to show events that
    /// match any.
    #[arg(short = 'F', long = "filter", value_name = "FILTER")]
    pub(crate) filters: Vec<EventRule>,

    /// Show the events that don't match -F instead
    #[arg(short = 'v', long, requires = "filters")]
    pub(crate) invert: bool,

    /// Show only events of these CPUs: 0, or 0,2-3
    #[arg(short = 'C', long, value_name = "LIST")]
    pub(crate) cpu: Option<IdList>,

    /// Show only events of these threads: 42,47-53
    #[arg(short = 'P', long, value_name = "LIST")]
    pub(crate) pid: Option<IdList>,

    /// Show only events of these processes
    ///
    /// With all their threads: 4711, or 4711,4713-4720.
    #[arg(short = 'g', long, value_name = "LIST")]
    pub(crate) tgid: Option<IdList>,

    /// Show only events of threads with this name
    ///
    /// With * ? and [a-z] as in the shell; can be given several times.
    #[arg(short = 't', long, value_name = "NAME")]
    pub(crate) comm: Vec<String>,

    /// Show only events at or after TIME
    ///
    /// Seconds as shown, +1.5 after the first event, -200ms before the last, or a date like
    /// 2026-11-21T08:45:09Z.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) from: Option<TimeBound>,

    /// Show only events up to TIME
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) to: Option<TimeBound>,

    /// Show only events between two times
    ///
    /// As --from and --to do; one of them may be missing.
    #[arg(long, value_name = "FROM..TO", allow_hyphen_values = true, conflicts_with_all = ["from", "to"])]
    pub(crate) time: Option<TimeRange>,
}

impl ChoiceArguments {
    /// The options that events have to match, as they can be typed; without those that choose by the event
    /// unless `with_events`.
    pub(crate) fn given(&self, with_events: bool) -> Vec<String> {
        let list = |option: &str, list: &Option<IdList>| list.as_ref().map(|list| format!("{option} {list}"));
        let events = self.events.iter().filter(|_| with_events).map(|event| format!("-e '{}'", event.text()));
        let names = self.comm.iter().map(|name| format!("-t '{name}'"));
        let lists = [list("-C", &self.cpu), list("-P", &self.pid), list("-g", &self.tgid)];
        let others = [
            (!self.filters.is_empty(), "-F"),
            (self.from.is_some(), "--from"),
            (self.to.is_some(), "--to"),
            (self.time.is_some(), "--time"),
        ];
        let others =
            others.into_iter().filter(|(is_given, _)| *is_given).map(|(_, option)| option.to_owned());
        events.chain(lists.into_iter().flatten()).chain(names).chain(others).collect()
    }

    /// What is asked for.
    pub(crate) fn choice(&self) -> Choice {
        Choice {
            events: self.events.clone(),
            system: None,
            filters: self.filters.clone(),
            invert: self.invert,
            cpus: self.cpu.clone(),
            threads: self.pid.clone(),
            processes: self.tgid.clone(),
            names: self.comm.clone(),
            time: self.time.unwrap_or(TimeRange { from: self.from, to: self.to }),
        }
    }
}
