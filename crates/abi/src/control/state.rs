//! Who has an entry of a table.

/// The word that says what an entry is good for.
///
/// ```text
/// bits 0..24    owner: whom it describes, or who is filling it: a TID, which is below 2^22, or a placeholder
/// bits 24..32   0 free, 1 claimed (being filled), 2 ready, 3 ended
/// ```
///
/// From free, or from ended where nobody needs the entry any more, to claimed: by compare-exchange. From
/// claimed to ready: by the owner. From ready to ended: by whoever learns of it first. An entry whose owner
/// was killed while it filled it stays claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State(pub u32);

impl State {
    /// Nobody's.
    pub const FREE: State = State(0);

    /// Numbers of owners, from 0 on.
    pub const OWNERS: u32 = 1 << 24;

    const OWNER: u32 = State::OWNERS - 1;

    const fn of(owner: u32, state: u32) -> State {
        State(owner & State::OWNER | state << 24)
    }

    /// Being filled by `owner`.
    pub const fn claimed(owner: u32) -> State {
        State::of(owner, 1)
    }

    /// Valid: `owner` is now what the entry says.
    pub const fn ready(owner: u32) -> State {
        State::of(owner, 2)
    }

    /// Valid: `owner` was what the entry says, until its end time.
    pub const fn ended(owner: u32) -> State {
        State::of(owner, 3)
    }

    /// Whom it belongs to.
    pub const fn owner(self) -> u32 {
        self.0 & State::OWNER
    }

    /// Whether the entry is valid, ended or not.
    pub const fn is_valid(self) -> bool {
        self.0 >> 24 >= 2
    }

    /// Whether what the entry describes has ended.
    pub const fn is_ended(self) -> bool {
        self.0 >> 24 == 3
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_apart() {
        assert!(!State::FREE.is_valid() && !State::claimed(7).is_valid());
        assert!(State::ready(7).is_valid() && !State::ready(7).is_ended());
        assert!(State::ended(7).is_valid() && State::ended(7).is_ended());
        assert_eq!(State::ended(1 << 22).owner(), 1 << 22);
    }
}
