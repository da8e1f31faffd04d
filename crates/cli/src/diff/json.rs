//! What differs, as an object in JSON.

use super::side::TraceHead;
use crate::json::Json;
use crate::report::error_name;
use query::{CallDifference, CountDifference, RateUnit, TraceComparison};

/// All of it.
pub(super) fn object(comparison: &TraceComparison, (good, other): &(Vec<TraceHead>, TraceHead)) -> Json {
    Json::Object(vec![
        ("a", Json::List(good.iter().map(head).collect())),
        ("b", head(other)),
        ("scale", decimal(comparison.scale)),
        ("calls", Json::List(comparison.calls.iter().map(call).collect())),
        ("errors", Json::List(comparison.errors.iter().map(count).collect())),
        ("paths", Json::List(comparison.paths.iter().map(count).collect())),
    ])
}

fn head(head: &TraceHead) -> Json {
    Json::Object(vec![
        ("name", Json::Text(head.name.clone())),
        ("events", Json::Number(head.events)),
        ("span", Json::Number(head.span)),
        ("end", Json::number(head.end.map(|(end, _)| end))),
        ("whole", Json::number(head.end.map(|(_, whole)| whole))),
        ("completeness", Json::text(head.complete.as_deref())),
    ])
}

fn call(call: &CallDifference) -> Json {
    let numbers = |pair: [u64; 2]| Json::List(pair.map(Json::Number).to_vec());
    Json::Object(vec![
        ("program", Json::Text(call.program.clone())),
        ("call", Json::Text(call.call.clone())),
        ("per", unit(call.unit)),
        ("rates", decimals(call.rates)),
        ("p50", numbers(call.p50)),
        ("p99", numbers(call.p99)),
        ("times", numbers(call.times.map(|time| time.round() as u64))),
        ("differs_in_rate", Json::Bool(call.differs_in_rate)),
        ("differs_in_length", Json::Bool(call.differs_in_length)),
        ("certain", Json::Bool(call.is_certain)),
    ])
}

fn count(count: &CountDifference) -> Json {
    let (about, others) = count.about.clone().unzip();
    Json::Object(vec![
        ("program", Json::Text(count.program.clone())),
        ("call", Json::text(Some(&count.call).filter(|call| !call.is_empty()))),
        ("error", Json::text(Some(count.error).filter(|error| *error != 0).map(error_name))),
        ("about", Json::text(about)),
        ("others", Json::number(others.map(|others| others as u64))),
        ("per", unit(count.unit)),
        ("rates", decimals(count.rates)),
    ])
}

/// What a rate is for.
fn unit(unit: RateUnit) -> Json {
    let name = match unit {
        RateUnit::Process => "process",
        RateUnit::Second => "second",
    };
    Json::Text(name.to_owned())
}

fn decimals(pair: [f64; 2]) -> Json {
    Json::List(pair.map(decimal).to_vec())
}

fn decimal(value: f64) -> Json {
    Json::Decimal(value)
}
