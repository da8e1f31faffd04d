//! Mistakes. Each must be found, with one thing in between.

use crate::explore::assert_found;
use crate::mistake::Mistake;
use crate::scenarios::TAIL_CALLS_ALONE;
use crate::small::{HANDED_ON, LEFT, SHARED, SHOWN};

/// Defines tests that a mistake is found in a scenario.
macro_rules! mistakes {
    ($($name:ident: $mistake:ident in $scenario:ident;)*) => {
        $(
            #[test]
            fn $name() {
                assert_found(&$scenario, Mistake::$mistake);
            }
        )*
    };
}

mistakes! {
    a_torn_list_of_a_thread_is_found: OwnList in LEFT;
    a_torn_shared_list_is_found: SharedList in SHARED;
    taking_back_step_by_step_is_found: TakingBack in SHOWN;
    looks_of_long_ago_are_found: OldWords in HANDED_ON;
    taking_back_what_may_return_is_found: Impatience in HANDED_ON;
    giving_back_twice_after_a_jump_is_found: LateUnlinking in TAIL_CALLS_ALONE;
    giving_back_too_early_is_found: EarlyGift in SHARED;
    a_caller_that_stands_there_too_early_is_found: CallerFirst in HANDED_ON;
    showing_callers_where_others_are_is_found: BlindShowing in SHOWN;
}
