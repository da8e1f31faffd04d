//! Scenarios of few steps, in every order in which more comes in between.

use crate::actor::{Actor, Handlers};
use crate::explore::assert_always_holds;
use crate::scenarios::Scenario;

/// Defines scenarios, each with its test: so much comes in between.
macro_rules! small {
    ($(
        $name:ident, $test:ident: $most:literal between, $slots:literal slots, $lost:literal lost,
        $handlers:expr, $acts:expr;
    )*) => {
        $(
            pub static $name: Scenario =
                Scenario { slots: $slots, lost: $lost, handlers: $handlers, acts: &$acts };

            #[test]
            fn $test() {
                assert_always_holds(&$name, $most);
            }
        )*
    };
}

small! {
    LEFT, two_handlers_come_at_any_steps:
        2 between, 2 slots, 1 lost, Handlers::Jumping(2), [calls_and_jumps];
    HANDED_ON, a_slot_changes_hands_while_it_is_taken_back:
        4 between, 1 slots, 1 lost, Handlers::None, [calls_again, takes_back];
    SHARED, threads_share_slots_with_handlers_at_any_steps:
        2 between, 2 slots, 1 lost, Handlers::Jumping(1), [calls, calls];
    SHOWN, callers_are_shown_while_a_slot_is_taken_back:
        3 between, 1 slots, 1 lost, Handlers::None, [traces, takes_back];
    LEFT_SHOWN, handlers_jump_while_callers_are_shown_at_any_steps:
        2 between, 2 slots, 1 lost, Handlers::Jumping(1), [traces, takes_back];
    JUMPED, jumped_functions_are_left_and_taken_back_at_any_steps:
        2 between, 3 slots, 3 lost, Handlers::Jumping(1), [jumps_on, takes_back];
    ELSEWHERE, functions_return_elsewhere_at_any_steps:
        3 between, 1 slots, 1 lost, Handlers::None, [calls_elsewhere, returns_elsewhere, takes_back];
}

fn calls(actor: &Actor) {
    actor.or_jump(|actor| actor.call(|_| ()));
}

fn calls_again(actor: &Actor) {
    for _ in 0..2 {
        actor.or_jump(|actor| actor.call(|_| ()));
    }
}

fn calls_and_jumps(actor: &Actor) {
    actor.or_jump(|actor| actor.call(|actor| actor.jump()));
    actor.or_jump(|actor| actor.call(|_| ()));
}

fn takes_back(actor: &Actor) {
    actor.or_jump(|actor| actor.take_back());
}

fn traces(actor: &Actor) {
    actor.or_jump(|actor| actor.call(|actor| actor.jump()));
    actor.or_jump(|actor| actor.cover_and_trace());
    actor.or_jump(|actor| actor.call(|actor| actor.trace()));
}

fn jumps_on(actor: &Actor) {
    actor.or_jump(|actor| {
        actor.call(|actor| {
            actor.jump_on();
            actor.jump();
        })
    });
    actor.or_jump(|actor| actor.cover());
}

fn calls_elsewhere(actor: &Actor) {
    actor.or_jump(|actor| actor.call_elsewhere(0));
}

fn returns_elsewhere(actor: &Actor) {
    actor.or_jump(|actor| actor.return_from_elsewhere());
}
