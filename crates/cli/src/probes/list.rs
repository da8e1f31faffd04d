//! The list of probes.

use super::unrecorded::UnrecordedProbe;
use super::{event, place_of};
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
    let unrecorded = UnrecordedProbe::all(instance);
    let unrecorded: String = unrecorded.iter().map(|found| format!("\n{}\n", found.text())).collect();
    print(format!("{}{unrecorded}", table(&probes)).trim_end())
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
            ("unplaced", Json::Number(self.hits.unplaced)),
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
        let (name, place) = (event(probe), place_of(probe));
        let (hits, missed) = (hits.hits, hits.missed);
        let arguments: String = probe.definition.arguments.iter().fold(String::new(), |text, argument| {
            format!("{text} {}={}", argument.name, argument.expression)
        });
        let arguments = printable(&arguments).into_owned();
        let _ = writeln!(text, "{name:<width$}  {state:<8}  {hits:>10}  {missed:>8}  {place}{arguments}");
    }
    text
}
