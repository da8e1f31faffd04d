//! The processes that a session does not see, or sees in part, and why.
//!
//! Three who know something of them: the session's table, where programs say what they execute and what
//! speaks against its being recorded; `/proc`, as long as a process is there; and the files that attached
//! processes have mapped.

mod family;
mod in_part;
mod text;
mod unattached;
mod watch;

pub(crate) use in_part::{FilesInPart, READS_TREE};
pub(crate) use text::{described, lines};
pub(crate) use unattached::{UnattachedProcess, User, limit_of_addresses};
pub(crate) use watch::Watch;

use crate::json::Json;
use crate::say::note;
use anstyle::Style;
use control::ProcessInfo;
use reading::Tables;
use session::Instance;
use std::collections::HashSet;
use trace_data::dat::UnseenProcess;

/// Those of a session that nobody watches: of what its table has still, and of what is there now.
pub(crate) fn of_session(session: &Instance) -> Vec<UnseenProcess> {
    let mut tables = Tables::default();
    tables.collect(session.control());
    let looked = UnattachedProcess::all(session).into_iter().filter_map(|process| process.unseen());
    all(session, &tables, looked.collect())
}

/// Those of a session that was recorded, with what its [`Watch`] has found. Who was slow to attach, as under
/// a debugger, did attach in the end.
pub(crate) fn of_recording(
    session: &Instance,
    tables: &Tables,
    looked: Vec<UnattachedProcess>,
) -> Vec<UnseenProcess> {
    let has_attached = |process: &UnattachedProcess| {
        let is_same = |info: &ProcessInfo| info.pid == process.pid && info.name() == process.comm;
        !process.is_certain && tables.attached().any(|(info, _)| is_same(info))
    };
    let looked = looked.into_iter().filter(|process| !has_attached(process));
    all(session, tables, looked.filter_map(UnattachedProcess::unseen).collect())
}

/// Those that `tables` know and those that were `looked` at, by PID.
fn all(session: &Instance, tables: &Tables, looked: Vec<UnseenProcess>) -> Vec<UnseenProcess> {
    let mut unseen: Vec<_> =
        tables.unattached().iter().filter_map(|process| of_table(process, &looked)).collect();
    let known: HashSet<u32> = unseen.iter().map(|process| process.pid).collect();
    unseen.extend(looked.into_iter().filter(|process| !known.contains(&process.pid)));
    unseen.extend(in_part::all(session, tables));
    unseen.sort_by_key(|process| (process.pid, process.in_part));
    unseen
}

/// What the table says of a process. None for one that may be about to attach.
fn of_table(process: &ProcessInfo, looked: &[UnseenProcess]) -> Option<UnseenProcess> {
    let look = looked.iter().find(|look| look.pid == process.pid);
    let why = match (process.status.obstacle(), look) {
        (Some(obstacle), _) => obstacle.describe().to_owned(),
        (None, Some(look)) => look.why.clone(),
        (None, None) if process.end_time != 0 => "did not attach".to_owned(),
        (None, None) => return None,
    };
    // Who looks at a recording is no part of it.
    if process.executed_name() == Some("lookback") {
        return None;
    }
    let executed = process.executed_name().filter(|name| !name.is_empty());
    let name = executed.or(look.map(|look| look.name.as_str())).unwrap_or(process.name()).to_owned();
    Some(UnseenProcess { pid: process.pid, name, why, in_part: false })
}

/// How many processes of a session are attached.
pub(crate) fn attached(session: &Instance, unseen: &[UnseenProcess]) -> usize {
    let is_seen = |pid| unseen.iter().all(|process| process.in_part || process.pid != pid);
    let processes = session.control().processes();
    processes.filter(|process| process.end_time == 0 && is_seen(process.pid)).count()
}

/// Lines for those that are not recorded, and for those that are in part, each with what it is called.
pub(crate) fn labelled(unseen: &[UnseenProcess]) -> impl Iterator<Item = (&'static str, Vec<String>)> {
    let labelled =
        [("unseen", false), ("in part", true)].map(|(name, in_part)| (name, lines(unseen, in_part)));
    labelled.into_iter().filter(|(_, lines)| !lines.is_empty())
}

/// Prints them on standard error, below a summary.
pub(crate) fn tell(unseen: &[UnseenProcess]) {
    let dim = Style::new().dimmed();
    for (name, lines) in labelled(unseen) {
        for (index, line) in lines.iter().enumerate() {
            let name = if index == 0 { name } else { "" };
            note!("  {dim}{name:<7}{dim:#}  {line}");
        }
    }
}

/// As the members of an object: those that are not recorded, and those that are in part.
pub(crate) fn json(unseen: &[UnseenProcess]) -> [(&'static str, Json); 2] {
    let list = |in_part| {
        let chosen = unseen.iter().filter(|process| process.in_part == in_part);
        Json::List(chosen.map(process_json).collect())
    };
    [("not_recorded", list(false)), ("recorded_in_part", list(true))]
}

fn process_json(process: &UnseenProcess) -> Json {
    Json::Object(vec![
        ("pid", Json::Number(process.pid.into())),
        ("comm", Json::text(Some(&process.name))),
        ("why", Json::text(Some(&process.why))),
    ])
}
