//! `lookback snapshots`.

use super::kept::{KeptSnapshot, errors_within};
use super::saving::{look_after, watch};
use super::{extract, option, show};
use crate::arguments::{InstanceArguments, SnapshotsArguments, SnapshotsTask};
use crate::columns::{columns, without_end};
use crate::failure::{Done, Failure};
use crate::json::Json;
use crate::number::count;
use crate::stdout::print;
use session::Instance;

/// Lists the snapshots that are kept, shows one, or writes one to a file.
pub(crate) fn snapshots(arguments: SnapshotsArguments) -> Done {
    let SnapshotsArguments { task, instance, json } = arguments;
    match task {
        None => list(&instance, json),
        Some(_) if json => {
            Err(Failure::failed("--json of snapshots lists them: give it after show, or leave it out"))
        }
        Some(SnapshotsTask::Show(arguments)) => show(&arguments.whole(instance)),
        Some(SnapshotsTask::Save(arguments)) => extract(&arguments.whole(instance)),
        Some(SnapshotsTask::Watch(arguments)) => watch(&arguments.instance.or(instance)),
    }
}

fn list(instance: &InstanceArguments, json: bool) -> Done {
    let session = instance.open()?;
    look_after(&session)?;
    let kept = KeptSnapshot::all(&session)?;
    if json {
        return print(Json::Object(vec![
            ("session", Json::text(Some(session.path().display()))),
            ("instance", Json::text(session.name())),
            ("capacity", Json::Number(capacity(&session))),
            ("errors_without_snapshot", Json::Number(session.errors_within())),
            ("refused", Json::Number(session.buffer().refused_snapshots())),
            ("snapshots", Json::List(kept.iter().map(KeptSnapshot::json).collect())),
        ]));
    }
    let table = if kept.is_empty() { String::new() } else { table(&kept) + "\n" };
    print(table + &summary(&session, kept.len() as u64))
}

/// How many can be kept.
fn capacity(session: &Instance) -> u64 {
    u64::from(session.buffer().geometry().rings) - 1
}

/// How many are kept, and how many were not taken.
fn summary(session: &Instance, kept: u64) -> String {
    let refused = match session.buffer().refused_snapshots() {
        0 => String::new(),
        refused => format!("; {refused} refused, as there was no memory for them, or readers held all"),
    };
    let within = errors_within(session);
    let next = match kept {
        0 => format!(": `lookback snapshot -s{}` takes one", option(session.path())),
        _ => String::new(),
    };
    format!("{} of {} kept{refused}{within}{next}", count(kept, "snapshot", "snapshots"), capacity(session))
}

fn table(kept: &[KeptSnapshot]) -> String {
    let heads = ["NUMBER", "TAKEN", "EVENTS", "CPU", "BY", "USER", "WHY"].map(str::to_owned);
    let rows: Vec<_> = std::iter::once(heads).chain(kept.iter().map(row)).collect();
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let lines = rows.iter().map(|[number, taken, events, cpu, who, user, why]| {
        let line = format!(
            "{number:>0$}  {taken:1$}  {events:>2$}  {cpu:>3$}  {who:4$}  {user:5$}  {why}",
            width(0),
            width(1),
            width(2),
            width(3),
            width(4),
            width(5),
        );
        columns().map_or(line.clone(), |columns| without_end(&line, columns).into_owned())
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn row(snapshot: &KeptSnapshot) -> [String; 7] {
    [
        snapshot.number.to_string(),
        snapshot.taken.date().unwrap_or_else(|| "-".to_owned()),
        snapshot.events.to_string(),
        snapshot.cpu.map_or_else(|| "all".to_owned(), |cpu| cpu.to_string()),
        snapshot.taken.who(),
        snapshot.taken.user(),
        snapshot.taken.why(),
    ]
}
