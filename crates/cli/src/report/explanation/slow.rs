//! What was slow.

use super::super::label;
use super::part::{ExplanationPart, PartLine};
use super::{call_name, call_text, from, function};
use crate::duration::duration;
use crate::json::Json;
use crate::number::grouped;
use crate::report::times::Times;
use query::{SlowCall, SlowCalls};
use trace_data::info::TraceInfo;

/// The slowest calls, up to `most`, each with how long such calls take.
pub(in crate::report) fn part(
    slow: &mut SlowCalls,
    times: Times,
    most: usize,
    trace: &TraceInfo<'_>,
) -> ExplanationPart {
    let longest = slow.longest();
    let lines = longest.iter().take(most).map(|call| line(slow, call, times, trace)).collect();
    let title = "Slow, of calls that don't wait for work or locks".to_owned();
    ExplanationPart { title, lines, notes: Vec::new() }
}

fn line(slow: &mut SlowCalls, slowest: &SlowCall, times: Times, trace: &TraceInfo<'_>) -> PartLine {
    let SlowCall { length, call, about } = slowest;
    let name = call_name(call.exit, trace);
    let usual = match slow.usual(call.exit) {
        (..=1, _) => String::new(),
        (count, usual) => format!("; half of {} take up to {}", grouped(count), duration(usual)),
    };
    let start = times.text(call.end.saturating_sub(*length), trace);
    let thread = label(trace.tasks, call.tid);
    let details = format!("{thread} at {}{}{usual}", start.trim(), from(call.caller, trace.symbols));
    PartLine {
        figure: duration(*length),
        what: call_text(name, about.as_ref()),
        details,
        ..PartLine::default()
    }
}

pub(super) fn json(slow: &mut SlowCalls, trace: &TraceInfo<'_>) -> Json {
    let longest = slow.longest();
    let object = |SlowCall { length, call, about }: &SlowCall| {
        let (count, median) = slow.usual(call.exit);
        Json::Object(vec![
            ("duration", Json::Number(*length)),
            ("call", Json::Text(call_name(call.exit, trace).to_owned())),
            ("about", Json::text(about.as_deref())),
            ("tid", Json::Number(call.tid.unsigned_abs().into())),
            ("comm", Json::text(trace.tasks.comm(call.tid))),
            ("start", Json::Number(call.end.saturating_sub(*length))),
            ("caller", Json::text(call.caller.map(|caller| function(caller, trace.symbols)))),
            ("count", Json::Number(count)),
            ("p50", Json::Number(median)),
        ])
    };
    Json::List(longest.iter().map(object).collect())
}
