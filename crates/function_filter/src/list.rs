//! A list of functions, as it is changed.

use crate::function_name::FunctionName;
use crate::rule::{BadRule, FunctionRule};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;
use std::vec::Vec;

/// Which functions are in a list: names and patterns in the order in which they were added, and some that
/// leave functions out again. Of those that fit a function the last counts.
///
/// Invariants: a rule that leaves functions out comes after one that takes some in; no rule is there twice.
#[derive(Debug, Clone, Default)]
pub struct FunctionList {
    pub(crate) rules: Vec<ListedRule>,
    /// Made when it is asked for the first time, and forgotten when rules change.
    lookup: OnceLock<RuleLookup>,
}

impl PartialEq for FunctionList {
    fn eq(&self, other: &FunctionList) -> bool {
        self.rules == other.rules
    }
}

impl Eq for FunctionList {}

#[derive(Debug, Clone)]
pub(crate) struct ListedRule {
    pub(crate) takes_in: bool,
    pub(crate) rule: FunctionRule,
    /// Whether it is a name, and no later pattern says otherwise of it: then its place doesn't matter. May be
    /// false where such a pattern has been removed.
    pub(crate) is_final: bool,
}

impl PartialEq for ListedRule {
    fn eq(&self, other: &ListedRule) -> bool {
        (self.takes_in, &self.rule) == (other.takes_in, &other.rule)
    }
}

impl Eq for ListedRule {}

/// The rules of a list, by what they are looked up by.
#[derive(Debug, Clone)]
struct RuleLookup {
    /// The names whose place doesn't matter, and whether they take functions in.
    names: HashMap<Vec<u8>, bool>,
    /// The numbers of the others.
    patterns: Vec<usize>,
}

impl RuleLookup {
    fn of(rules: &[ListedRule]) -> RuleLookup {
        let named = rules.iter().filter(|listed| listed.is_final);
        RuleLookup {
            names: named.map(|listed| (listed.rule.pattern.as_bytes().to_vec(), listed.takes_in)).collect(),
            patterns: (0..)
                .zip(rules)
                .filter(|(_, listed)| !listed.is_final)
                .map(|(number, _)| number)
                .collect(),
        }
    }
}

impl FunctionList {
    /// Whether nothing was added: then there is no list, which is not the same as one of no functions.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// What was added and not removed as it was added.
    pub fn added(&self) -> impl Iterator<Item = &FunctionRule> {
        self.rules.iter().filter(|listed| listed.takes_in).map(|listed| &listed.rule)
    }

    /// Whether a function is in it. Takes time in proportion to the number of patterns; the first time after
    /// a change to that of names, too.
    pub fn contains(&self, name: FunctionName<'_>, object: &[u8]) -> bool {
        let lookup = self.lookup.get_or_init(|| RuleLookup::of(&self.rules));
        let names = [Some(name.symbol), name.path].into_iter().flatten();
        let found = names.filter_map(|name| lookup.names.get(name)).copied().reduce(|one, other| one | other);
        found.unwrap_or_else(|| {
            let patterns = lookup.patterns.iter().rev().filter_map(|number| self.rules.get(*number));
            let mut fitting = patterns.filter(|listed| listed.rule.fits(name, object));
            fitting.next().is_some_and(|listed| listed.takes_in)
        })
    }

    /// Adds the functions that a rule means.
    pub fn add(&mut self, rule: &FunctionRule) {
        self.rules.retain(|other| other.rule != *rule && (other.takes_in || !covers(rule, &other.rule)));
        self.push(true, rule);
    }

    /// Adds the functions that several rules mean, as [`FunctionList::add`] does for each. Takes time in
    /// proportion to the number of names, and for each pattern again.
    pub fn extend(&mut self, rules: &[FunctionRule]) {
        let mut names = HashSet::with_capacity(rules.len());
        if !self.is_empty() {
            names.extend(rules.iter().filter(|rule| rule.is_name()));
            self.rules.retain(|other| !names.contains(&other.rule));
            names.clear();
        }
        self.rules.reserve(rules.len());
        for rule in rules {
            if !rule.is_name() {
                self.add(rule);
            } else if names.insert(rule) {
                self.push(true, rule);
            }
        }
    }

    /// Removes the functions that a rule means. When the last that was added is removed, there is no list any
    /// more.
    pub fn remove(&mut self, rule: &FunctionRule) {
        self.rules.retain(|other| other.rule != *rule && !covers(rule, &other.rule));
        self.lookup = OnceLock::new();
        let may_have = |other: &FunctionRule| !other.is_name() || rule.fits_some(other);
        if self.added().any(may_have) {
            self.push(false, rule);
        } else if self.added().next().is_none() {
            self.rules.clear();
        }
    }

    fn push(&mut self, takes_in: bool, rule: &FunctionRule) {
        let is_name = rule.is_name();
        let others = if is_name { &mut [] } else { self.rules.as_mut_slice() };
        for other in others.iter_mut().filter(|other| other.is_final) {
            other.is_final = other.takes_in == takes_in || !rule.fits_some(&other.rule);
        }
        self.lookup = OnceLock::new();
        self.rules.push(ListedRule { takes_in, rule: rule.clone(), is_final: is_name });
    }
}

/// Whether a rule means all that another one means. Only where that is certain: all that a pattern fits is
/// fit by one of texts and `*` that fits its text.
fn covers(rule: &FunctionRule, other: &FunctionRule) -> bool {
    let is_plain = !rule.pattern.contains(['?', '[', '\\']) && !other.pattern.contains('\\');
    (other.is_name() || is_plain) && rule.fits(other.pattern.as_bytes().into(), b"") && rule.object.is_none()
}

/// A line for each rule.
impl fmt::Display for FunctionList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rules.iter().try_for_each(|listed| {
            f.write_str(if listed.takes_in { "" } else { "!" })?;
            listed.rule.fmt(f)?;
            f.write_str("\n")
        })
    }
}

impl FromStr for FunctionList {
    type Err = BadRule;

    fn from_str(text: &str) -> Result<FunctionList, BadRule> {
        let mut list = FunctionList::default();
        for line in text.lines() {
            let (line, takes_in) = line.strip_prefix('!').map_or((line, true), |line| (line, false));
            list.push(takes_in, &line.parse()?);
        }
        Ok(list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CompiledLists, GraphRole, LISTS, compile};
    use proptest::prelude::*;
    use std::format;
    use std::string::{String, ToString};

    fn rule(text: &str) -> FunctionRule {
        text.parse().unwrap()
    }

    fn list(words: &[&str]) -> FunctionList {
        let mut list = FunctionList::default();
        for word in words {
            match word.strip_prefix('!') {
                Some(removed) => list.remove(&rule(removed)),
                None => list.add(&rule(word)),
            }
        }
        list
    }

    #[test]
    fn what_comes_later_counts() {
        let functions = list(&["vfs_*", "!vfs_r*", "vfs_read"]);
        let has = |name: &str| functions.contains(name.as_bytes().into(), b"");
        assert!(has("vfs_read") && has("vfs_open") && !has("vfs_rmdir") && !has("sys_open"));
        assert_eq!(functions.to_string(), "vfs_*\n!vfs_r*\nvfs_read\n");
    }

    #[test]
    fn a_pattern_of_some_objects_says_otherwise_of_a_name_there_only() {
        let has = |words: &[&str], object: &str| list(words).contains(b"a"[..].into(), object.as_bytes());
        let (back, out) = (["?", "!a", "?:mod:x"], ["a", "!a:mod:x"]);
        assert!(has(&back, "x") && !has(&back, "y"));
        assert!(has(&out, "y") && !has(&out, "x"));
    }

    #[test]
    fn the_last_that_is_removed_leaves_no_list() {
        assert!(list(&["a", "b", "!a", "!b"]).is_empty());
        assert!(list(&["a", "b", "!*"]).is_empty());
        assert!(list(&["a*", "!a*"]).is_empty());
        assert!(list(&["ab*", "a[bc]*", "a?:mod:x", "!a*"]).is_empty());
        assert!(!list(&["a*", "!a?"]).is_empty() && !list(&["[ab]", "!a*"]).is_empty());
        assert!(!list(&["a*", "!ab"]).is_empty());
        assert!(list(&["!a"]).is_empty(), "what is not in it");
        assert_eq!(list(&["a", "!a*", "a"]), list(&["a"]));
    }

    #[test]
    fn words_that_are_no_rules_are_refused() {
        for text in ["", "a b", "f:traceoff", "f:snapshot:1", "a:mod"] {
            assert_eq!(text.parse::<FunctionRule>(), Err(BadRule), "{text}");
        }
        assert_eq!(rule("core::fmt::write").object, None);
        assert_eq!(rule("shop::mod::write").object, None);
        assert_eq!(rule("*:mod:libm*").to_string(), ":mod:libm*");
        assert_eq!(rule(":mod:libm*"), rule("*:mod:libm*"));
        assert_eq!(rule(":mod:!libm"), rule("*:mod:!libm"));
        assert!(
            rule("f:mod:!libm").fits(b"f"[..].into(), b"shop")
                && !rule("f:mod:!libm").fits(b"f"[..].into(), b"libm")
        );
        assert_eq!(rule("f:mod:"), rule("f"));
    }

    #[test]
    fn commands_have_lists_of_their_own() {
        let (none, commands) =
            (FunctionList::default(), [list(&["vfs_*", "!vfs_read"]), list(&["vfs_read"])]);
        let words =
            compile([&none; LISTS], [1, 2].into_iter().zip(&commands).map(|(code, list)| ([code, 7], list)));
        let visited = |words: &[u64], name: &str| {
            let mut visited = Vec::new();
            let lists = CompiledLists::new(|index| words.get(index).copied());
            lists.commands(name.as_bytes().into(), b"shop", &mut |own, is_meant| {
                visited.push((own, is_meant))
            });
            visited
        };
        assert_eq!(visited(&words, "vfs_open"), [([1, 7], true), ([2, 7], false)]);
        assert_eq!(visited(&words, "vfs_read"), [([1, 7], false), ([2, 7], true)]);
        assert_eq!(visited(&words[..words.len() - 2], "vfs_open").len(), 1, "the second is damaged");
        assert_eq!(visited(&[], "vfs_open"), []);
    }

    proptest! {
        #[test]
        fn compiled_lists_say_what_lists_say(
            words in prop::collection::vec("!?[ab*]{1,3}(:mod:!?[xy*]{1,2})?", 0..12),
            name in "[ab]{1,3}",
            path in prop::option::of("[ab]{1,3}"),
            object in "[xy]{1,2}",
        ) {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let quarter = words.len().div_ceil(LISTS).max(1);
            let others = std::iter::repeat_with(FunctionList::default);
            let mut parts = words.chunks(quarter).map(list).chain(others);
            let [traced, not, roots, hidden] = std::array::from_fn(|_| parts.next().unwrap());
            let compiled = compile([&traced, &not, &roots, &hidden], [].into_iter());
            let lists = CompiledLists::new(|index| compiled.get(index).copied());
            let path = path.as_ref().map(|path| path.as_bytes());
            let (name, object) = (FunctionName { symbol: name.as_bytes(), path }, object.as_bytes());
            let is_traced = traced.is_empty() || traced.contains(name, object);
            let expected = is_traced && !not.contains(name, object);
            prop_assert_eq!(lists.wants(name, object), expected);
            let role = GraphRole {
                is_root: roots.is_empty() || roots.contains(name, object),
                is_hidden: hidden.contains(name, object),
            };
            prop_assert_eq!(lists.graph(name, object), role);
            prop_assert_eq!(lists.has_graph(), !roots.is_empty() || !hidden.is_empty());
            prop_assert_eq!(format!("{traced}").parse::<FunctionList>().unwrap(), traced);
        }

        #[test]
        fn several_are_added_as_one_by_one(
            before in prop::collection::vec("!?[ab*]{1,3}", 0..6),
            rules in prop::collection::vec("[ab*]{1,3}(:mod:[xy*]{1,2})?", 0..8),
            name in "[ab]{1,3}",
            object in "[xy]{1,2}",
        ) {
            let before: Vec<&str> = before.iter().map(String::as_str).collect();
            let (mut together, mut apart) = (list(&before), list(&before));
            let rules: Vec<FunctionRule> = rules.iter().map(|text| rule(text)).collect();
            together.extend(&rules);
            rules.iter().for_each(|rule| apart.add(rule));
            let has = |list: &FunctionList| list.contains(name.as_bytes().into(), object.as_bytes());
            prop_assert_eq!(has(&together), has(&apart));
            let added = |list: &FunctionList| -> HashSet<_> { list.added().cloned().collect() };
            prop_assert_eq!(added(&together), added(&apart));
            prop_assert_eq!(together.added().count(), apart.added().count());
        }

        #[test]
        fn what_was_added_or_removed_last_holds(
            words in prop::collection::vec("!?[ab*?]{1,3}(:mod:!?[xy*]{1,2})?", 1..12),
            name in "[ab]{1,3}",
            object in "[xy]{1,2}",
        ) {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let (name, object) = (FunctionName::from(name.as_bytes()), object.as_bytes());
            let (last, before) = words.split_last().unwrap();
            let (is_in, was_in) = (list(&words).contains(name, object), list(before).contains(name, object));
            let (last, adds) = last.strip_prefix('!').map_or((*last, true), |last| (last, false));
            let expected = if rule(last).fits(name, object) { adds } else { was_in };
            prop_assert_eq!(is_in, expected);
        }

        #[test]
        fn any_words_are_evaluated(
            words in prop::collection::vec(any::<u64>(), 0..40),
            name in "[a-z]{0,9}",
        ) {
            CompiledLists::new(|index| words.get(index).copied()).wants(name.as_bytes().into(), b"x");
            let small: Vec<u64> = words.iter().map(|word| word & 0x0000_0003_0000_0303).collect();
            let lists = CompiledLists::new(|index| small.get(index).copied());
            lists.wants(name.as_bytes().into(), b"x");
            lists.graph(name.as_bytes().into(), b"x");
            lists.has_graph();
            lists.commands(name.as_bytes().into(), b"x", &mut |_, _| ());
        }
    }
}
