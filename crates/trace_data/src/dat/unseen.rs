//! Processes of which a recording has nothing, or not everything.

/// A process that a recording does not have, or has in part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnseenProcess {
    /// The process.
    pub pid: u32,
    /// The name of what it ran.
    pub name: String,
    /// Why it isn't seen.
    pub why: String,
    /// Whether some of what it did is recorded.
    pub in_part: bool,
}

impl UnseenProcess {
    pub(super) fn to_text(&self) -> String {
        let part = if self.in_part { "part" } else { "none" };
        let [name, why] = [&self.name, &self.why].map(|text| text.replace(['\n', '\t'], "?"));
        format!("{} {part} {name}\t{why}\n", self.pid)
    }

    /// From its line. None for another one, which is passed over.
    pub(super) fn parse(line: &str) -> Option<UnseenProcess> {
        let (pid, rest) = line.split_once(' ')?;
        let (part, rest) = rest.split_once(' ')?;
        let (name, why) = rest.split_once('\t')?;
        let (name, why) = (name.to_owned(), why.to_owned());
        Some(UnseenProcess { pid: pid.parse().ok()?, name, why, in_part: part == "part" })
    }
}
