//! What two or three threads do at a time.

use crate::actor::{Actor, Handlers};
use crate::explore::{assert_always_holds, assert_often_holds};

/// So many slots, what comes in between, and what each thread does.
pub struct Scenario {
    pub slots: usize,
    pub handlers: Handlers,
    /// How many slots each jump loses at most.
    pub lost: usize,
    pub acts: &'static [fn(&Actor)],
}

/// Defines scenarios, each with its tests: in orders that are chosen at random, and in every one in which
/// one thing comes in between.
macro_rules! scenarios {
    ($(
        $name:ident, $test:ident: $slots:literal slots, $lost:literal lost, $handlers:expr, $acts:expr;
    )*) => {
        $(
            pub static $name: Scenario =
                Scenario { slots: $slots, lost: $lost, handlers: $handlers, acts: &$acts };

            #[test]
            fn $test() {
                assert_always_holds(&$name, 1);
                assert_often_holds(&$name);
            }
        )*
    };
}

scenarios! {
    ALONE, handlers_come_at_any_step: 3 slots, 1 lost, Handlers::Returning(3), [calls_and_jumps];
    ALONE_LEFT, handlers_jump_at_any_step: 3 slots, 1 lost, Handlers::Jumping(2), [calls_and_jumps];
    CALLS, threads_share_slots: 3 slots, 1 lost, Handlers::Returning(2), [calls, calls];
    TAKING_BACK, slots_are_taken_back_while_they_change_hands:
        2 slots, 1 lost, Handlers::None, [calls_again, calls_and_jumps, takes_back];
    TWO_TAKE_BACK, two_take_back_the_same:
        2 slots, 1 lost, Handlers::None, [calls_again, takes_back, takes_back];
    ONE_SLOT, two_take_back_one: 1 slots, 1 lost, Handlers::None, [calls_often, takes_often, takes_often];
    ALL, handlers_come_while_slots_are_taken_back:
        3 slots, 1 lost, Handlers::Returning(1), [calls_and_jumps, calls, takes_back];
    ALL_JUMP, handlers_jump_while_slots_are_taken_back:
        3 slots, 1 lost, Handlers::Jumping(1), [calls_and_jumps, calls, takes_back];
    TRACES, callers_are_shown_while_slots_are_taken_back:
        2 slots, 1 lost, Handlers::None, [traces, takes_back, takes_back];
    TRACES_JUMP, handlers_jump_while_callers_are_shown:
        3 slots, 1 lost, Handlers::Jumping(2), [traces, takes_back];
    // With the slot that is taken back those of the two functions that were jumped to.
    TAIL_CALLS_JUMP, functions_that_jump_on_are_left_together:
        4 slots, 3 lost, Handlers::Jumping(1), [jumps_on, takes_back];
    TAIL_CALLS_ALONE, functions_that_jump_on_are_left_and_taken_back:
        4 slots, 3 lost, Handlers::Jumping(1), [jumps_on_and_takes_back];
    TAIL_CALLS, functions_that_jump_on_return_together:
        4 slots, 1 lost, Handlers::Returning(2), [jumps_on, takes_back];
    COROUTINES, functions_return_in_other_threads:
        3 slots, 1 lost, Handlers::Returning(1), [calls_elsewhere, returns_elsewhere, takes_back];
    COROUTINES_JUMP, functions_are_left_in_other_threads:
        3 slots, 1 lost, Handlers::Jumping(1), [calls_elsewhere, returns_elsewhere, takes_back];
}

fn calls(actor: &Actor) {
    for _ in 0..2 {
        actor.or_jump(|actor| actor.call(|actor| actor.call(|_| ())));
    }
}

/// At one place.
fn calls_again(actor: &Actor) {
    for _ in 0..4 {
        actor.or_jump(|actor| actor.call(|_| ()));
    }
}

fn calls_often(actor: &Actor) {
    (0..3).for_each(|_| calls_again(actor));
}

fn takes_often(actor: &Actor) {
    (0..3).for_each(|_| takes_back(actor));
}

fn calls_and_jumps(actor: &Actor) {
    for _ in 0..3 {
        actor.or_jump(|actor| actor.call(|actor| actor.call(|actor| actor.jump())));
        actor.or_jump(|actor| actor.call(|_| ()));
    }
}

fn takes_back(actor: &Actor) {
    for _ in 0..3 {
        actor.or_jump(|actor| actor.take_back());
    }
}

/// Traces the stack, also where functions were left and others lie.
fn traces(actor: &Actor) {
    for _ in 0..2 {
        actor.or_jump(|actor| actor.call(|actor| actor.call(|actor| actor.jump())));
        actor.or_jump(|actor| {
            actor.call(|actor| {
                actor.trace();
                actor.call(|actor| actor.trace());
            })
        });
    }
}

fn jumps_on(actor: &Actor) {
    for _ in 0..2 {
        actor.or_jump(|actor| {
            actor.call(|actor| {
                actor.jump_on();
                actor.jump_on();
            })
        });
        actor.or_jump(|actor| actor.cover());
        actor.or_jump(|actor| {
            actor.call(|actor| {
                actor.jump_on();
                actor.jump();
            })
        });
    }
}

fn jumps_on_and_takes_back(actor: &Actor) {
    actor.or_jump(|actor| {
        actor.call(|actor| {
            actor.jump_on();
            actor.jump_on();
        })
    });
    actor.or_jump(|actor| actor.cover());
    actor.or_jump(|actor| actor.take_back());
    actor.or_jump(|actor| actor.call(|actor| actor.call(|actor| actor.call(|_| ()))));
}

fn calls_elsewhere(actor: &Actor) {
    for depth in 0..3 {
        actor.or_jump(|actor| actor.call_elsewhere(depth));
        actor.or_jump(|actor| actor.call(|_| ()));
    }
}

fn returns_elsewhere(actor: &Actor) {
    for _ in 0..4 {
        actor.or_jump(|actor| actor.return_from_elsewhere());
        actor.or_jump(|actor| actor.call(|_| ()));
    }
}
