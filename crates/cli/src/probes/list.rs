//! The list of probes.

use super::event;
use crate::failure::Done;
use crate::json::Json;
use crate::stdout::print;
use anstyle::Style;
use session::{Instance, ProbeCounts, SessionProbe};
use std::fmt::Write;
use trace_data::text::printable;

/// Lists the probes of a session: whether they are enabled in an instance of it.
pub(super) fn list(instance: &Instance, is_json: bool) -> Done {
    let probes: Vec<ListedProbe> =
        instance.session().probes().into_iter().map(|probe| ListedProbe::new(instance, probe)).collect();
    if is_json {
        return print(Json::List(probes.iter().map(ListedProbe::json).collect()));
    }
    if probes.is_empty() {
        return print("no probes; `lookback probe DEFINITION` defines one");
    }
    print(table(&probes).trim_end())
}

/// A probe, and what has become of it.
struct ListedProbe {
    probe: SessionProbe,
    is_enabled: bool,
    hits: ProbeCounts,
}

impl ListedProbe {
    fn new(instance: &Instance, probe: SessionProbe) -> ListedProbe {
        let is_enabled = instance.control().is_enabled(probe.event, instance.index());
        let hits = instance.session().probe_hits(&probe);
        ListedProbe { probe, is_enabled, hits }
    }

    fn json(&self) -> Json {
        let definition = &self.probe.definition;
        Json::Object(vec![
            ("event", Json::Text(event(&self.probe))),
            ("enabled", Json::Bool(self.is_enabled)),
            ("hits", Json::Number(self.hits.hits)),
            ("missed", Json::Number(self.hits.missed)),
            ("file", Json::text(Some(&definition.path))),
            ("offset", Json::Number(definition.offset)),
            ("definition", Json::text(Some(definition))),
        ])
    }
}

fn table(probes: &[ListedProbe]) -> String {
    let bold = Style::new().bold();
    let width = probes.iter().map(|probe| event(&probe.probe).len()).max().unwrap_or(0).max("EVENT".len());
    let mut text = format!(
        "{bold}{:<width$}  {:<8}  {:>10}  {:>8}  PLACE{bold:#}\n",
        "EVENT", "STATE", "HITS", "MISSED"
    );
    for ListedProbe { probe, is_enabled, hits } in probes {
        let state = if *is_enabled { "enabled" } else { "disabled" };
        let (name, place) = (event(probe), place(probe));
        let (hits, missed) = (hits.hits, hits.missed);
        let arguments: String = probe.definition.arguments.iter().fold(String::new(), |text, argument| {
            format!("{text} {}={}", argument.name, argument.expression)
        });
        let arguments = printable(&arguments).into_owned();
        let _ = writeln!(text, "{name:<width$}  {state:<8}  {hits:>10}  {missed:>8}  {place}{arguments}");
    }
    text
}

/// Where a probe is.
pub(super) fn place(probe: &SessionProbe) -> String {
    let (path, offset) = (printable(&probe.definition.path), probe.definition.offset);
    let is_return = if probe.is_return() { "%return" } else { "" };
    format!("{path}:{offset:#x}{is_return}")
}
