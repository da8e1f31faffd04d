//! Why a variable can't be recorded.

/// Why there is nothing to fetch for what somebody has written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoVariable {
    /// It is no variable, nor a part of one.
    #[error("{text:?} is no variable: expected NAME, NAME->MEMBER, NAME.MEMBER, NAME[NUMBER] or *NAME")]
    BadPath {
        /// What was written.
        text: String,
    },
    /// None in scope has the name.
    #[error("no variable {name:?} in scope{}", listed(in_scope, name))]
    Unknown {
        /// The name.
        name: String,
        /// Those that are.
        in_scope: Vec<String>,
    },
    /// The compiler has kept it nowhere.
    #[error("{name} was optimized out")]
    OptimizedOut {
        /// The variable.
        name: String,
    },
    /// It has a place elsewhere in its function.
    #[error("{name} has no value at this instruction")]
    NotHere {
        /// The variable.
        name: String,
    },
    /// Its place has no value before the function's first instructions, or is in a register that isn't known
    /// there.
    #[error("{name} can't be fetched at the function's first instruction")]
    NotAtEntry {
        /// The variable.
        name: String,
    },
    /// Each thread has its own.
    #[error("{name} is thread-local: probes can't find a thread's own variables")]
    ThreadLocal {
        /// The variable.
        name: String,
    },
    /// It is computed from others.
    #[error("{name} is nowhere in one place here: the program computes it")]
    Computed {
        /// The variable.
        name: String,
    },
    /// Probes record integers.
    #[error("{name} is a floating-point number: probes record none; `{name}:x64` records its bits in memory")]
    FloatingPoint {
        /// The variable.
        name: String,
    },
    /// It has members.
    #[error("{name} is a structure{}: name a member{}", called(of), listed(members, ""))]
    Structure {
        /// The variable.
        name: String,
        /// Its type's name.
        of: Option<String>,
        /// Their names.
        members: Vec<String>,
    },
    /// Its type has no such member.
    #[error("no member {member:?}{}{}", of_type(of), listed(members, member))]
    NoMember {
        /// The member.
        member: String,
        /// The type's name.
        of: Option<String>,
        /// Those that there are.
        members: Vec<String>,
    },
    /// It has no members at all.
    #[error("{name} has no members: it is no structure")]
    NoStructure {
        /// The variable.
        name: String,
    },
    /// It isn't followed.
    #[error("{name} is no pointer")]
    NoPointer {
        /// The variable.
        name: String,
    },
    /// It has no elements.
    #[error("{name} is neither an array nor a pointer")]
    NoArray {
        /// The variable.
        name: String,
    },
    /// It has fewer elements.
    #[error("{name} has {count} elements: expected a number below that")]
    NoElement {
        /// The variable.
        name: String,
        /// How many.
        count: u64,
    },
    /// It has too many elements for an event.
    #[error("{name} is an array{}: name an element, as in {name}[0]", count_of(*count))]
    LongArray {
        /// The variable.
        name: String,
        /// How many, if that is said.
        count: Option<u64>,
    },
    /// It is no text.
    #[error("{name} is no string: expected a pointer to characters, or an array of them")]
    NoString {
        /// The variable.
        name: String,
    },
    /// Its type has no form that probes record.
    #[error("{name} has a type that probes can't record; `{name}:TYPE` says which one is meant")]
    UnknownType {
        /// The variable.
        name: String,
    },
}

impl NoVariable {
    /// Whether it may be found at another instruction of the function.
    pub fn is_of_place(&self) -> bool {
        use NoVariable::{Computed, NotAtEntry, NotHere, OptimizedOut, Unknown};
        matches!(
            self,
            NotAtEntry { .. } | NotHere { .. } | Computed { .. } | OptimizedOut { .. } | Unknown { .. }
        )
    }
}

/// The most names that a message lists.
const MOST: usize = 20;

/// Those that there are, the most similar to a name first.
fn listed(names: &[String], name: &str) -> String {
    if names.is_empty() {
        return String::new();
    }
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.sort_by_key(|known| distance(known, name));
    let more = if names.len() > MOST { ", ..." } else { "" };
    names.truncate(MOST);
    format!(": {}{more}", names.join(", "))
}

/// How many letters have to be added, removed or replaced to make one text of another.
fn distance(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.chars().count()).collect();
    for (line, letter) in (1..).zip(one.chars()) {
        let mut diagonal = std::mem::replace(row.first_mut().unwrap_or(&mut 0), line);
        let mut left = line;
        for (above, known) in row.iter_mut().skip(1).zip(other.chars()) {
            let replaced = diagonal + usize::from(known != letter);
            diagonal = *above;
            left = replaced.min(left + 1).min(*above + 1);
            *above = left;
        }
    }
    row.last().copied().unwrap_or(0)
}

fn of_type(name: &Option<String>) -> String {
    name.as_ref().map_or_else(String::new, |name| format!(" in {name}"))
}

fn called(name: &Option<String>) -> String {
    name.as_ref().map_or_else(String::new, |name| format!(", {name}"))
}

fn count_of(count: Option<u64>) -> String {
    count.map_or_else(String::new, |count| format!(" of {count} elements"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_similar_names_come_first() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!((distance("", "abc"), distance("abc", "")), (3, 3));
        let in_scope = ["count", "item", "limit"].map(str::to_string).to_vec();
        let unknown = NoVariable::Unknown { name: "itm".to_string(), in_scope };
        assert_eq!(unknown.to_string(), "no variable \"itm\" in scope: item, limit, count");
    }
}
