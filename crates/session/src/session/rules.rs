//! The rules by which events of programs are enabled when programs bring them.

use super::Session;
use crate::Error;
use abi::control::RULES;
use control::Rule;

impl Session {
    /// Replaces the rules of an instance, which are given as [`Instance::rules`] has them.
    pub(crate) fn replace_rules(&self, instance: usize, rules: &str) -> Result<(), Error> {
        let mut buffer = [0; RULES];
        let before = self.control().rules(&mut buffer).lines().filter_map(Rule::parse);
        let others = before.filter(|rule| rule.instance != instance);
        let own = rules.lines().filter_map(Rule::parse).map(|rule| Rule { instance, ..rule });
        let all: String = others.chain(own).map(|rule| format!("{rule}\n")).collect();
        let replaced = self.control().set_rules(&all);
        if replaced { Ok(()) } else { Err(Error::TooManyRules { path: self.path().to_path_buf() }) }
    }
}
