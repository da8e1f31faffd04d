//! Who or what took a snapshot, and when.

use super::ages;
use crate::duration::duration;
use crate::json::Json;
use crate::number;
use control::Clocks;
use reading::Tables;
use ring_buffer::{Snapshot, SnapshotCause, SnapshotOrigin};
use session::{Instance, SnapshotNumber, Timeline};
use std::collections::HashMap;
use std::time::{SystemTime, UNIX_EPOCH};
use trace_data::text::{print_date, printable};

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
        let own: Vec<u8> = origin.comm.into_iter().take_while(|byte| *byte != 0).collect();
        let own = Some(String::from_utf8_lossy(&own).into_owned()).filter(|own| !own.is_empty());
        let comm = own.or_else(|| self.threads.get(&(origin.tid as i32)).cloned());
        let event = match origin.cause {
            SnapshotCause::Trigger { event } => Some(self.event(event)),
            _ => None,
        };
        Taker { origin, comm, user: origin.uid.map(user_name), event }
    }

    fn event(&self, id: u16) -> String {
        let found = self.session.events().find(|event| event.id == id);
        found.map_or_else(|| format!("event {id}"), |event| format!("{}:{}", event.system, event.name))
    }
}

impl TakenSnapshot {
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
        let by = taker.map(|taker| match taker.origin.cause {
            SnapshotCause::Process => "process",
            SnapshotCause::File => "file",
            SnapshotCause::Trigger { .. } => "trigger",
        });
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
        ]
    }

    fn by(&self) -> String {
        let Some(Taker { origin, comm, user, event }) = &self.by else {
            return "by whom is not known".to_owned();
        };
        let comm = printable(comm.as_deref().unwrap_or("<...>"));
        let user = user.as_ref().map_or_else(String::new, |user| format!(", user {user}"));
        let how = match event {
            Some(event) => format!("the trigger of {event} in "),
            None if origin.cause == SnapshotCause::File => "a write to the file snapshot, ".to_owned(),
            None => String::new(),
        };
        format!("by {how}{comm}-{}{user}", origin.tid)
    }

    /// By the time of day as it is set now.
    fn date(&self) -> Option<String> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_nanos() as u64;
        let mut date = Vec::new();
        print_date(now.checked_sub(self.age?)?, &mut date);
        let date = String::from_utf8(date).ok()?;
        Some(date.split_once('.').map_or(date.clone(), |(seconds, _)| format!("{seconds}Z")))
    }
}

/// Exactly, and in larger units where that matters less.
fn shown_age(age: u64) -> String {
    if age < 120_000_000_000 { duration(age) } else { number::duration(age) }
}

/// A user's name, or his number.
fn user_name(uid: u32) -> String {
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let name = |line: &str| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(uid)).then(|| name.to_string())
    };
    users.lines().find_map(name).unwrap_or_else(|| uid.to_string())
}
