//! A command of functions.

use crate::TraceableFunction;
use abi::control::{CounterRef, TriggerHead};
use event_trigger::{Action, Effect};
use function_filter::{CompiledCommand, FunctionList};
use std::fmt::Write;

/// A command, and the functions that have it. One that was added later does nothing for functions that have
/// one of its kind already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionCommand {
    pub(super) kind: CommandKind,
    pub(super) target: u16,
    pub(super) counter: CounterRef,
    pub(super) functions: FunctionList,
}

/// Of two commands of a kind a function has the older one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CommandKind {
    pub(super) action: &'static Action,
    pub(super) is_counted: bool,
}

impl FunctionCommand {
    /// The functions that it was given to, those included that have an older one of its kind.
    pub fn functions(&self) -> &FunctionList {
        &self.functions
    }

    /// Whether a function can't have both.
    pub fn excludes(&self, other: &FunctionCommand) -> bool {
        self.kind == other.kind
    }

    /// The id of the event that it enables or disables; else 0.
    pub(super) fn target(&self) -> u16 {
        self.target
    }

    /// Whether it can enable that.
    pub(super) fn enables(&self) -> bool {
        self.kind.action.effect == Effect::EnableTarget(true)
    }

    /// What [`function_filter::compile`] takes. A word with the counted ones' bit says which kind it is.
    pub(super) fn compiled(&self) -> CompiledCommand<'_> {
        let CommandKind { action, is_counted } = self.kind;
        let head = TriggerHead {
            action: action.code,
            detail: 0,
            target: self.target,
            program: is_counted.into(),
            text: 0,
        };
        ([head.encode(), self.counter.0], &self.functions)
    }

    pub(super) fn has(&self, function: &TraceableFunction) -> bool {
        function.is_in(&self.functions)
    }

    /// Reads what [`FunctionCommand::print`] writes: lines with their signs.
    pub(super) fn parse(text: &str) -> Vec<FunctionCommand> {
        let mut found: Vec<FunctionCommand> = Vec::new();
        for line in text.lines() {
            if let Some(head) = line.strip_prefix('=') {
                found.extend(FunctionCommand::parse_head(head));
            } else if let (Some(rule), Some(last)) = (line.strip_prefix(':'), found.last_mut()) {
                let rules = format!("{}{rule}\n", last.functions).parse();
                last.functions = rules.unwrap_or_default();
            }
        }
        found
    }

    fn parse_head(text: &str) -> Option<FunctionCommand> {
        let mut words = text.split(' ');
        let action = Action::of_functions(words.next()?)?;
        let mut number = || words.next()?.parse::<u64>().ok();
        Some(FunctionCommand {
            kind: CommandKind { action, is_counted: number()? != 0 },
            target: number()?.try_into().ok()?,
            counter: CounterRef(number()?),
            functions: FunctionList::default(),
        })
    }

    pub(super) fn print(&self, text: &mut String) {
        let CommandKind { action, is_counted } = self.kind;
        let (counted, counter) = (u8::from(is_counted), self.counter.0);
        let _ = writeln!(text, "={} {counted} {} {counter}", action.name, self.target);
        for rule in self.functions.to_string().lines() {
            let _ = writeln!(text, ":{rule}");
        }
    }
}
