//! What ran, and how it has ended.

use super::super::processes::{self, command, outcome};
use super::deaths::Deaths;
use super::part::{ExplanationPart, MOST, PartLine, more};
use crate::duration::duration;
use crate::json::Json;
use crate::number::count;
use query::{ProcessNode, ProcessOutcome, ProcessTree};
use trace_data::info::TraceInfo;

/// The processes at these places, without who has only made them.
pub(super) fn processes<'a>(tree: &'a ProcessTree, order: &[(usize, usize)]) -> Vec<&'a ProcessNode> {
    let nodes = order.iter().map(|(place, _)| &tree.nodes()[*place]);
    nodes.filter(|node| !node.is_only_a_maker()).collect()
}

/// These processes: those first that have failed, then those with more calls.
pub(super) fn part(
    mut shown: Vec<&ProcessNode>,
    knows_processes: bool,
    deaths: &Deaths,
    trace: &TraceInfo<'_>,
) -> ExplanationPart {
    shown.sort_by_key(|node| (how_usual(node.outcome), std::cmp::Reverse(node.calls)));
    let lines = shown.iter().take(MOST).map(|node| line(node, deaths, trace)).collect();
    let unknown = (!knows_processes)
        .then(|| "the trace has no starts and ends of processes: `-e @process` enables them".to_owned());
    let notes = more(shown.len(), "--tree shows all").into_iter().chain(unknown).collect();
    ExplanationPart { title: "Ran".to_owned(), lines, notes }
}

fn line(node: &ProcessNode, deaths: &Deaths, trace: &TraceInfo<'_>) -> PartLine {
    let figure = match node.outcome {
        ProcessOutcome::Running => "runs".to_owned(),
        ProcessOutcome::Unknown => "-".to_owned(),
        of_end => outcome(of_end),
    };
    let start = node.start.unwrap_or(node.seen.0);
    let end = node.end.map_or(node.seen.1, |end| end.time);
    let length = match trace.nanoseconds {
        true => format!("seen for {}, ", duration(end.saturating_sub(start))),
        false => String::new(),
    };
    let calls = count(node.calls, "call", "calls");
    let errors = match node.errors {
        0 => String::new(),
        errors => format!(", {errors} failed"),
    };
    let death = deaths.of(node.pid, matches!(node.outcome, ProcessOutcome::Killed(_)));
    let death = death.map_or(", ".to_owned(), |death| format!("; {death}; "));
    let details = format!("PID {}{death}{length}{calls}{errors}", node.pid);
    PartLine { figure, what: command(node, trace), details }
}

fn how_usual(outcome: ProcessOutcome) -> u8 {
    match outcome {
        ProcessOutcome::Killed(_) => 0,
        ProcessOutcome::Status(1..) => 1,
        _ => 2,
    }
}

pub(super) fn json(tree: &ProcessTree, order: &[(usize, usize)], trace: &TraceInfo<'_>) -> Json {
    let nodes = tree.nodes();
    let parent = |node: &ProcessNode| node.parent.map(|parent| nodes[parent].pid);
    let processes = order.iter().map(|(place, _)| &nodes[*place]);
    Json::List(processes.map(|node| processes::json(node, parent(node), trace)).collect())
}
