//! What the files of lists of functions read.

use crate::top::available_functions::line;
use crate::trace_array::TraceArray;
use session::{
    FunctionCommand, FunctionFilter, FunctionList, FunctionLists, FunctionRule, TraceableFunction,
};

/// The functions of a list, and what was written and fits none of them.
pub(super) fn show_list(
    filter: FunctionFilter,
    list: &FunctionList,
    functions: &[TraceableFunction],
) -> String {
    if list.is_empty() {
        let text = match filter {
            FunctionFilter::Only | FunctionFilter::GraphRoots => "#### all functions enabled ####\n",
            FunctionFilter::Never | FunctionFilter::GraphHidden => "#### no functions disabled ####\n",
        };
        return text.to_string();
    }
    let found: String = functions.iter().filter(|function| function.is_in(list)).map(line).collect();
    let waiting: Vec<&FunctionRule> = list.added().filter(|rule| !fits_any(rule, functions)).collect();
    // Those for objects come after the others, the newest first.
    let of_objects = waiting.iter().rev().filter(|rule| rule.object.is_some());
    let waiting = waiting.iter().filter(|rule| rule.object.is_none()).chain(of_objects);
    found + &waiting.map(|rule| format!("{rule}\n")).collect::<String>()
}

/// A line for each function and each of its commands: `FUNC:traceoff:count=3`. Of one kind all are together,
/// and the kind that came last is first, as in the kernel.
pub(super) fn show_commands(
    array: &TraceArray,
    lists: &FunctionLists,
    functions: &[TraceableFunction],
) -> String {
    let commands = lists.commands();
    let is_first_of_kind = |index: usize, command: &FunctionCommand| {
        !commands.iter().take(index).any(|other| other.excludes(command))
    };
    let mut kinds: Vec<_> =
        commands.iter().enumerate().filter(|(index, command)| is_first_of_kind(*index, command)).collect();
    kinds.reverse();
    let mut text = String::new();
    for (_, first) in kinds {
        let mut left: Vec<&TraceableFunction> = functions.iter().collect();
        for command in commands.iter().filter(|command| command.excludes(first)) {
            let info = array.instance().describe_command(command);
            let (found, rest) = left.into_iter().partition(|function| function.is_in(command.functions()));
            left = rest;
            let found: Vec<&TraceableFunction> = found;
            let waiting = command.functions().added().filter(|rule| !fits_any(rule, functions));
            text.extend(found.into_iter().map(|function| format!("{}:{info}\n", function.name())));
            text.extend(waiting.map(|rule| format!("{rule}:{info}\n")));
        }
    }
    text
}

/// Whether a rule means any of these functions.
pub(super) fn fits_any(rule: &FunctionRule, functions: &[TraceableFunction]) -> bool {
    functions.iter().any(|function| function.fits(rule))
}
