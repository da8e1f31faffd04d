//! What can be done wrong.

/// What a mistake is made in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mistake {
    /// The exchange of a thread's own list is a load and a store.
    OwnList,
    /// The exchange of the shared list is one.
    SharedList,
    /// A slot is taken back by loads and stores.
    TakingBack,
    /// What is found at places was there some time ago.
    OldWords,
    /// What was left is looked for where nothing was written over it.
    Impatience,
    /// The slot is given back before the caller's address stands there.
    EarlyGift,
    /// The caller's address stands there before the slot's place says so.
    CallerFirst,
    /// Callers are shown where something else stands by now.
    BlindShowing,
    /// Slots that were jumped to stay on the list of their first one until all are given back.
    LateUnlinking,
    /// See `claims.rs`.
    Claims,
}
