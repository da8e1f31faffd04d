//! Which functions an instance traces: its lists, and its tracer.
//!
//! The lists, and commands of functions, are kept as text in a small file next to the session's own, and
//! compiled for traced processes, which apply them to their own code. Whoever is killed between the two
//! leaves that to who changes them next.

use super::Instance;
use super::function_lists::{FunctionFilter, FunctionLists};
use crate::session::{FUNCTIONS, c_path};
use crate::{Error, Lock, Session};
use function_filter::FunctionRule;

impl Session {
    /// The lists of functions of an instance, and their commands.
    pub(crate) fn function_lists_of(&self, index: usize) -> FunctionLists {
        let text = std::fs::read_to_string(self.companion_of(index, FUNCTIONS));
        FunctionLists::parse(&text.unwrap_or_default())
    }
}

impl Instance {
    /// Its lists of functions, and their commands. Cost: reading a small file.
    pub fn function_lists(&self) -> FunctionLists {
        self.session.function_lists_of(self.index)
    }

    /// Changes them. Traced processes follow, if functions are traced: see
    /// [`crate::Session::await_functions`].
    pub fn change_functions(&self, change: impl FnOnce(&mut FunctionLists)) -> Result<(), Error> {
        self.try_change_functions(|lists| {
            change(lists);
            Ok(())
        })
    }

    /// Changes them, unless `change` fails.
    pub(super) fn try_change_functions(
        &self,
        change: impl FnOnce(&mut FunctionLists) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let lock = self.session.lock_settings()?;
        let mut lists = self.function_lists();
        let had_commands = !lists.commands.is_empty();
        change(&mut lists)?;
        self.store_functions(&lists)?;
        self.call_for_functions(had_commands || !lists.commands.is_empty(), &lock);
        Ok(())
    }

    /// Adds functions to a list.
    pub fn add_functions(&self, filter: FunctionFilter, rules: &[FunctionRule]) -> Result<(), Error> {
        self.change_functions(|lists| lists.list_mut(filter).extend(rules))
    }

    /// Has the lists and the commands that another instance has; the commands with counters of their own.
    pub(super) fn take_functions(&self, other: &Instance, lock: &Lock) -> Result<(), Error> {
        let mut lists = other.function_lists();
        let commands = std::mem::take(&mut lists.commands);
        self.store_functions(&lists)?;
        for mut command in commands {
            self.renew_counter(&mut command)?;
            lists.commands.push(command);
            // A counter is in use once its command is stored.
            self.store_functions(&lists)?;
        }
        self.call_for_functions(!lists.commands.is_empty(), lock);
        Ok(())
    }

    fn store_functions(&self, lists: &FunctionLists) -> Result<(), Error> {
        self.session.replace_file(self.index, FUNCTIONS, lists.print().as_bytes())?;
        let words = lists.compile();
        let (path, has_commands) = (c_path(&self.file())?, !lists.commands.is_empty());
        let stored = self.control().set_function_words(&path, self.index, &words, has_commands);
        stored.map_err(|error| Error::errno(self.file(), error))
    }

    /// Has traced processes look which functions are wanted now.
    fn call_for_functions(&self, has_commands: bool, lock: &Lock) {
        let is_profiled = self.control().is_profiling() && self.control().profiled_instance() == self.index;
        if self.traces_functions() || has_commands || is_profiled {
            self.session.call_for_functions(lock);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SessionOptions;

    fn rules(text: &str) -> Vec<FunctionRule> {
        text.split_whitespace().map(|word| word.parse().unwrap()).collect()
    }

    #[test]
    fn lists_are_kept_and_compiled() {
        let directory = tempfile::tempdir().unwrap();
        let options = SessionOptions { buffer_kb: 64, instances: 1, ..SessionOptions::default() };
        let session = Session::create(&directory.path().join("s"), &options).unwrap();
        let other = session.session().create_instance("other").unwrap();
        session.add_functions(FunctionFilter::Only, &rules("read_* commit:mod:shop")).unwrap();
        session.add_functions(FunctionFilter::Never, &rules("read_slow")).unwrap();
        let again = session.again().unwrap();
        let lists = again.function_lists();
        assert_eq!(lists.print(), "+read_*\n+commit:mod:shop\n-read_slow\n");
        assert!(lists.wants(b"read_fast"[..].into(), b"x") && !lists.wants(b"read_slow"[..].into(), b"x"));
        let wants = |instance: &Instance, name: &[u8]| {
            let words = instance.control().function_words(instance.index());
            let word = |index| words.as_ref().and_then(|words| words.get(index));
            function_filter::CompiledLists::new(&word).wants(name.into(), b"shop")
        };
        assert!(wants(&again, b"commit") && wants(&again, b"read_fast") && !wants(&again, b"read_slow"));
        assert_eq!(other.function_lists(), FunctionLists::default());
        assert!(other.control().function_words(other.index()).is_none());
        session.change_functions(|lists| *lists = FunctionLists::default()).unwrap();
        assert!(wants(&session, b"anything"));
        session.set_tracer(&crate::FUNCTION).unwrap();
        session.set_all_off().unwrap();
        assert_eq!(session.tracer().name, "nop", "no tracer is left that records nothing");
    }
}
