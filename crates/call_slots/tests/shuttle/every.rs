//! Every order in which little comes in between: each thread goes on until it ends or has to wait, but for so
//! many steps, at which another one goes on or a handler comes. All choices of these are made, one after the
//! other.

use crate::actor::RARENESS;
use shuttle::scheduler::{Schedule, Scheduler, Task, TaskId};

/// One choice: which one is made, and among how many.
struct Choice {
    made: usize,
    among: usize,
}

/// Chooses all these orders.
pub struct EveryOrder {
    /// How much comes in between at most, and how much has in this order.
    most: usize,
    between: usize,
    /// What a handler may do: so many things.
    handlers: usize,
    /// The choices of this order, and how many of them have been made again.
    choices: Vec<Choice>,
    made: usize,
    is_first: bool,
}

impl EveryOrder {
    pub fn new(most: usize, handlers: usize) -> EveryOrder {
        EveryOrder { most, between: 0, handlers, choices: Vec::new(), made: 0, is_first: true }
    }

    fn choose(&mut self, among: usize) -> usize {
        if self.made == self.choices.len() {
            self.choices.push(Choice { made: 0, among });
        }
        let choice = &self.choices[self.made];
        assert_eq!(choice.among, among, "an order is the same each time");
        self.made += 1;
        choice.made
    }

    /// Chooses what comes in between, if anything may: from 1 on.
    fn choose_between(&mut self, things: usize) -> usize {
        let may = self.between < self.most;
        let chosen = self.choose(if may { things + 1 } else { 1 });
        self.between += usize::from(chosen != 0);
        chosen
    }
}

impl Scheduler for EveryOrder {
    fn new_execution(&mut self) -> Option<Schedule> {
        (self.made, self.between) = (0, 0);
        if !std::mem::replace(&mut self.is_first, false) {
            while self.choices.pop_if(|last| last.made + 1 == last.among).is_some() {}
            self.choices.last_mut()?.made += 1;
        }
        Some(Schedule::new(0))
    }

    fn next_task(&mut self, runnable: &[&Task], current: Option<TaskId>, _: bool) -> Option<TaskId> {
        let current = current.filter(|current| runnable.iter().any(|task| task.id() == *current));
        let others: Vec<TaskId> =
            runnable.iter().map(|task| task.id()).filter(|task| Some(*task) != current).collect();
        match current {
            Some(current) => match self.choose_between(others.len()) {
                0 => Some(current),
                other => Some(others[other - 1]),
            },
            None => Some(others[self.choose(others.len())]),
        }
    }

    fn next_u64(&mut self) -> u64 {
        match self.choose_between(self.handlers) {
            0 => 1,
            kind => (kind as u64 - 1) * RARENESS,
        }
    }
}
