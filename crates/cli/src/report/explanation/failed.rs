//! What has failed.

use super::super::label;
use super::part::{ExplanationPart, PartLine, first_of};
use super::{call_name, call_text, from, function};
use crate::json::Json;
use crate::number::{count, grouped};
use crate::report::times::Times;
use foldhash::HashMap;
use query::{FailedCalls, FailureKind, Failures, how_usual_error};
use std::cmp::Reverse;
use std::rc::Rc;
use trace_data::info::TraceInfo;
use trace_data::text::printable;

/// Calls that have failed, of so many: a line for each kind, up to `most`.
pub(in crate::report) fn part(
    failed: &FailedCalls,
    calls: u64,
    times: Times,
    most: usize,
    trace: &TraceInfo<'_>,
) -> ExplanationPart {
    let groups = groups(failed, most);
    let line = |group: &FailureGroup<'_>| {
        let (tid, caller) = group.last;
        let about = group.abouts.first().map(|(about, _)| *about);
        let others = match group.abouts.len() {
            ..=1 => String::new(),
            abouts => {
                let least = if failed.is_full() { "at least " } else { "" };
                format!(" and {least}{}", count(abouts as u64 - 1, "other", "others"))
            }
        };
        let call = call_text(call_name(group.exit, trace), about);
        let time = times.text(group.time, trace);
        let last = if group.count > 1 { "last at" } else { "at" };
        let thread = label(trace.tasks, tid);
        PartLine {
            figure: format!("{} x", grouped(group.count)),
            what: format!("{call}{others} = {}", error_name(group.error)),
            details: format!("{thread} {last} {}{}", time.trim(), from(caller, trace.symbols)),
            others: others_of(group),
        }
    };
    let title = match failed.count() {
        0 => format!("Failed: none of {}", count(calls, "call", "calls")),
        failures => format!("Failed: {} of {}", grouped(failures), count(calls, "call", "calls")),
    };
    let (shown, more) = first_of(&groups, most, 0, "--calls -F '*_exit: error != 0' shows all");
    let lines: Vec<PartLine> = shown.iter().map(line).collect();
    let none = lines.is_empty().then(|| match calls {
        0 => "the trace has no ends of calls: `-e '*_exit'` enables them".to_owned(),
        _ => "no call has returned an error".to_owned(),
    });
    ExplanationPart { title, lines, notes: more.into_iter().chain(none).collect() }
}

/// What else the failures of a group were about, and how often.
fn others_of(group: &FailureGroup<'_>) -> Vec<String> {
    let others = group.abouts.iter().skip(1);
    others.map(|(about, count)| format!("{} x {}", grouped(*count), printable(about))).collect()
}

/// Failures of a process that differ only in what the calls were about.
#[derive(Debug)]
struct FailureGroup<'a> {
    exit: u16,
    error: i64,
    count: u64,
    /// When the last has ended.
    time: u64,
    /// The thread of the last, and where it has made the call.
    last: (i32, Option<u64>),
    /// What they were about and how often, most often first.
    abouts: Vec<(&'a Rc<str>, u64)>,
}

/// Failures by what they have in common: those first that are less usual, then those that were more often.
fn groups(failed: &FailedCalls, shown: usize) -> Vec<FailureGroup<'_>> {
    let mut groups: Vec<FailureGroup<'_>> = Vec::new();
    let mut places = HashMap::default();
    for (kind, failures) in failed.kinds() {
        let FailureKind { tgid, exit, error, about } = kind;
        let place = *places.entry((tgid, exit, error)).or_insert(groups.len());
        if place == groups.len() {
            let (exit, error, abouts) = (*exit, *error, Vec::new());
            groups.push(FailureGroup { exit, error, count: 0, time: 0, last: (0, None), abouts });
        }
        let group = &mut groups[place];
        group.count += failures.count;
        if failures.times.1 >= group.time {
            (group.time, group.last) = (failures.times.1, failures.last);
        }
        group.abouts.extend(about.as_ref().map(|about| (about, failures.count)));
    }
    // Of the same kind those that happened more often, whatever each was about.
    groups.sort_by_key(|group| (how_usual_error(group.error), Reverse(group.count)));
    // Whatever it is, what happens most often is one of those that are shown.
    let most = groups.iter().enumerate().max_by_key(|(_, group)| group.count).map(|(place, _)| place);
    if let Some(place) = most.filter(|place| *place >= shown) {
        let group = groups.remove(place);
        groups.insert(shown - 1, group);
    }
    groups
}

/// The name of an error, `ENOENT`.
pub(crate) fn error_name(number: i64) -> String {
    let name = u32::try_from(number).ok().and_then(events::error_name);
    name.map_or_else(|| format!("error {number}"), str::to_owned)
}

pub(super) fn json(failed: &FailedCalls, trace: &TraceInfo<'_>) -> Json {
    let object = |(kind, failures): (&FailureKind, &Failures)| {
        let (tid, caller) = failures.last;
        Json::Object(vec![
            ("count", Json::Number(failures.count)),
            ("call", Json::Text(call_name(kind.exit, trace).to_owned())),
            ("error", Json::Text(error_name(kind.error))),
            ("about", Json::text(kind.about.as_deref())),
            ("tgid", Json::Number(kind.tgid.unsigned_abs().into())),
            ("comm", Json::text(trace.tasks.comm(kind.tgid))),
            ("first", Json::Number(failures.times.0)),
            ("last", Json::Number(failures.times.1)),
            ("last_tid", Json::Number(tid.unsigned_abs().into())),
            ("last_caller", Json::text(caller.map(|caller| function(caller, trace.symbols)))),
        ])
    };
    Json::List(failed.kinds().into_iter().map(object).collect())
}
