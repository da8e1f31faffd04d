//! Mistakes: atomic instructions that are none. Each must be found.

use crate::explore::assert_found;
use crate::scenarios;
use crate::stage::Word;

/// Defines tests that a torn word is found in a scenario.
macro_rules! mistakes {
    ($($name:ident: $word:ident in $scenario:ident;)*) => {
        $(
            #[test]
            fn $name() {
                assert_found(&scenarios::$scenario, Word::$word);
            }
        )*
    };
}

mistakes! {
    a_torn_control_word_loses_a_snapshot: Control in SNAPSHOTS;
    a_torn_entry_loses_a_hold: Entries in HOLDERS_OF_ONE;
    a_torn_entry_drops_what_is_held: Entries in DISCARD_AND_HOLD;
    a_torn_entry_gives_a_ring_to_two: Entries in RESERVES;
    a_torn_place_has_two_holders: Holder in HOLDERS_OF_ONE;
    a_torn_place_of_the_dead_has_two_holders: Holder in HOLDERS_FOR_THE_DEAD;
    a_torn_lane_has_two_owners: Owner in LANES_FOR_ALL;
    a_torn_lane_of_the_dead_has_two_owners: Owner in LANES_OF_THE_DEAD;
    a_torn_position_hands_out_twice: Position in CONSUMERS;
    torn_parts_are_exchanged_under_a_reader: Parts in SNAPSHOT_BLOCK_AND_HOLD;
}
