//! What is wanted of functions.

use super::commands::{self, Replacement};
use super::common_case::CommonCase;
use super::objects::TracedObject;
use super::probes::{self, ProbePlacement};
use super::wanted::Wanted;
use abi::instance::{GRAPH_ARGUMENTS, NO_HANDLERS, PROFILE, RECORDING, RETURN_ADDRESSES};
use control::{ControlArea, InstanceSet};
use function_filter::{CompiledLists, FunctionName};

/// What is wanted of functions.
pub(super) struct Wishes<'a> {
    pub(super) control: &'a ControlArea,
    /// The instances that trace calls of some.
    pub(super) tracing: InstanceSet,
    /// Those that trace their calls and returns.
    pub(super) graphing: InstanceSet,
    /// The instance whose lists say which are profiled, if any is to be.
    pub(super) profile: Option<usize>,
    pub(super) commands: &'a Replacement<'a>,
    pub(super) probes: &'a ProbePlacement<'a>,
}

impl Wishes<'_> {
    pub(super) fn is_any(&self) -> bool {
        !self.tracing.is_empty()
            || !self.graphing.is_empty()
            || self.profile.is_some()
            || self.commands.has_any()
            || self.probes.is_any()
    }

    /// Whether it may be that somebody wants a function of an object: of one without sites of a compiler all
    /// are asked, until its functions were looked up.
    pub(super) fn may_want(&self, object: &TracedObject) -> bool {
        object.is_built
            || !object.sites.all().is_empty()
            || self.probes.is_in(object)
            || object.has_function(&|name| self.of(name, object.name(), false).is_any())
    }

    /// Which common case it is.
    pub(super) fn common_case(&self) -> CommonCase {
        if commands::is_any() {
            return CommonCase::None;
        }
        if probes::is_any() {
            return if self.is_probed_alone() { CommonCase::Probes } else { CommonCase::None };
        }
        let is_plain = |instance| {
            let control = self.control;
            control.instance_flags(instance) & (RETURN_ADDRESSES | GRAPH_ARGUMENTS | NO_HANDLERS) == 0
                && self.lists(instance).is_none_or(|lists| !lists.has_graph())
        };
        match (self.tracing.is_empty(), self.graphing.is_empty(), self.profile) {
            (false, true, None) => CommonCase::Calls,
            (true, false, None) if self.graphing == InstanceSet::FIRST && is_plain(RECORDING) => {
                CommonCase::Graph
            }
            (true, true, Some(_)) => CommonCase::Profile,
            _ => CommonCase::None,
        }
    }

    /// Whether nothing but probes are wanted, and no return is to be seen.
    fn is_probed_alone(&self) -> bool {
        let is_traced = !self.tracing.is_empty() || !self.graphing.is_empty() || self.profile.is_some();
        !is_traced && !self.probes.is_any_of_returns()
    }

    /// Who wants a function of an object. One that was not built to be traced has to be named.
    pub(super) fn of(&self, name: FunctionName<'_>, object: &[u8], is_built: bool) -> Wanted {
        let commands = self.commands.bits(name, object, is_built);
        let mut wanted = Wanted { commands, ..Wanted::default() };
        self.tracing.for_each(|instance| {
            if self.is_listed(instance, name, object, is_built) {
                wanted.instances = wanted.instances.with(instance);
            }
        });
        self.graphing.for_each(|instance| {
            let role = self.lists(instance).map(|lists| lists.graph(name, object));
            if self.is_listed(instance, name, object, is_built) {
                wanted.graphed = wanted.graphed.with(instance);
            }
            if role.is_none_or(|role| role.is_root) {
                wanted.graph_roots = wanted.graph_roots.with(instance);
            }
            if role.is_some_and(|role| role.is_hidden) {
                wanted.graph_hidden = wanted.graph_hidden.with(instance);
            }
        });
        if self.profile.is_some_and(|instance| self.is_listed(instance, name, object, is_built)) {
            wanted.graphed = wanted.graphed.with(PROFILE);
        }
        wanted
    }

    /// Whether the lists of an instance let a function be traced.
    fn is_listed(&self, instance: usize, name: FunctionName<'_>, object: &[u8], is_built: bool) -> bool {
        match self.lists(instance) {
            None => is_built,
            Some(lists) if is_built => lists.wants(name, object),
            Some(lists) => lists.naming().wants(name, object),
        }
    }

    fn lists(&self, instance: usize) -> Option<CompiledLists<impl Fn(usize) -> Option<u64> + Copy>> {
        let words = self.control.function_words(instance)?;
        Some(CompiledLists::new(move |index| words.get(index)))
    }
}
