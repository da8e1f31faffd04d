//! Which functions an instance traces: its lists, and its tracer.
//!
//! The lists are kept as text in a small file next to the session's own, and compiled for traced processes,
//! which apply them to their own code. Whoever is killed between the two leaves that to who changes them
//! next.

use super::Instance;
use crate::session::{FUNCTIONS, c_path};
use crate::{Error, Lock};
use function_filter::{BadRule, FunctionList, FunctionName, FunctionRule, compile};
use std::fmt::Write;

/// One of the lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FunctionFilter {
    /// These are traced, and no others: `set_ftrace_filter`.
    Only,
    /// These are not: `set_ftrace_notrace`.
    Never,
}

/// Which functions an instance traces when a tracer wants any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FunctionLists {
    only: FunctionList,
    never: FunctionList,
}

impl FunctionLists {
    /// A list.
    pub fn list(&self, filter: FunctionFilter) -> &FunctionList {
        match filter {
            FunctionFilter::Only => &self.only,
            FunctionFilter::Never => &self.never,
        }
    }

    /// A list, to be changed.
    pub fn list_mut(&mut self, filter: FunctionFilter) -> &mut FunctionList {
        match filter {
            FunctionFilter::Only => &mut self.only,
            FunctionFilter::Never => &mut self.never,
        }
    }

    /// Whether a function is traced, by its names and that of the file that it is in.
    pub fn wants(&self, name: FunctionName<'_>, object: &[u8]) -> bool {
        (self.only.is_empty() || self.only.contains(name, object)) && !self.never.contains(name, object)
    }

    /// Reads what [`FunctionLists::print`] writes. What makes no sense is as if nobody had set it.
    fn parse(text: &str) -> FunctionLists {
        let of = |sign: char| -> FunctionList {
            let rules: String = text
                .lines()
                .filter_map(|line| line.strip_prefix(sign))
                .fold(String::new(), |all, rule| all + rule + "\n");
            rules.parse::<FunctionList>().unwrap_or_else(|BadRule| FunctionList::default())
        };
        FunctionLists { only: of('+'), never: of('-') }
    }

    fn print(&self) -> String {
        let mut text = String::new();
        for (sign, list) in [('+', &self.only), ('-', &self.never)] {
            for rule in list.to_string().lines() {
                let _ = writeln!(text, "{sign}{rule}");
            }
        }
        text
    }
}

impl Instance {
    /// Its lists of functions. Cost: reading a small file.
    pub fn function_lists(&self) -> FunctionLists {
        let text = std::fs::read_to_string(self.session.companion_of(self.index, FUNCTIONS));
        FunctionLists::parse(&text.unwrap_or_default())
    }
    /// Changes them. Traced processes follow, if functions are traced: see
    /// [`crate::Session::await_functions`].
    pub fn change_functions(&self, change: impl FnOnce(&mut FunctionLists)) -> Result<(), Error> {
        let lock = self.session.lock_settings()?;
        let mut lists = self.function_lists();
        change(&mut lists);
        self.session.replace_file(self.index, FUNCTIONS, lists.print().as_bytes())?;
        self.publish_functions(&lists, &lock)
    }

    /// Adds functions to a list.
    pub fn add_functions(&self, filter: FunctionFilter, rules: &[FunctionRule]) -> Result<(), Error> {
        self.change_functions(|lists| lists.list_mut(filter).extend(rules))
    }

    /// Says to traced processes which functions are wanted now.
    fn publish_functions(&self, lists: &FunctionLists, lock: &Lock) -> Result<(), Error> {
        let words = compile([&lists.only, &lists.never]);
        let stored = self.control().set_function_words(&c_path(&self.file())?, self.index, &words);
        stored.map_err(|error| Error::errno(self.file(), error))?;
        if self.tracer().traces_functions() {
            self.session.call_for_functions(lock);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Session, SessionOptions};

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
    }
}
