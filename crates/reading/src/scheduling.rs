//! How a thread is scheduled, as the system says it now.

use crate::process_stat::fields_after_name;
use std::os::unix::fs::MetadataExt;

/// A thread's user, and how it is scheduled. All 0 where the thread is gone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Scheduling {
    /// Its user.
    pub uid: u32,
    /// Its nice value.
    pub nice: i64,
    /// The number of its policy.
    pub policy: u32,
    /// Its priority, with a policy for real time.
    pub rt_priority: u32,
}

impl Scheduling {
    /// That of a thread of this PID namespace, now.
    pub fn of(tid: u32) -> Scheduling {
        let text = std::fs::read_to_string(format!("/proc/{tid}/stat")).unwrap_or_default();
        let uid = std::fs::metadata(format!("/proc/{tid}")).map_or(0, |found| found.uid());
        Scheduling::parse(&text, uid).unwrap_or_default()
    }

    /// Reads `/proc/PID/stat`.
    fn parse(text: &str, uid: u32) -> Option<Scheduling> {
        let fields: Vec<&str> = fields_after_name(text)?.collect();
        let field = |number: usize| fields.get(number - 3).copied();
        Some(Scheduling {
            uid,
            nice: field(19)?.parse().ok()?,
            policy: field(41)?.parse().ok()?,
            rt_priority: field(40)?.parse().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_look_like_fields() {
        let rest: Vec<String> = (4..53).map(|field| field.to_string()).collect();
        let text = format!("77 (a) S 1) S {}\n", rest.join(" "));
        let expected = Scheduling { uid: 9, nice: 19, policy: 41, rt_priority: 40 };
        assert_eq!(Scheduling::parse(&text, 9), Some(expected));
        assert_eq!(Scheduling::parse("77 (gone", 9), None);
    }
}
