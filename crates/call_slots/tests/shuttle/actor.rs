//! A thread, with handlers of signals that come at any of its steps.

use crate::slot::OwnWords;
use crate::world::{Running, STACK, World};
use shuttle::rand::{Rng, thread_rng};
use shuttle::thread;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// What may come in between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handlers {
    None,
    /// So many, that return.
    Returning(u32),
    /// So many, that may jump.
    Jumping(u32),
}

/// What a handler does.
type Handler = fn(&Actor);

impl Handlers {
    /// What each of them may do.
    pub fn kinds(self) -> &'static [Handler] {
        const KINDS: [Handler; 5] =
            [calls, traces, Actor::jump_away, |actor| jumps(actor, calls), |actor| jumps(actor, traces)];
        match self {
            Handlers::None | Handlers::Returning(0) | Handlers::Jumping(0) => &[],
            Handlers::Returning(_) => &KINDS[..2],
            Handlers::Jumping(_) => &KINDS,
        }
    }

    fn without_one(self) -> Handlers {
        match self {
            Handlers::None => Handlers::None,
            Handlers::Returning(rest) => Handlers::Returning(rest - 1),
            Handlers::Jumping(rest) => Handlers::Jumping(rest - 1),
        }
    }
}

fn calls(actor: &Actor) {
    actor.call(|actor| actor.call(|_| ()));
}

fn traces(actor: &Actor) {
    actor.call(Actor::trace);
}

fn jumps(actor: &Actor, first: Handler) {
    first(actor);
    actor.jump_away();
}

/// Which handler comes before a step, if any, is a random number: none unless it is a multiple of this, and
/// then one of the kinds by the quotient.
pub const RARENESS: u64 = 16;

/// What a jump is thrown as.
struct Jump;

pub struct Actor {
    world: Arc<World>,
    index: usize,
    running: RefCell<Vec<Running>>,
    /// The calls that enclose the innermost one, as far as is known: left ones, too, and some that are over.
    known: RefCell<Vec<Running>>,
    handlers: Cell<Handlers>,
    is_in_handler: Cell<bool>,
    /// How deep the stack is: of the calls that are about to be made, too.
    depth: Cell<usize>,
}

shuttle::thread_local! {
    static ACTOR: RefCell<Option<Rc<Actor>>> = RefCell::new(None);
}

/// Lets the scheduler choose who goes on, then whether a handler comes.
pub fn give_way() {
    if std::thread::panicking() {
        return;
    }
    thread::sleep(Duration::ZERO);
    let actor = ACTOR.with(|actor| actor.borrow().clone());
    if let Some(actor) = actor {
        actor.interrupt();
    }
}

impl Actor {
    /// Has the calling thread be one, while it does something.
    pub fn act(world: &Arc<World>, index: usize, handlers: Handlers, act: impl FnOnce(&Actor)) {
        let actor = Rc::new(Actor {
            world: Arc::clone(world),
            index,
            running: RefCell::default(),
            known: RefCell::default(),
            handlers: Cell::new(handlers),
            is_in_handler: Cell::new(false),
            depth: Cell::new(0),
        });
        ACTOR.with(|here| *here.borrow_mut() = Some(Rc::clone(&actor)));
        act(&actor);
        actor.handlers.set(Handlers::None);
        world.thread_ends(actor.own());
        ACTOR.with(|here| *here.borrow_mut() = None);
    }

    fn own(&self) -> &OwnWords {
        &self.world.own[self.index]
    }

    /// Where the return address is of what is called at a depth: the stack grows down.
    fn place(&self, depth: usize) -> usize {
        self.index * STACK + STACK - 1 - depth
    }

    /// Calls a function, which does something, and returns.
    pub fn call(&self, body: impl FnOnce(&Actor)) {
        let depth = self.depth.get();
        self.depth.set(depth + 1);
        let innermost = |running: &Running| {
            self.known.borrow_mut().retain(|outer| outer.place > running.place);
            self.known.borrow_mut().push(running.clone());
        };
        let running = self.world.call(self.own(), self.place(depth), innermost);
        self.running.borrow_mut().push(running);
        body(self);
        let running = self.running.borrow().last().expect("it runs").clone();
        self.world.return_from(self.own(), &running);
        self.running.borrow_mut().pop();
        self.depth.set(depth);
    }

    /// Has the innermost function jump to another one at its end.
    pub fn jump_on(&self) {
        let mut running = self.running.borrow().last().expect("it runs").clone();
        self.world.jump_on(self.own(), &mut running);
        *self.running.borrow_mut().last_mut().expect("it runs") = running;
    }

    /// Does something that a handler may leave by a jump to here.
    pub fn or_jump(&self, act: impl FnOnce(&Actor)) {
        let (len, depth) = (self.running.borrow().len(), self.depth.get());
        if let Err(thrown) = catch_unwind(AssertUnwindSafe(|| act(self))) {
            if !thrown.is::<Jump>() {
                resume_unwind(thrown);
            }
            let left = self.running.borrow_mut().split_off(len);
            self.world.are_left(&left);
            self.depth.set(depth);
            self.is_in_handler.set(false);
        }
    }

    /// Leaves the innermost functions, by a jump of the program's own.
    pub fn jump(&self) {
        resume_unwind(Box::new(Jump));
    }

    /// Takes a stack trace.
    pub fn trace(&self) {
        let known = self.known.borrow().clone();
        let depth = self.depth.get();
        let (from, to) = (self.place(depth), (self.index + 1) * STACK);
        self.world.show(&known, from, to, true);
        self.world.show(&known, from, to, false);
    }

    /// Stores something where the function lies that would be called next.
    pub fn cover(&self) {
        self.world.cover(self.place(self.depth.get()));
    }

    /// Takes a stack trace in a function that isn't traced, and that has something of its own where others
    /// have been.
    pub fn cover_and_trace(&self) {
        let depth = self.depth.get();
        self.depth.set(depth + 1);
        self.world.cover(self.place(depth));
        self.trace();
        assert!(self.world.is_covered(self.place(depth)), "what a function has on its stack stays");
        self.depth.set(depth);
    }

    /// Takes back what was left.
    pub fn take_back(&self) {
        self.world.take_back(self.own());
    }

    /// Calls a function on a coroutine's stack that goes on in another thread.
    pub fn call_elsewhere(&self, depth: usize) {
        let place = (self.world.own.len() - 1) * STACK + depth;
        let running = self.world.call(self.own(), place, |_| ());
        self.world.handed.lock().expect("not poisoned").push(running);
    }

    /// Has one return that was called elsewhere.
    pub fn return_from_elsewhere(&self) {
        let running = self.world.handed.lock().expect("not poisoned").pop();
        if let Some(running) = running {
            self.running.borrow_mut().push(running.clone());
            self.world.return_from(self.own(), &running);
            self.running.borrow_mut().pop();
        }
    }

    /// Leaves what a handler has interrupted.
    fn jump_away(&self) {
        self.world.count_jump();
        self.jump();
    }

    fn interrupt(&self) {
        let kinds = self.handlers.get().kinds();
        if kinds.is_empty() || self.is_in_handler.get() {
            return;
        }
        let choice = thread_rng().r#gen::<u64>();
        if !choice.is_multiple_of(RARENESS) {
            return;
        }
        self.handlers.set(self.handlers.get().without_one());
        self.is_in_handler.set(true);
        kinds[(choice / RARENESS % kinds.len() as u64) as usize](self);
        self.is_in_handler.set(false);
    }
}
