//! Which functions an instance traces, and the commands that functions have there.

use super::function_command::{CommandKind, FunctionCommand};
use crate::TraceableFunction;
use function_filter::{BadRule, FunctionList, FunctionName, FunctionRule, LISTS, compile};
use std::fmt::Write;

/// One of the lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FunctionFilter {
    /// These are traced, and no others: `set_ftrace_filter`.
    Only,
    /// These are not: `set_ftrace_notrace`.
    Never,
    /// The tracer `function_graph` traces these and what they call: `set_graph_function`.
    GraphRoots,
    /// It traces neither these nor what they call: `set_graph_notrace`.
    GraphHidden,
}

impl FunctionFilter {
    /// All of them, in the order in which they are compiled.
    const ALL: [FunctionFilter; LISTS] = [
        FunctionFilter::Only,
        FunctionFilter::Never,
        FunctionFilter::GraphRoots,
        FunctionFilter::GraphHidden,
    ];

    /// Whether it is for the tracer `function_graph`.
    pub fn is_graph(self) -> bool {
        matches!(self, FunctionFilter::GraphRoots | FunctionFilter::GraphHidden)
    }

    /// What its lines begin with in the file.
    const fn sign(self) -> char {
        match self {
            FunctionFilter::Only => '+',
            FunctionFilter::Never => '-',
            FunctionFilter::GraphRoots => '>',
            FunctionFilter::GraphHidden => '<',
        }
    }
}

/// Which functions an instance traces when a tracer wants any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FunctionLists {
    lists: [FunctionList; LISTS],
    pub(super) commands: Vec<FunctionCommand>,
}

impl FunctionLists {
    /// A list.
    pub fn list(&self, filter: FunctionFilter) -> &FunctionList {
        let [only, never, roots, hidden] = &self.lists;
        match filter {
            FunctionFilter::Only => only,
            FunctionFilter::Never => never,
            FunctionFilter::GraphRoots => roots,
            FunctionFilter::GraphHidden => hidden,
        }
    }

    /// A list, to be changed.
    pub fn list_mut(&mut self, filter: FunctionFilter) -> &mut FunctionList {
        let [only, never, roots, hidden] = &mut self.lists;
        match filter {
            FunctionFilter::Only => only,
            FunctionFilter::Never => never,
            FunctionFilter::GraphRoots => roots,
            FunctionFilter::GraphHidden => hidden,
        }
    }

    /// Whether a function is traced, by its names and that of the file that it is in.
    pub fn wants(&self, name: FunctionName<'_>, object: &[u8]) -> bool {
        let [only, never, ..] = &self.lists;
        (only.is_empty() || only.contains(name, object)) && !never.contains(name, object)
    }

    /// The words that traced processes evaluate.
    pub(super) fn compile(&self) -> Vec<u64> {
        compile(self.lists.each_ref(), self.commands.iter().map(FunctionCommand::compiled))
    }

    /// Reads what [`FunctionLists::print`] writes. What makes no sense is as if nobody had set it.
    pub(super) fn parse(text: &str) -> FunctionLists {
        let of = |filter: FunctionFilter| -> FunctionList {
            let rules: String = text
                .lines()
                .filter_map(|line| line.strip_prefix(filter.sign()))
                .fold(String::new(), |all, rule| all + rule + "\n");
            rules.parse::<FunctionList>().unwrap_or_else(|BadRule| FunctionList::default())
        };
        FunctionLists { lists: FunctionFilter::ALL.map(of), commands: FunctionCommand::parse(text) }
    }

    pub(super) fn print(&self) -> String {
        let mut text = String::new();
        for filter in FunctionFilter::ALL {
            for rule in self.list(filter).to_string().lines() {
                let _ = writeln!(text, "{}{rule}", filter.sign());
            }
        }
        self.commands.iter().for_each(|command| command.print(&mut text));
        text
    }
}

impl FunctionLists {
    /// The commands, the oldest first.
    pub fn commands(&self) -> &[FunctionCommand] {
        &self.commands
    }

    /// The lists alone.
    pub(crate) fn without_commands(self) -> FunctionLists {
        FunctionLists { commands: Vec::new(), ..self }
    }

    /// How many commands a function has: of each kind the oldest that it was given.
    pub(crate) fn commands_of(&self, function: &TraceableFunction) -> usize {
        let mut kinds: Vec<CommandKind> = Vec::new();
        for command in self.commands.iter().filter(|command| command.has(function)) {
            if !kinds.contains(&command.kind) {
                kinds.push(command.kind);
            }
        }
        kinds.len()
    }

    /// Whether none of these functions would get a command of this kind: all that fit have one.
    pub(super) fn have_all(
        &self,
        kind: CommandKind,
        rule: &FunctionRule,
        known: &[TraceableFunction],
    ) -> bool {
        let of_kind = || self.commands.iter().filter(|command| command.kind == kind);
        let mut fitting = known.iter().filter(|function| function.fits(rule)).peekable();
        if fitting.peek().is_none() {
            return of_kind().any(|command| command.functions.added().any(|added| added == rule));
        }
        fitting.all(|function| of_kind().any(|command| command.has(function)))
    }

    pub(super) fn add_command(&mut self, new: FunctionCommand, rule: &FunctionRule) {
        let is_same = |other: &&mut FunctionCommand| other.kind == new.kind && new.target == 0;
        match self.commands.iter_mut().find(is_same).filter(|_| !new.kind.is_counted) {
            Some(same) => same.functions.add(rule),
            None => {
                self.commands.push(new);
                self.commands.last_mut().into_iter().for_each(|new| new.functions.add(rule));
            }
        }
    }

    /// Takes commands of this kind from functions. How many rules or functions have lost one; None where
    /// there are no commands of this kind.
    pub(super) fn remove_commands(
        &mut self,
        kind: CommandKind,
        rule: &FunctionRule,
        known: &[TraceableFunction],
    ) -> Option<usize> {
        self.commands.iter().find(|command| command.kind == kind)?;
        let size = |command: &FunctionCommand| {
            let functions = known.iter().filter(|function| command.has(function)).count();
            (functions, command.functions.added().count())
        };
        let mut removed = 0;
        self.commands.retain_mut(|command| {
            if command.kind != kind {
                return true;
            }
            let before = size(command);
            command.functions.remove(rule);
            let after = size(command);
            removed += before.0 - after.0 + (before.1 - after.1);
            after.1 > 0 && (after.0 > 0 || before.0 == 0)
        });
        Some(removed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CommandText;
    use abi::control::CounterRef;

    pub(super) fn parse(word: &str) -> CommandText {
        CommandText::parse(word).unwrap().unwrap()
    }

    #[test]
    fn commands_are_read_as_they_were_written() {
        let mut lists = FunctionLists::default();
        for (word, counter) in [("f*:traceoff:3", 1), ("g:traceon", 0), ("h:traceon", 0)] {
            let (command, counter) = (parse(word), CounterRef(counter));
            let functions = FunctionList::default();
            let new = FunctionCommand { kind: command.kind(), target: 0, counter, functions };
            lists.add_command(new, &command.functions);
        }
        let mut text = String::new();
        lists.commands.iter().for_each(|command| command.print(&mut text));
        assert_eq!(text, "=traceoff 1 0 1\n:f*\n=traceon 0 0 0\n:g\n:h\n");
        assert_eq!(FunctionCommand::parse(&text), lists.commands);
        assert_eq!(lists.remove_commands(parse("x:traceoff").kind(), &"*".parse().unwrap(), &[]), None);
        assert_eq!(lists.remove_commands(parse("x:traceon").kind(), &"g".parse().unwrap(), &[]), Some(1));
        assert_eq!(lists.remove_commands(parse("x:traceoff:1").kind(), &"*".parse().unwrap(), &[]), Some(1));
        assert_eq!(lists.commands.len(), 1);
    }
}
