//! Mistakes that can be enabled, to see that the model finds them.

/// A mistake: one step altered, left out or moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bug {
    /// The algorithm as it should be.
    None,
    /// A view reads what belongs to the tail's page before its second look at the tail.
    ViewReadsBeforeSecondLook,
    /// A view reads the ring's generation after the first numbers of that generation.
    ViewReadsGenerationLast,
    /// `find` gives the oldest page although its first event is after the position.
    FindTakesOldestPage,
    /// Next page stores the slot's number after the page's first event and time stamp.
    NumberAfterPage,
    /// Next page commits the tail before the slot's number.
    NumberAfterTail,
    /// A reader does not look at the slot's number again after the copy.
    NoLookAfterCopy,
    /// The tail and the last time are committed by two stores.
    SplitCommit,
    /// An event's payload is stored after its commit.
    PayloadAfterCommit,
    /// Sections are not restarted.
    Disarmed,
    /// Adoption brings `seen` up to date before it moves the tail.
    SeenBeforeTail,
    /// Sections are not guarded by the number of the tail's page.
    NoNumberGuard,
    /// Sections are not guarded by the tail.
    NoTailGuard,
    /// Readers consume by two stores.
    ConsumeByStores,
    /// Adoption resets `read` before `next_event`.
    ReadResetFirst,
    /// A reader believes the header of the tail's page.
    HeaderOfTailPage,
    /// Next page does not store the old page's length.
    OldPageNotClosed,
    /// Adoption does not store where the ring that it leaves ends.
    RingNotClosed,
    /// A lane is taken from an owner that lives.
    LaneOfLivingOwner,
    /// The slow path does not look at the tail again after it has read the number of its page.
    LookOnce,
    /// Adoption in the same ring starts at that ring's first page, where the tail may be.
    AdoptOverTailPage,
    /// Adoption believes the ring's generation, without looking whether the tail has followed.
    AdoptedByGenerationAlone,
    /// A full ring overwrites events that nobody has read.
    FullIsNotFull,
    /// A gap is recorded by an event's head, which it doesn't fit.
    NoTimeExtend,
    /// A reader of a snapshot looks for it only where the tail has left it.
    KeptOnlyWhenLeft,
    /// A reader does not look whether the block was reset.
    ResetsNotRead,
    /// Sections are not guarded by the count of resets.
    NoResetsGuard,
    /// Adoption leaves the end that the ring had in its former life.
    OldEndStays,
    /// A snapshot is dropped although somebody holds it.
    DiscardHeld,
    /// A place is taken from a holder that lives.
    HoldOfTheLiving,
    /// A ring counts as a snapshot by its entry alone, although it is live.
    KeptWithoutControl,
    /// The time of a snapshot that was not taken stays for the next.
    AnnouncedTimeStays,
    /// Taking memory away does not make those begin again who have seen the ring spare.
    NoEpochAtRelease,
    /// That the tail is elsewhere counts as proof that nobody is on the way to the ring.
    LeftByTailAlone,
    /// A snapshot takes a spare ring whatever its size.
    SnapshotOfAnySize,
    /// A ring gets another size although somebody may be in it.
    ResizedInUse,
    /// Sections are not guarded by the block's parts.
    NoPartsGuard,
    /// A view of what is live does not look whether its ring is the block's live part.
    PartsNotRead,
    /// Parts are exchanged although somebody has looked at them under a newer generation.
    ExchangeTooLate,
    /// A writer adopts a generation and does not say that it has looked at the parts under it.
    WriterDoesNotLook,
    /// So does a holder.
    HolderDoesNotLook,
    /// So does who takes a ring to change it.
    ChangerDoesNotLook,
    /// So does who takes one for a snapshot of the block alone.
    TakerDoesNotLook,
    /// A ring that was taken is its holder's if it is not live, though it may have been meanwhile.
    OwnedByControlAlone,
    /// A ring that is taken for one block's snapshot is not emptied before.
    TakenNotEmptied,
    /// Taking it does not make those begin again who have seen it spare.
    NoEpochAtExchange,
    /// What a killed taker has taken is not a snapshot.
    TakerLosesIt,
    /// What a consumer has looked at where it lies counts as whole if it was there before it looked.
    PlacedWholeByFirstLook,
    /// A page that is where the tail's is counts as the tail's, whatever its number.
    PlacedPageByPlace,
    /// Who says how far it has come does not look whether others have come further.
    PlacedStartNotChecked,
    /// Who begins when a consumer was killed goes on where that one had looked, and not where it had said.
    PlacedCursorOutlivesItsOwner,
}
