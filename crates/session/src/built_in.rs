//! The events that every session has.

/// An event that every session has: one of the agent's, or `ftrace:print`, which messages of programs are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuiltIn {
    /// Its id.
    pub id: u16,
    /// Its system.
    pub system: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its class; messages have none.
    pub class: Option<&'static str>,
    /// What stands in its `format` file behind the fields that every event has.
    pub own_format: String,
}

/// The fields that every event has, as `format` files list them.
const COMMON_FIELDS: &str = "\
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;
";

/// The whole text of an event's `format` file.
pub(crate) fn format_file(name: &str, id: u16, own_format: &str) -> String {
    format!("name: {name}\nID: {id}\nformat:\n{COMMON_FIELDS}\n{own_format}")
}

impl BuiltIn {
    /// All of them.
    pub fn all() -> impl Iterator<Item = BuiltIn> {
        let (system, name) = abi::site::PRINT;
        let own_format = trace_event::PRINT_FORMAT.to_string();
        let print = BuiltIn { id: trace_event::PRINT_ID, system, name, class: None, own_format };
        let agents = agent::events().map(|listed| BuiltIn {
            id: listed.id,
            system: listed.event.system,
            name: listed.event.name,
            class: Some(listed.class),
            own_format: listed.event.format().to_string(),
        });
        agents.chain([print])
    }

    /// The whole text of its `format` file.
    pub fn format(&self) -> String {
        format_file(self.name, self.id, &self.own_format)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, Session};

    #[test]
    fn a_new_session_has_these_and_no_others() {
        let directory = tempfile::tempdir().unwrap();
        let options = Options { buffer_kb: 64, ..Options::default() };
        let session = Session::create(&directory.path().join("s"), &options).unwrap();
        let mut built_in: Vec<_> = BuiltIn::all().map(|event| (event.id, event.format())).collect();
        built_in.sort();
        let known: Vec<_> = session
            .events()
            .filter(|event| ![crate::RAW_DATA_ID, trace_event::STACK_ID].contains(&event.id))
            .map(|event| (event.id, event.format))
            .collect();
        assert_eq!(built_in, known);
    }
}
