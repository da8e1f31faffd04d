//! Who or what took a snapshot, when, and why.

use super::ages;
use crate::accounts::user_name;
use crate::duration::duration;
use crate::json::Json;
use crate::number;
use control::Clocks;
use events::{error_name, log_level_name, signal_name};
use reading::Tables;
use ring_buffer::{Snapshot, SnapshotCause, SnapshotOrigin};
use session::{Instance, SnapshotNumber, Timeline};
use std::collections::HashMap;
use std::time::{SystemTime, UNIX_EPOCH};
use trace_data::text::{date_to_the_second, printable};

/// What is known of snapshots of an instance, whoever took them.
pub(super) struct Takers<'a> {
    session: &'a Instance,
    timeline: Timeline,
    threads: HashMap<i32, String>,
}

/// How a snapshot was taken.
pub(super) struct TakenSnapshot {
    number: SnapshotNumber,
    /// In the session's clock.
    time: u64,
    /// In ns; None where events are counted.
    age: Option<u64>,
    by: Option<Taker>,
}

/// Who or what took it.
struct Taker {
    origin: SnapshotOrigin,
    comm: Option<String>,
    user: Option<String>,
    event: Option<String>,
    reason: Option<String>,
}

impl<'a> Takers<'a> {
    pub(super) fn new(session: &'a Instance) -> Takers<'a> {
        let control = session.control();
        let mut tables = Tables::default();
        tables.collect(control);
        let threads = tables.names(control.identity().creator).into_iter().collect();
        let timeline = session.timeline(&[control.identity().created, Clocks::now()]);
        Takers { session, timeline, threads }
    }

    pub(super) fn of(&self, snapshot: &Snapshot) -> TakenSnapshot {
        TakenSnapshot {
            number: self.session.snapshot_number(snapshot),
            time: self.timeline.time(snapshot.time()),
            age: ages(self.session)(snapshot.time()),
            by: self.session.buffer().origin(*snapshot).map(|origin| self.taker(origin)),
        }
    }

    fn taker(&self, origin: SnapshotOrigin) -> Taker {
        let own = Some(String::from_utf8_lossy(origin.name()).into_owned()).filter(|own| !own.is_empty());
        let comm = own.or_else(|| self.threads.get(&(origin.tid as i32)).cloned());
        let event = match origin.cause {
            SnapshotCause::Trigger { event } => Some(self.event(event)),
            SnapshotCause::Errors { event, .. } => {
                Some(self.event(event).trim_end_matches("_exit").to_owned())
            }
            _ => None,
        };
        let reason = origin.reason.text().map(|text| String::from_utf8_lossy(text).into_owned());
        Taker { origin, comm, user: origin.uid.map(user_name), event, reason }
    }

    fn event(&self, id: u16) -> String {
        let found = self.session.events().find(|event| event.id == id);
        found.map_or_else(|| format!("event {id}"), |event| format!("{}:{}", event.system, event.name))
    }
}

impl TakenSnapshot {
    /// Its number.
    pub(super) fn number(&self) -> SnapshotNumber {
        self.number
    }

    /// Why it was taken, in a word or two: what the kinds of causes are called, and what distinguishes them.
    pub(super) fn short_reason(&self) -> String {
        let Some(taker) = &self.by else { return "unknown".to_owned() };
        match taker.origin.cause {
            SnapshotCause::Signal { number } => signal_text(number),
            SnapshotCause::Killed { number } if number != 0 => signal_text(number),
            SnapshotCause::Exit { status } => format!("exit{status}"),
            SnapshotCause::Process => "command".to_owned(),
            SnapshotCause::Errors { .. } => taker.event.clone().unwrap_or_else(|| "errors".to_owned()),
            SnapshotCause::Trigger { .. } => taker.event.clone().unwrap_or_else(|| "trigger".to_owned()),
            cause => cause_name(cause).to_owned(),
        }
    }

    /// When, and by whom: `2.31 s ago, 2026-11-23T15:49:11Z`, then on a line of its own who took it.
    pub(super) fn lines(&self) -> [String; 2] {
        let ago = self.age.map_or_else(String::new, |age| format!("taken {} ago", shown_age(age)));
        let date = self.date().map_or_else(String::new, |date| format!(", {date}"));
        [ago + &date, self.by()]
    }

    /// A line for the head of a text.
    pub(super) fn line(&self) -> String {
        let date = self.date().map_or_else(String::new, |date| format!("taken {date}, "));
        format!("snapshot {}: {date}{}", self.number, self.by())
    }

    /// What `stat --json` says of it.
    pub(super) fn json(&self) -> Vec<(&'static str, Json)> {
        let taker = self.by.as_ref();
        let by = taker.map(|taker| cause_name(taker.origin.cause));
        let (signal, status) = match taker.map(|taker| taker.origin.cause) {
            Some(SnapshotCause::Killed { number: 0 }) => (None, None),
            Some(SnapshotCause::Signal { number } | SnapshotCause::Killed { number }) => (Some(number), None),
            Some(SnapshotCause::Exit { status }) => (None, Some(status)),
            _ => (None, None),
        };
        vec![
            ("age_ns", Json::number(self.age)),
            ("time_ts", Json::Number(self.time)),
            ("date", Json::text(self.date())),
            ("by", Json::text(by)),
            ("event", Json::text(taker.and_then(|taker| taker.event.as_ref()))),
            ("pid", Json::number(taker.map(|taker| taker.origin.tid.into()))),
            ("comm", Json::text(taker.and_then(|taker| taker.comm.as_ref()))),
            ("uid", Json::number(taker.and_then(|taker| taker.origin.uid).map(u64::from))),
            ("user", Json::text(taker.and_then(|taker| taker.user.as_ref()))),
            ("signal", Json::text(signal.map(signal_text))),
            ("status", Json::number(status.map(u64::from))),
            ("reason", Json::text(taker.and_then(|taker| taker.reason.as_ref()))),
        ]
    }

    fn by(&self) -> String {
        let Some(taker) = &self.by else { return "by whom is not known".to_owned() };
        let user = taker.user.as_ref().map_or_else(String::new, |user| format!(", user {user}"));
        let reason = taker.reason().map_or_else(String::new, |reason| format!(": {reason}"));
        let how = match taker.origin.cause {
            SnapshotCause::Process | SnapshotCause::Program => String::new(),
            SnapshotCause::File => format!("{}, ", taker.why()),
            _ => format!("{} in ", taker.why()),
        };
        format!("by {how}{}{user}{reason}", taker.who())
    }

    /// Who took it, as events name threads; `-` where that is not known.
    pub(super) fn who(&self) -> String {
        self.by.as_ref().map_or_else(|| "-".to_owned(), Taker::who)
    }

    /// The user whose process that is; `-` where that is not known.
    pub(super) fn user(&self) -> String {
        self.by.as_ref().and_then(|taker| taker.user.clone()).unwrap_or_else(|| "-".to_owned())
    }

    /// Why it was taken, and what the program says about it; `-` where that is not known.
    pub(super) fn why(&self) -> String {
        let Some(taker) = &self.by else { return "-".to_owned() };
        match (taker.origin.cause, taker.reason()) {
            (SnapshotCause::Program, Some(reason)) => reason,
            (_, Some(reason)) => format!("{}: {reason}", taker.why()),
            (_, None) => taker.why(),
        }
    }

    /// By the time of day as it is set now.
    pub(super) fn date(&self) -> Option<String> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_nanos() as u64;
        Some(date_to_the_second(now.checked_sub(self.age?)?))
    }
}

impl Taker {
    fn who(&self) -> String {
        format!("{}-{}", printable(self.comm.as_deref().unwrap_or("<...>")), self.origin.tid)
    }

    fn why(&self) -> String {
        match self.origin.cause {
            SnapshotCause::Process => "a command".to_owned(),
            SnapshotCause::File => "a write to the file snapshot".to_owned(),
            SnapshotCause::Trigger { .. } => {
                format!("the trigger of {}", self.event.as_deref().unwrap_or("an event"))
            }
            SnapshotCause::Program => "the program".to_owned(),
            SnapshotCause::Signal { number } => signal_text(number),
            SnapshotCause::Panic => "a panic".to_owned(),
            SnapshotCause::Abort => "abort".to_owned(),
            SnapshotCause::Assertion => "a failed assertion".to_owned(),
            SnapshotCause::Terminate => "std::terminate".to_owned(),
            SnapshotCause::Exit { status } => format!("exit with status {status}"),
            SnapshotCause::Errors { error, .. } => {
                let (event, error) = (self.event.as_deref().unwrap_or("a call"), error_text(error));
                format!("errors of {event}, the last {error}")
            }
            SnapshotCause::Latency(section) => {
                format!("the longest section, {}", duration(section.nanoseconds))
            }
            SnapshotCause::Syslog { level } => {
                format!("syslog {}", log_level_name(level.into()).unwrap_or("of an unknown level"))
            }
            SnapshotCause::Log => "an error of its log".to_owned(),
            SnapshotCause::Killed { number: 0 } => "an end that nobody saw".to_owned(),
            SnapshotCause::Killed { number } => format!("the end by {}", signal_text(number)),
        }
    }

    fn reason(&self) -> Option<String> {
        self.reason.as_deref().map(|reason| printable(reason).into_owned())
    }
}

/// What `--json` calls a cause.
fn cause_name(cause: SnapshotCause) -> &'static str {
    match cause {
        SnapshotCause::Process => "process",
        SnapshotCause::File => "file",
        SnapshotCause::Trigger { .. } => "trigger",
        SnapshotCause::Program => "program",
        SnapshotCause::Signal { .. } => "signal",
        SnapshotCause::Panic => "panic",
        SnapshotCause::Abort => "abort",
        SnapshotCause::Assertion => "assertion",
        SnapshotCause::Terminate => "terminate",
        SnapshotCause::Exit { .. } => "exit",
        SnapshotCause::Errors { .. } => "errors",
        SnapshotCause::Killed { .. } => "killed",
        SnapshotCause::Latency(_) => "latency",
        SnapshotCause::Syslog { .. } => "syslog",
        SnapshotCause::Log => "log",
    }
}

/// A signal's name, or its number where it has none.
fn signal_text(number: u16) -> String {
    signal_name(number.into()).map_or_else(|| format!("signal {number}"), str::to_owned)
}

/// An error's name, or its number where it has none.
fn error_text(number: u16) -> String {
    error_name(number.into()).map_or_else(|| format!("error {number}"), str::to_owned)
}

/// Exactly, and in larger units where that matters less.
pub(super) fn shown_age(age: u64) -> String {
    if age < 120_000_000_000 { duration(age) } else { number::duration(age) }
}
