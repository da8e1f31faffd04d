//! Mistakes that the model has to find, each in one scenario. That the same scenario is in order without
//! the mistake is the scenario's own test.

// What the mistake is, where it is found, and the law that does not hold then.
macro_rules! seeded {
    ($($name:ident: $bug:ident in $scenario:ident breaks $law:literal;)*) => {
        $(#[test] fn $name() {
            crate::assert_found(crate::bug::Bug::$bug, stringify!($scenario), $law);
        })*
    };
}

seeded! {
    payload_after_commit: PayloadAfterCommit in next_page breaks "R4";
    view_reads_before_second_look: ViewReadsBeforeSecondLook in count_written breaks "R5";
    view_reads_generation_last: ViewReadsGenerationLast in count_cleared breaks "R5";
    find_takes_oldest_page: FindTakesOldestPage in read_overwritten breaks "R5";
    number_after_page: NumberAfterPage in read_overwritten breaks "R2";
    number_after_tail: NumberAfterTail in next_page breaks "R5";
    no_look_after_copy: NoLookAfterCopy in read_overwritten breaks "R4";
    header_of_tail_page: HeaderOfTailPage in first_writers breaks "R6";
    old_page_not_closed: OldPageNotClosed in first_writers breaks "R5";
    ring_not_closed: RingNotClosed in switch breaks "R14";
    split_commit: SplitCommit in next_page breaks "R2";
    disarmed: Disarmed in clear breaks "R4";
    seen_before_tail: SeenBeforeTail in switch breaks "R3";
    no_number_guard: NoNumberGuard in lap breaks "R5";
    no_tail_guard: NoTailGuard in next_page breaks "R2";
    no_parts_guard: NoPartsGuard in lap_adopting breaks "R5";
    look_once: LookOnce in lap breaks "R5";
    adopt_over_tail_page: AdoptOverTailPage in read_cleared breaks "R3";
    adopted_by_generation_alone: AdoptedByGenerationAlone in clear breaks "R3";
    consume_by_stores: ConsumeByStores in two_consume_cleared breaks "R8";
    read_reset_first: ReadResetFirst in full_cleared breaks "R5";
    full_is_not_full: FullIsNotFull in full breaks "R5";
    no_time_extend: NoTimeExtend in gap breaks "R7";
    lane_of_living_owner: LaneOfLivingOwner in lane_cleared breaks "R4";
    kept_only_when_left: KeptOnlyWhenLeft in switch breaks "R14";
    old_end_stays: OldEndStays in half_adopted breaks "R2";
    resets_not_read: ResetsNotRead in read_cleared_block breaks "R5";
    no_resets_guard: NoResetsGuard in clear_block breaks "R3";
    discard_held: DiscardHeld in discard_held breaks "R14";
    hold_of_the_living: HoldOfTheLiving in two_keepers breaks "R14";
    kept_without_control: KeptWithoutControl in keep_what_is_taken breaks "R13";
    announced_time_stays: AnnouncedTimeStays in two_snapshots_in_two_rings breaks "R13";
    no_epoch_at_release: NoEpochAtRelease in release breaks "R15";
    left_by_tail_alone: LeftByTailAlone in release_used breaks "R15";
    snapshot_of_any_size: SnapshotOfAnySize in resize_and_snapshots breaks "R16";
    no_epoch_at_resize: NoEpochAtRelease in resize_and_snapshot breaks "R16";
    resized_in_use: ResizedInUse in resize_used breaks "R17";
    exchange_too_late: ExchangeTooLate in exchange_and_clear breaks "R14";
    writer_does_not_look: WriterDoesNotLook in exchange_and_clear breaks "R14";
    holder_does_not_look: HolderDoesNotLook in exchange_and_keep breaks "R18";
    changer_does_not_look: ChangerDoesNotLook in exchange_and_release breaks "R18";
    taker_does_not_look: TakerDoesNotLook in exchange_and_exchange breaks "R18";
    owned_by_control_alone: OwnedByControlAlone in release_kept breaks "R13";
    parts_not_read: PartsNotRead in exchange breaks "R5";
    taken_not_emptied: TakenNotEmptied in exchange_and_back breaks "R18";
    no_epoch_at_exchange: NoEpochAtExchange in exchange_or_snapshot breaks "R13";
    taker_loses_it: TakerLosesIt in killed_taker breaks "R13";
    placed_whole_by_first_look: PlacedWholeByFirstLook in placed_overwritten breaks "R4";
    placed_page_by_place: PlacedPageByPlace in placed_overwritten breaks "R6";
    placed_start_not_checked: PlacedStartNotChecked in placed_and_consumer breaks "R8";
    placed_consume_by_stores: ConsumeByStores in placed_and_consumer breaks "R5";
    placed_cursor_outlives_its_owner: PlacedCursorOutlivesItsOwner in placed_killed breaks "R6";
}
