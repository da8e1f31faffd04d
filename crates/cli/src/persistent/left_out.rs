//! Events that are left out, or were, as recording costs too much.

use crate::duration::duration;
use crate::json::Json;
use crate::number::grouped;
use crate::persistent::session_time::now;
use session::{Instance, LeftOutEvent};
use std::ops::RangeInclusive;
use trace_data::text::is_nanoseconds;

/// What is said of each that is lacking in a time of the session, the last first.
pub(super) fn lines(session: &Instance, time: &RangeInclusive<u64>) -> Vec<String> {
    let budget = session.budget().map_or_else(String::new, |budget| format!(" of {budget} %"));
    let line = |event: &LeftOutEvent| {
        let LeftOutEvent { name, rate, age, back } = event;
        let when = match back {
            None => format!("has been left out for {}", duration(*age)),
            Some(back) => {
                let length = age.saturating_sub(*back);
                format!("was left out for {}, until {} ago", duration(length), duration(*back))
            }
        };
        format!("{name} {when}: {} a second cost more than the budget{budget}", grouped((*rate).into()))
    };
    lacking(session, time).iter().map(line).collect()
}

/// Events that the time for which a session is complete doesn't hold for, as an addition; nothing where it
/// holds for all.
pub(super) fn exceptions(session: &Instance, time: &RangeInclusive<u64>) -> String {
    let names: Vec<String> = lacking(session, time).into_iter().map(|event| event.name).collect();
    match &names[..] {
        [] => String::new(),
        [name] => format!(", but {name} was left out"),
        [names @ .., last] => format!(", but {} and {last} were left out", names.join(", ")),
    }
}

/// The time since which all events are recorded that are enabled, in the session's clock: now, while any is
/// left out. None where none ever was.
pub(super) fn complete_since(session: &Instance) -> Option<u64> {
    let now = now(session);
    let is_timed = is_timed(session);
    let since =
        |event: LeftOutEvent| event.back.filter(|_| is_timed).map_or(now, |age| now.saturating_sub(age));
    session.left_out().into_iter().map(since).max()
}

/// Those that were left out at any time in this.
fn lacking(session: &Instance, time: &RangeInclusive<u64>) -> Vec<LeftOutEvent> {
    let now = now(session);
    let is_lacking = |event: &LeftOutEvent| {
        let is_past = event.back.is_some_and(|back| now.saturating_sub(back) < *time.start());
        !is_past && now.saturating_sub(event.age) <= *time.end()
    };
    let mut all = session.left_out();
    all.retain(|event| !is_timed(session) || is_lacking(event));
    all
}

/// Whether times of the session are nanoseconds, as ages are.
fn is_timed(session: &Instance) -> bool {
    is_nanoseconds(session.trace_clock().name())
}

/// What `stat --json` says of them.
pub(super) fn json(session: &Instance) -> Json {
    let object = |event: LeftOutEvent| {
        Json::Object(vec![
            ("event", Json::text(Some(event.name))),
            ("per_second", Json::Number(event.rate.into())),
            ("age_ns", Json::Number(event.age)),
            ("back_age_ns", Json::number(event.back)),
        ])
    };
    Json::List(session.left_out().into_iter().map(object).collect())
}
