//! The functions that are traced now: those whose sites are enabled.

use super::{Session, TraceableFunction, TracedBy};
use crate::this_process::may_run;
use crate::{FunctionFilter, FunctionLists};
use abi::control::FunctionsOffReason;
use abi::instance::INSTANCES;
use control::ProcessInfo;
use events::ftrace::{FUNCGRAPH_ENTRY_ID, FUNCTION_ID};
use std::collections::HashSet;

/// A function whose sites are enabled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnabledFunction {
    /// The function.
    pub function: TraceableFunction,
    /// How many want it: tracers of instances, commands, and the profile.
    pub users: usize,
}

/// What an instance wants of functions, or the profile.
struct Wish {
    lists: FunctionLists,
    is_tracing: bool,
}

impl Session {
    /// The functions that are traced now in any process: not those of processes that have not followed yet,
    /// see [`Session::pending_functions`].
    ///
    /// Cost: reading the tables of symbols of the files that traced processes have mapped.
    pub fn enabled_functions(&self) -> Vec<EnabledFunction> {
        let wishes = self.wishes();
        if wishes.is_empty() {
            return Vec::new();
        }
        let mapped = self.objects_that_follow();
        let mut functions = self.traceable_where(&|object| mapped.contains(&object));
        for wish in wishes.iter().filter(|wish| wish.is_tracing) {
            let named = wish.lists.list(FunctionFilter::Only);
            let named = self.unbuilt_where(named, &|object| mapped.contains(&object));
            let new =
                named.into_iter().filter(|found| found.obstacle.is_none() && !functions.contains(found));
            let new: Vec<TraceableFunction> = new.collect();
            functions.extend(new);
        }
        let enabled = functions.into_iter().map(|function| {
            let users = wishes.iter().map(|wish| wish.users(&function)).sum();
            EnabledFunction { function, users }
        });
        enabled.filter(|enabled| enabled.users > 0).collect()
    }

    fn wishes(&self) -> Vec<Wish> {
        if !self.is_tracing_functions_allowed() {
            return Vec::new();
        }
        let control = self.control();
        let tracing =
            |index| [FUNCTION_ID, FUNCGRAPH_ENTRY_ID].iter().any(|id| control.is_enabled(*id, index));
        let wish = |index| Wish { lists: self.function_lists_of(index), is_tracing: tracing(index) };
        let profile = control.is_profiling().then(|| {
            let lists = self.function_lists_of(control.profiled_instance()).without_commands();
            Wish { lists, is_tracing: true }
        });
        let wanting = (0..INSTANCES).filter(|index| tracing(*index) || control.has_commands(*index));
        wanting.map(wish).chain(profile).collect()
    }

    /// The files that processes have mapped which trace what is wanted now.
    fn objects_that_follow(&self) -> HashSet<u32> {
        let wanted = self.control().functions_wanted();
        let may_run = may_run();
        let follows = |process: &ProcessInfo| {
            process.end_time == 0 && process.functions_done == wanted && may_run(process)
        };
        let processes = self.control().processes().filter(follows);
        processes.flat_map(|process| self.objects_traced_in(process.entry)).collect()
    }

    /// The files that a process has mapped, but for those that it can't trace.
    fn objects_traced_in(&self, process: u32) -> impl Iterator<Item = u32> {
        let off = self.control().functions_off(process);
        let is_traced = move |object: &u32| {
            off.is_none_or(|off| off.reason == FunctionsOffReason::NoSpace && off.object != Some(*object))
        };
        self.control().maps(process).map(|map| map.object).filter(is_traced)
    }
}

impl Wish {
    fn users(&self, function: &TraceableFunction) -> usize {
        let (only, never) = (self.lists.list(FunctionFilter::Only), self.lists.list(FunctionFilter::Never));
        let is_wanted = match only.is_empty() {
            true => function.traced_by == Some(TracedBy::Site),
            false => function.is_in(only),
        };
        let is_traced = self.is_tracing && is_wanted && !function.is_in(never);
        usize::from(is_traced) + self.lists.commands_of(function)
    }
}
