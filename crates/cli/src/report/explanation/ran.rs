//! What ran, and how it has ended.

use super::super::processes::{self, command, outcome};
use super::deaths::Deaths;
use super::part::{ExplanationPart, MOST, PartLine, first_of};
use crate::duration::duration;
use crate::json::Json;
use crate::number::{count, grouped};
use foldhash::HashMap;
use query::{ProcessNode, ProcessOutcome, ProcessTree};
use std::cmp::Reverse;
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
    shown.sort_by_key(|node| (how_usual(node.outcome), Reverse(node.calls)));
    let groups = groups(&shown);
    let unknown = (!knows_processes)
        .then(|| "the trace has no starts and ends of processes: `-e @process` enables them".to_owned());
    let (shown, more) = first_of(&groups, MOST, usize::from(unknown.is_some()), "--tree shows all");
    let lines = shown.iter().map(|group| line(group, deaths, trace)).collect();
    let notes = more.into_iter().chain(unknown).collect();
    ExplanationPart { title: "Ran".to_owned(), lines, notes }
}

/// Those that have run the same program, and ended in the same way, in the order of the first of each.
fn groups<'a>(shown: &[&'a ProcessNode]) -> Vec<Vec<&'a ProcessNode>> {
    let mut groups: Vec<Vec<&ProcessNode>> = Vec::new();
    let mut places = HashMap::default();
    for node in shown {
        // Of what hasn't executed a program it isn't known.
        let program = node.filename.as_deref().map(|filename| (filename, outcome(node.outcome)));
        let place = program.map_or(groups.len(), |program| *places.entry(program).or_insert(groups.len()));
        match groups.get_mut(place) {
            Some(group) => group.push(node),
            None => groups.push(vec![node]),
        }
    }
    groups
}

/// The line of processes that have run the same program: one of them, and how many others there are.
fn line(group: &[&ProcessNode], deaths: &Deaths, trace: &TraceInfo<'_>) -> PartLine {
    let Some((first, rest)) = group.split_first() else { return PartLine::default() };
    let figure = match first.outcome {
        ProcessOutcome::Running => "runs".to_owned(),
        ProcessOutcome::Unknown => "-".to_owned(),
        of_end => outcome(of_end),
    };
    let others = match rest.len() {
        0 => String::new(),
        others => format!(" and {}", count(others as u64, "other", "others")),
    };
    let longest = group.iter().map(|node| seen_for(node)).max().unwrap_or(0);
    let length = match (trace.nanoseconds, rest.is_empty()) {
        (false, _) => String::new(),
        (true, true) => format!("seen for {}, ", duration(longest)),
        (true, false) => format!("seen for {} at most, ", duration(longest)),
    };
    let calls = count(group.iter().map(|node| node.calls).sum(), "call", "calls");
    let errors = match group.iter().map(|node| node.errors).sum() {
        0 => String::new(),
        errors => format!(", {} failed", grouped(errors)),
    };
    let death =
        deaths.of(first.pid, is_killed(first)).map_or(", ".to_owned(), |death| format!("; {death}; "));
    let details = format!("PID {}{others}{death}{length}{calls}{errors}", first.pid);
    PartLine { figure, what: command(first, trace), details, ..PartLine::default() }
}

/// From its start, or when it was seen first, to its end, or when it was seen last.
fn seen_for(node: &ProcessNode) -> u64 {
    let end = node.end.map_or(node.seen.1, |end| end.time);
    end.saturating_sub(node.start.unwrap_or(node.seen.0))
}

/// Whether a signal has killed a process.
pub(in crate::report) fn is_killed(node: &ProcessNode) -> bool {
    matches!(node.outcome, ProcessOutcome::Killed(_))
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
