//! One order that is too rare to be met by chance: a slot changes hands between all steps of two who take it
//! back.

use crate::mistake::Mistake;
use crate::world::{Running, World};
use abi::atomic::schedule_by;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;

/// What others do before a step. At the end of a script who goes by it is killed.
type Between = Box<dyn FnOnce()>;

thread_local! {
    static SCRIPT: RefCell<VecDeque<Between>> = const { RefCell::new(VecDeque::new()) };
}

/// Does something by a script, in which others do something by theirs.
fn by(script: Vec<Between>, act: impl FnOnce()) {
    let outer = SCRIPT.replace(script.into());
    schedule_by(Some(next));
    let result = catch_unwind(AssertUnwindSafe(act));
    schedule_by(None);
    SCRIPT.set(outer);
    if let Err(thrown) = result
        && !thrown.is::<Killed>()
    {
        resume_unwind(thrown);
    }
}

struct Killed;

fn next() {
    schedule_by(None);
    match SCRIPT.with_borrow_mut(VecDeque::pop_front) {
        Some(between) => between(),
        None => resume_unwind(Box::new(Killed)),
    }
    schedule_by(Some(next));
}

/// A thread that calls a function and has it return, again and again at one place.
#[derive(Clone)]
struct Caller {
    world: Rc<World>,
    running: Rc<RefCell<Option<Running>>>,
}

impl Caller {
    fn new(mistake: Option<Mistake>) -> Caller {
        let caller = Caller { world: Rc::new(World::new(1, 1, mistake)), running: Rc::default() };
        caller.call();
        caller
    }

    fn call(&self) {
        *self.running.borrow_mut() = Some(self.world.call(&self.world.own[0], 0, |_| ()));
    }

    fn return_from(&self) {
        let running = self.running.borrow_mut().take().expect("it runs");
        self.world.return_from(&self.world.own[0], &running);
    }

    fn calls(&self) -> Between {
        let caller = self.clone();
        Box::new(move || caller.call())
    }

    fn returns(&self) -> Between {
        let caller = self.clone();
        Box::new(move || caller.return_from())
    }

    fn takes_back(&self) {
        self.world.take_back(&self.world.own[1]);
    }
}

fn nothing() -> Between {
    Box::new(|| ())
}

/// Before which step the place is read, the word there looked at, and the slot replaced, both times.
#[test]
#[should_panic(expected = "slot 0 is taken back, but Function(4) has it")]
fn claims_that_are_all_the_same_are_found() {
    let caller = Caller::new(Some(Mistake::Claims));
    let other = caller.clone();
    let while_claimed: Between = Box::new(move || {
        other.call();
        by(vec![nothing(), other.returns(), other.calls()], || other.takes_back());
    });
    let script = vec![nothing(), caller.returns(), caller.calls(), caller.returns(), while_claimed];
    by(script, || caller.takes_back());
}

/// Before each two of its steps.
#[test]
fn a_slot_that_changes_hands_between_steps_is_not_taken_back() {
    // How many have been used, the slot's uses, `next`, its place, the word there, the exchange.
    const STEPS: usize = 6;
    for (first, second) in (0..STEPS).flat_map(|first| (first..STEPS).map(move |second| (first, second))) {
        let caller = Caller::new(None);
        let script = (0..STEPS).map(|step| {
            let caller = caller.clone();
            Box::new(move || {
                if step == first {
                    caller.return_from();
                }
                if step == second {
                    caller.call();
                }
            }) as Between
        });
        by(script.collect(), || caller.takes_back());
        if caller.running.borrow().is_none() {
            caller.call();
        }
        caller.return_from();
        caller.world.thread_ends(&caller.world.own[0]);
        caller.world.check(0);
    }
}
