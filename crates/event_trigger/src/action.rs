//! What triggers can do.

/// An action: a row of [`ACTIONS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Action {
    /// Its name in texts.
    pub name: &'static str,
    /// Whether `:SYSTEM:EVENT` follows the name: its target.
    pub has_target: bool,
    /// Its code in shared memory, the same for good.
    pub code: u8,
    /// When it acts.
    pub order: Order,
    /// An event has one action of each group, for each target. `!` before any of a group removes it.
    group: &'static str,
    /// What it does in its instance.
    pub effect: Effect,
}

/// When an action acts: before its event is written, or after that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Before it.
    Before,
    /// Before it, unless a trigger of the event has to know the record, or that it is written.
    BeforeIfUnconditional,
    /// After it.
    After,
}

/// What an action does in its instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// `tracing_on` becomes 1, or 0.
    SetTracing(bool),
    /// A snapshot is taken.
    TakeSnapshot,
    /// The thread's stack is recorded.
    RecordStack,
    /// The target is enabled, or disabled.
    EnableTarget(bool),
    /// A snapshot is taken, and `tracing_on` becomes 0.
    Dump,
    /// An error is counted; too many at a time take a snapshot.
    CountError,
}

/// All actions, in the kernel's order.
///
/// Source: `register_trigger_cmds` in `kernel/trace/trace_events_trigger.c` of Linux 6.18; the order and the
/// groups of each from its `event_command` there.
#[rustfmt::skip]
pub const ACTIONS: &[Action] = &[
    row("traceon", false, 1, Order::BeforeIfUnconditional, "tracing", Effect::SetTracing(true)),
    row("traceoff", false, 2, Order::After, "tracing", Effect::SetTracing(false)),
    row("snapshot", false, 3, Order::After, "snapshot", Effect::TakeSnapshot),
    row("stacktrace", false, 6, Order::After, "stacktrace", Effect::RecordStack),
    row("enable_event", true, 4, Order::Before, "event", Effect::EnableTarget(true)),
    row("disable_event", true, 5, Order::Before, "event", Effect::EnableTarget(false)),
];

/// Those that functions alone have. The kernel prints what was recorded on its console; here it is kept.
///
/// Source: `ftrace_dump_cmd` in `kernel/trace/trace_functions.c` of Linux 6.18.
const OF_FUNCTIONS: &[Action] = &[row("dump", false, 7, Order::Before, "dump", Effect::Dump)];

/// What counts the errors of a call, see [`crate::ErrorRate`]. It is set by rules of its own.
pub const ERROR_RATE: &Action = &row("error_rate", false, 8, Order::After, "error_rate", Effect::CountError);

const fn row(
    name: &'static str,
    has_target: bool,
    code: u8,
    order: Order,
    group: &'static str,
    effect: Effect,
) -> Action {
    Action { name, has_target, code, order, group, effect }
}

impl Action {
    /// The action of this name.
    pub fn named(name: &str) -> Option<&'static Action> {
        ACTIONS.iter().find(|action| action.name == name)
    }

    /// The action of this name, of functions.
    pub fn of_functions(name: &str) -> Option<&'static Action> {
        ACTIONS.iter().chain(OF_FUNCTIONS).find(|action| action.name == name)
    }

    /// The action of this code. None for a code that none has.
    pub(crate) fn of_code(code: u8) -> Option<&'static Action> {
        ACTIONS.iter().chain(OF_FUNCTIONS).chain([ERROR_RATE]).find(|action| action.code == code)
    }

    /// Whether an event can't have both, if they have the same target.
    pub fn excludes(&self, other: &Action) -> bool {
        self.group == other.group
    }

    /// Whether its event must be written first.
    pub fn is_after(&self) -> bool {
        self.order == Order::After
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_codes_are_found() {
        for action in ACTIONS {
            assert_eq!(Action::named(action.name), Some(action));
            assert_eq!(Action::of_code(action.code), Some(action));
        }
        assert_eq!((Action::of_code(0), Action::of_code(255)), (None, None));
        let dump = Action::of_functions("dump").unwrap();
        assert_eq!((Action::named("dump"), Action::of_code(dump.code)), (None, Some(dump)));
        assert_eq!((Action::named("error_rate"), Action::of_code(8)), (None, Some(ERROR_RATE)));
        assert!(ACTIONS.iter().all(|action| action.code != dump.code && action.code != 8));
    }

    #[test]
    fn the_documentation_has_each() {
        let page = include_str!("../../../docs/triggers.md");
        for action in ACTIONS {
            let name = if action.has_target { "`NAME:SYSTEM:EVENT`" } else { "`NAME`" };
            let name = name.replace("NAME", action.name);
            let mut rows = page.lines().filter(|line| line.starts_with('|'));
            assert!(rows.any(|row| row.contains(&name)), "{name} is in no table of docs/triggers.md");
        }
    }
}
