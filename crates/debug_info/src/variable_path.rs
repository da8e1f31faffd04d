//! Variables as people write them: `request->headers[2].name`.

/// A variable, and what is wanted of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct VariablePath {
    pub(crate) name: String,
    /// In the order in which they are gone.
    pub(crate) steps: Vec<PathStep>,
}

/// From a value to a part of it, or to what it points to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PathStep {
    /// A member: of what it points to, where that was asked for.
    Member { name: String, is_arrow: bool },
    /// An element of an array, or of what a pointer points to.
    Element(u64),
    /// What it points to.
    Target,
}

/// The most steps: a probe can't follow as many pointers.
const MOST: usize = 32;

impl VariablePath {
    /// What a text says. None where it is none.
    pub(crate) fn parse(text: &str) -> Option<VariablePath> {
        let inner = text.trim_start_matches('*');
        let targets = text.len() - inner.len();
        let (name, mut rest) = identifier(inner)?;
        let mut steps = Vec::new();
        while !rest.is_empty() && steps.len() < MOST {
            let step;
            (step, rest) = PathStep::parse(rest)?;
            steps.push(step);
        }
        // As in C, what is before a name is done last.
        steps.extend((0..targets).map(|_| PathStep::Target));
        (rest.is_empty() && steps.len() <= MOST).then(|| VariablePath { name: name.to_string(), steps })
    }

    /// What a field is called that is given no name: as its last member, as perf has it.
    pub(crate) fn field_name(&self) -> &str {
        let mut members = self.steps.iter().filter_map(|step| match step {
            PathStep::Member { name, .. } => Some(name.as_str()),
            PathStep::Element(_) | PathStep::Target => None,
        });
        members.next_back().unwrap_or(&self.name)
    }
}

impl PathStep {
    fn parse(text: &str) -> Option<(PathStep, &str)> {
        if let Some(rest) = text.strip_prefix('[') {
            let (number, rest) = rest.split_once(']')?;
            return Some((PathStep::Element(number.parse().ok()?), rest));
        }
        let arrow = text.strip_prefix("->");
        let rest = arrow.or_else(|| text.strip_prefix('.'))?;
        let digits = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
        let (name, rest) = match rest.split_at_checked(digits)? {
            ("", _) => {
                let (name, rest) = identifier(rest)?;
                (name.to_string(), rest)
            }
            // A tuple's, as debug information names it.
            (number, rest) => (format!("__{number}"), rest),
        };
        Some((PathStep::Member { name, is_arrow: arrow.is_some() }, rest))
    }
}

/// The name that a text begins with, and what follows it.
fn identifier(text: &str) -> Option<(&str, &str)> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let end = text.find(|letter| !is_part(letter)).unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(end)?;
    let is_name = name.starts_with(|first: char| is_part(first) && !first.is_ascii_digit());
    is_name.then_some((name, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_c() {
        let member = |name: &str, is_arrow| PathStep::Member { name: name.to_string(), is_arrow };
        let path = VariablePath::parse("**list->items[2].key.0").unwrap();
        let expected = [
            member("items", true),
            PathStep::Element(2),
            member("key", false),
            member("__0", false),
            PathStep::Target,
            PathStep::Target,
        ];
        assert_eq!((path.name.as_str(), path.steps.as_slice()), ("list", &expected[..]));
        assert_eq!(path.field_name(), "__0");
        assert_eq!(VariablePath::parse("count").unwrap().field_name(), "count");
        for wrong in ["", "*", "1", "a.", "a->", "a[", "a[x]", "a[-1]", "a b", "a->b-c", "a..b", "é?"] {
            assert_eq!(VariablePath::parse(wrong), None, "{wrong}");
        }
        assert_eq!(VariablePath::parse(&"*".repeat(99)), None);
        assert_eq!(VariablePath::parse(&format!("a{}", "[0]".repeat(33))), None);
    }
}
