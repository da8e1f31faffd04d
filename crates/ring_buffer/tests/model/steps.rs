//! Code that is run one access of shared memory at a time.
//!
//! An actor's code is plain Rust that reads like the real code and does every access through
//! [`Steps`]. It is run again from its start for each step: what it has done before is answered from
//! its [`Log`], then it does one access, goes on to where the next would be, and returns [`Pending`].
//!
//! Two things keep logs short, and equal where the futures are equal. A [`Steps::stage`] that is done
//! is replaced by its result. [`Steps::again`] forgets an attempt that came to nothing.

use crate::bug::Bug;
use crate::display::describe;
use crate::ghost::Change;
use crate::layout::{Value, Word};
use crate::log::{Log, Stage};
use crate::memory::Side;
use crate::moment::Moment;
use crate::setting::Setting;
use crate::spare::check_memory;
use crate::world::{Violation, World};

/// The next access is for a later step.
#[derive(Debug, Clone, Copy)]
pub struct Pending;

/// What code gives that may have to wait for its next step.
pub type Ask<T> = Result<T, Pending>;

/// How a section ends: `rseq::Outcome`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Its commit is done.
    Committed,
    /// The thread lost its CPU or got a signal.
    Aborted,
    /// Something differs from what it was built from.
    Refused,
}

/// One run of an actor's code.
#[derive(Debug)]
pub struct Steps<'a, 'b> {
    /// What all actors share.
    pub world: &'a mut World<'b>,
    log: &'a mut Log,
    side: Side,
    /// Entries of the log that were answered in this run.
    next: usize,
    /// Accesses that this run may still do.
    left: u32,
    /// Whether the last access was done in this run.
    done_now: bool,
    section: Option<u8>,
    function: &'static str,
    change: Change,
}

impl<'a, 'b> Steps<'a, 'b> {
    /// Code of an actor on `side` that may do `left` accesses.
    pub fn new(world: &'a mut World<'b>, log: &'a mut Log, side: Side, left: u32) -> Steps<'a, 'b> {
        Steps {
            world,
            log,
            side,
            next: 0,
            left,
            done_now: false,
            section: None,
            function: "",
            change: Change::None,
        }
    }

    /// What does not change.
    pub fn setting(&self) -> &'b Setting {
        self.world.setting
    }

    /// Whether the model has this bug.
    pub fn has(&self, bug: Bug) -> bool {
        self.world.setting.bug == bug
    }

    /// Names the function that the next accesses are in, for a reader of the steps.
    pub fn at(&mut self, function: &'static str) {
        self.function = function;
    }

    /// An attempt has come to its end: nothing of it is needed any more.
    pub fn finish(&mut self) {
        *self.log = Log::EMPTY;
        self.next = 0;
    }

    /// Whether the last access was done in this run: true once for each.
    pub fn is_now(&self) -> bool {
        self.done_now
    }

    /// The events and pages that exist at this moment.
    pub fn moment(&self) -> Moment {
        self.world.ghost.moment(self.world.memory)
    }

    /// A law does not hold.
    pub fn fail(&mut self, law: &'static str, what: impl FnOnce() -> String) {
        self.world.violation.get_or_insert_with(|| Violation { law, what: what() });
    }

    /// Loads a word.
    pub fn load(&mut self, word: Word) -> Ask<Value> {
        self.access(|steps| {
            let value = steps.world.memory.load(steps.side, word);
            steps.note(|| format!("load  {word} = {}", describe(word, value)));
            value
        })
    }

    /// Loads a word of which only this is needed: whether it is `expected`.
    pub fn equals(&mut self, word: Word, expected: Value) -> Ask<bool> {
        let equal = self.access(|steps| {
            let value = steps.world.memory.load(steps.side, word);
            let differs = if value == expected { "" } else { ", differs" };
            steps.note(|| format!("check {word} = {}{differs}", describe(word, value)));
            Value::from(value == expected)
        })?;
        Ok(equal != 0)
    }

    /// Stores a word.
    pub fn store(&mut self, word: Word, value: Value) -> Ask<()> {
        self.access(|steps| {
            steps.note(|| format!("store {word} = {}", describe(word, value)));
            check_memory(steps, word);
            steps.world.memory.store(steps.side, word, value);
            steps.changed(word);
            0
        })?;
        Ok(())
    }

    /// Stores two words by one instruction.
    pub fn store_pair(&mut self, word: Word, low: Value, high: Value) -> Ask<()> {
        self.access(|steps| {
            steps.note(|| {
                let (low_text, high_word) = (describe(word, low), word.next());
                format!("store {word}, {high_word} = {low_text}, {}", describe(high_word, high))
            });
            steps.world.memory.store_pair(steps.side, word, low, high);
            steps.changed(word);
            0
        })?;
        Ok(())
    }

    /// Replaces a word if it is `expected`.
    pub fn compare_exchange(&mut self, word: Word, expected: Value, new: Value) -> Ask<bool> {
        let replaced = self.access(|steps| {
            let memory = &mut steps.world.memory;
            memory.fence(steps.side);
            let replaced = memory.get(word) == expected;
            if replaced {
                memory.set(word, new);
            }
            let outcome = if replaced { "" } else { ": it differs" };
            steps.note(|| format!("swap  {word} = {}{outcome}", describe(word, new)));
            Value::from(replaced)
        })?;
        Ok(replaced != 0)
    }

    /// Replaces two words if they are as `expected`.
    pub fn compare_exchange_pair(
        &mut self,
        word: Word,
        expected: (Value, Value),
        new: (Value, Value),
    ) -> Ask<bool> {
        let replaced = self.access(|steps| {
            let memory = &mut steps.world.memory;
            memory.fence(steps.side);
            let replaced = (memory.get(word), memory.get(word.next())) == expected;
            if replaced {
                memory.set(word, new.0);
                memory.set(word.next(), new.1);
            }
            let outcome = if replaced { "" } else { ": they differ" };
            steps.note(|| format!("swap  {word}, {} = {}, {}{outcome}", word.next(), new.0, new.1));
            Value::from(replaced)
        })?;
        Ok(replaced != 0)
    }

    /// Changes a word by one locked instruction.
    pub fn fetch_update(&mut self, word: Word, update: impl Fn(Value) -> Value) -> Ask<()> {
        self.access(|steps| {
            let memory = &mut steps.world.memory;
            memory.fence(steps.side);
            let value = update(memory.get(word));
            memory.set(word, value);
            steps.note(|| format!("add   {word} = {}", describe(word, value)));
            0
        })?;
        Ok(())
    }

    /// Asks the kernel whether an actor is gone.
    pub fn is_killed(&mut self, actor: u8) -> Ask<bool> {
        let killed = self.access(|steps| {
            let killed = steps.world.killed >> actor & 1;
            steps.note(|| format!("kill(actor {actor}, 0): {}", ["alive", "gone"][killed as usize]));
            Value::from(killed)
        })?;
        Ok(killed != 0)
    }

    /// Says what the next store to the tail stands for.
    pub fn announce(&mut self, change: Change) {
        self.change = change;
    }

    /// Runs a restartable section. While it is not at its end, losing the CPU ends it.
    pub fn section(&mut self, code: impl FnOnce(&mut Self) -> Ask<Outcome>) -> Ask<Outcome> {
        let [outcome] = self.stage(|steps| {
            steps.section = Some(steps.next as u8 - 1);
            let outcome = code(steps)?;
            steps.section = None;
            Ok([outcome as Value])
        })?;
        let outcomes = [Outcome::Committed, Outcome::Aborted, Outcome::Refused];
        Ok(outcomes[usize::from(outcome)])
    }

    /// Code of which only the result matters for what follows.
    pub fn stage<const N: usize>(
        &mut self,
        code: impl FnOnce(&mut Self) -> Ask<[Value; N]>,
    ) -> Ask<[Value; N]> {
        let start = self.next;
        self.next += 1;
        if let Stage::Done(result) = self.log.stage(start) {
            self.next += N;
            self.done_now = false;
            return Ok(result);
        }
        let result = code(self)?;
        self.log.close(start, &result);
        self.next = start + 1 + N;
        Ok(result)
    }

    /// Where [`Self::again`] can go back to.
    pub fn here(&self) -> usize {
        self.next
    }

    /// Forgets what was done since `here`, to do it again.
    pub fn again(&mut self, here: usize) {
        self.log.truncate(here);
        self.next = here;
    }

    fn access(&mut self, act: impl FnOnce(&mut Self) -> Value) -> Ask<Value> {
        if let Some(answer) = self.log.entries().get(self.next) {
            self.next += 1;
            self.done_now = false;
            return Ok(*answer);
        }
        if self.left == 0 {
            self.log.wait(self.section);
            return Err(Pending);
        }
        self.left -= 1;
        let value = act(self);
        self.log.push(value);
        self.next += 1;
        self.done_now = true;
        Ok(value)
    }

    /// What is true follows the tail.
    fn changed(&mut self, word: Word) {
        if word == Word::TAIL {
            if let Err(violation) = self.world.ghost.apply(self.change) {
                self.world.violation.get_or_insert(violation);
            }
            self.change = Change::None;
        }
    }

    fn note(&mut self, text: impl FnOnce() -> String) {
        if let Some(notes) = &mut self.world.notes {
            notes.push(format!("{:<16} {}", self.function, text()));
        }
    }
}
