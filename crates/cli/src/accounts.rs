//! Users and groups, by name and number, as the system's files have them.

use std::fs::read_to_string;

const USERS: &str = "/etc/passwd";
const GROUPS: &str = "/etc/group";

/// A user's number, given by name or number.
pub(crate) fn user_id(name: &str) -> Option<u32> {
    id(name, USERS)
}

/// A group's number, given by name or number.
pub(crate) fn group_id(name: &str) -> Option<u32> {
    id(name, GROUPS)
}

/// A user's name, or his number where he has none.
pub(crate) fn user_name(uid: u32) -> String {
    let users = read_to_string(USERS).unwrap_or_default();
    let name = users.lines().filter_map(name_and_id).find(|(_, id)| *id == uid);
    name.map_or_else(|| uid.to_string(), |(name, _)| name.to_owned())
}

fn id(name: &str, file: &str) -> Option<u32> {
    name.parse().ok().or_else(|| {
        let lines = read_to_string(file).ok()?;
        lines.lines().filter_map(name_and_id).find(|(found, _)| *found == name).map(|(_, id)| id)
    })
}

/// The name and the number that a line of either file begins with: `NAME:PASSWORD:ID:`.
fn name_and_id(line: &str) -> Option<(&str, u32)> {
    let mut fields = line.split(':');
    let name = fields.next()?;
    Some((name, fields.nth(1)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_are_known_by_each_other() {
        assert_eq!((user_id("root"), group_id("root")), (Some(0), Some(0)));
        assert_eq!((user_id("4711"), group_id("4711")), (Some(4711), Some(4711)));
        assert_eq!((user_id("no such user"), group_id("no such group")), (None, None));
        assert_eq!((user_name(0).as_str(), user_name(4_000_000_000).as_str()), ("root", "4000000000"));
        assert_eq!(name_and_id("www-data:x:33:33:www-data:/var/www:/bin/sh"), Some(("www-data", 33)));
        assert_eq!(name_and_id("+::::::"), None);
    }
}
