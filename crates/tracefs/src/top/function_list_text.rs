//! What the files of lists of functions read.

use crate::top::available_functions::line;
use crate::trace_array::TraceArray;
use session::{
    FunctionCommand, FunctionFilter, FunctionList, FunctionLists, FunctionRule, TraceableFunction,
};
use std::collections::HashSet;
use std::sync::OnceLock;

/// The functions of a list, and what was written and fits none of them.
pub(super) fn show_list(filter: FunctionFilter, list: &FunctionList, functions: &KnownFunctions) -> String {
    if list.is_empty() {
        let text = match filter {
            FunctionFilter::Only | FunctionFilter::GraphRoots => "#### all functions enabled ####\n",
            FunctionFilter::Never | FunctionFilter::GraphHidden => "#### no functions disabled ####\n",
        };
        return text.to_string();
    }
    let found: String = functions.all.iter().filter(|function| function.is_in(list)).map(line).collect();
    let waiting: Vec<&FunctionRule> = list.added().filter(|rule| !functions.have(rule)).collect();
    // Those for objects come after the others, the newest first.
    let of_objects = waiting.iter().rev().filter(|rule| rule.object.is_some());
    let waiting = waiting.iter().filter(|rule| rule.object.is_none()).chain(of_objects);
    found + &waiting.map(|rule| format!("{rule}\n")).collect::<String>()
}

/// A line for each function and each of its commands: `FUNC:traceoff:count=3`. Of one kind all are together,
/// and the kind that came last is first, as in the kernel.
pub(super) fn show_commands(array: &TraceArray, lists: &FunctionLists, functions: &KnownFunctions) -> String {
    let commands = lists.commands();
    let is_first_of_kind = |index: usize, command: &FunctionCommand| {
        !commands.iter().take(index).any(|other| other.excludes(command))
    };
    let mut kinds: Vec<_> =
        commands.iter().enumerate().filter(|(index, command)| is_first_of_kind(*index, command)).collect();
    kinds.reverse();
    let mut text = String::new();
    for (_, first) in kinds {
        let mut left: Vec<&TraceableFunction> = functions.all.iter().collect();
        for command in commands.iter().filter(|command| command.excludes(first)) {
            let info = array.instance().describe_command(command);
            let (found, rest) = left.into_iter().partition(|function| function.is_in(command.functions()));
            left = rest;
            let found: Vec<&TraceableFunction> = found;
            let waiting = command.functions().added().filter(|rule| !functions.have(rule));
            text.extend(found.into_iter().map(|function| format!("{}:{info}\n", function.name())));
            text.extend(waiting.map(|rule| format!("{rule}:{info}\n")));
        }
    }
    text
}

/// The functions of programs that have run.
#[derive(Default)]
pub(super) struct KnownFunctions {
    /// In the order of `available_filter_functions`.
    pub(super) all: Vec<TraceableFunction>,
    /// What they are called: made when it is asked for.
    names: OnceLock<HashSet<String>>,
}

impl KnownFunctions {
    pub(super) fn of(array: &TraceArray) -> KnownFunctions {
        KnownFunctions { all: array.instance().session().traceable_functions(), names: OnceLock::new() }
    }

    /// Whether one of them is called so.
    pub(super) fn have_name(&self, name: &str) -> bool {
        let names = || self.all.iter().flat_map(|function| &function.names);
        let words = || names().flat_map(|name| name.path.iter().chain([&name.symbol])).cloned().collect();
        self.names.get_or_init(words).contains(name)
    }

    /// Whether a rule means any of them.
    pub(super) fn have(&self, rule: &FunctionRule) -> bool {
        match rule.is_name() {
            true => self.have_name(&rule.pattern),
            false => self.all.iter().any(|function| function.fits(rule)),
        }
    }

    /// Whether a rule is about objects of which functions are known: else it waits for them.
    pub(super) fn are_of_its_objects(&self, rule: &FunctionRule) -> bool {
        self.all.iter().any(|function| rule.fits_object(function.object.as_bytes()))
    }
}
