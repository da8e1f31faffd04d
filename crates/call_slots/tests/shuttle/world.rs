//! Slots and stacks, and the laws.

use crate::claims;
use crate::mistake::Mistake;
use crate::slot::{ModelSlot, OwnWords};
use abi::atomic::AtomicU64;
use call_slots::{AtPlace, BATCH, SharedSlots, SlotUse, Slots, WithState};
use std::ops::Range;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::{Mutex, MutexGuard};

/// Words of a stack.
pub const STACK: usize = 6;
/// Where the functions return to that are called with a return address there: one call site each, so that
/// later calls look the same.
const CALLER: u64 = 0x1000;
/// What is written over a stack.
const OTHER: u64 = 0x77;

/// Whose a slot is, as everybody would say who sees everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    Nobody,
    /// Who is about to use it or to give it back.
    Somebody,
    /// A function that is to return, or was jumped to by one.
    Function(u32),
    /// A function that was left, with its return address there.
    Left {
        place: usize,
        is_overwritten: bool,
    },
}

struct Truth {
    owners: Vec<Owner>,
    functions: u32,
    jumps: usize,
}

/// A function that runs.
#[derive(Debug, Clone)]
pub struct Running {
    pub place: usize,
    pub number: u32,
    /// Its slot, and those of the functions that were jumped to at its end.
    pub slots: Vec<usize>,
}

/// All that there is.
pub struct World {
    all: Vec<ModelSlot>,
    shared: SharedSlots,
    words: Vec<AtomicU64>,
    pub own: Vec<OwnWords>,
    pub handed: Mutex<Vec<Running>>,
    truth: Mutex<Truth>,
    mistake: Option<Mistake>,
}

impl World {
    /// With so many slots, and a stack of each of so many threads; the last one is a coroutine's.
    pub fn new(slots: usize, threads: usize, mistake: Option<Mistake>) -> World {
        World {
            all: (0..slots).map(|_| ModelSlot::default()).collect(),
            shared: SharedSlots::new(),
            words: (0..STACK * (threads + 1)).map(|_| AtomicU64::new(OTHER)).collect(),
            own: (0..=threads).map(|_| OwnWords::default()).collect(),
            handed: Mutex::default(),
            truth: Mutex::new(Truth { owners: vec![Owner::Nobody; slots], functions: 0, jumps: 0 }),
            mistake,
        }
    }

    /// The addresses of the words whose changes are torn.
    pub fn torn(&self) -> [Range<usize>; 2] {
        let of = |word: usize, len: usize| [word..word + len, 0..0];
        match self.mistake {
            Some(Mistake::OwnList) => of(self.own.as_ptr().addr(), size_of_val(self.own.as_slice())),
            Some(Mistake::SharedList) => of((&raw const self.shared).addr(), size_of::<SharedSlots>()),
            Some(Mistake::TakingBack) => of(self.all.as_ptr().addr(), size_of_val(self.all.as_slice())),
            _ => [0..0, 0..0],
        }
    }

    fn slots(&self) -> Slots<'_, ModelSlot> {
        Slots::new(&self.all, &self.shared)
    }

    fn truth(&self) -> MutexGuard<'_, Truth> {
        self.truth.lock().expect("not poisoned")
    }

    fn index(&self, slot: &ModelSlot) -> usize {
        ((&raw const *slot).addr() - self.all.as_ptr().addr()) / size_of::<ModelSlot>()
    }

    /// A slot, taken back if there is no other.
    fn take(&self, own: &OwnWords) -> Option<usize> {
        let slot = self
            .slots()
            .take(own)
            .or_else(|| (self.take_back(own) > 0).then(|| self.slots().take(own)).flatten())?;
        let index = self.index(slot);
        let owner = &mut self.truth().owners[index];
        assert!(
            matches!(owner, Owner::Nobody | Owner::Left { is_overwritten: true, .. }),
            "slot {index} is taken, but {owner:?} has it"
        );
        *owner = Owner::Somebody;
        Some(index)
    }

    /// Takes back what was left.
    pub fn take_back(&self, own: &OwnWords) -> u32 {
        if self.mistake == Some(Mistake::Claims) {
            return claims::take_back(self, &self.all, |slot| {
                let (index, owner) = (self.index(slot), self.truth().owners[self.index(slot)]);
                assert!(
                    matches!(owner, Owner::Left { .. }),
                    "slot {index} is taken back, but {owner:?} has it"
                );
                self.slots().give_back(own, slot);
            });
        }
        self.slots().take_back_left(own, |places| self.look(places))
    }

    /// What is found at places.
    pub fn look(&self, places: &[Option<u64>; BATCH]) -> [AtPlace; BATCH] {
        places.map(|place| match place {
            None => AtPlace::Unknown,
            Some(_) if self.mistake == Some(Mistake::Impatience) => AtPlace::Nothing,
            Some(place) => {
                let index = (place as usize - self.words.as_ptr().addr()) / size_of::<AtomicU64>();
                match self.mistake {
                    Some(Mistake::OldWords) => AtPlace::Word(CALLER + index as u64),
                    _ => AtPlace::Word(self.words[index].load(Acquire)),
                }
            }
        })
    }

    /// Calls a function, with its return address at a place, which is traced if there is a slot: `innermost`
    /// notes that.
    pub fn call(&self, own: &OwnWords, place: usize, innermost: impl FnOnce(&Running)) -> Running {
        let caller = CALLER + place as u64;
        self.write_over(place, caller);
        let number = {
            let mut truth = self.truth();
            truth.functions += 1;
            truth.functions
        };
        let mut running = Running { place, number, slots: Vec::new() };
        let found = self.words[place].load(Relaxed);
        if found != caller {
            return running;
        }
        let Some(index) = self.take(own) else { return running };
        let slot = &self.all[index];
        slot.state.use_for(SlotUse::NONE);
        slot.state.caller.store(found, Relaxed);
        running.slots.push(index);
        innermost(&running);
        slot.state.begin(&self.words[place], slot.return_address());
        self.truth().owners[index] = Owner::Function(number);
        running
    }

    /// Has a function jump to another one at its end.
    pub fn jump_on(&self, own: &OwnWords, running: &mut Running) {
        let Some(first) = running.slots.first().map(|index| &self.all[*index]) else { return };
        let Some(index) = self.take(own) else { return };
        let slot = &self.all[index];
        let last = first.state.jumped();
        let outer = if last == SlotUse::NONE { self.slots().this_use(first) } else { last };
        slot.state.use_for(outer);
        // As far as anybody knows it is lost until it is on the list of the first.
        slot.state.begin_jumped(self.slots().this_use(slot), &first.state);
        self.truth().owners[index] = Owner::Function(running.number);
        running.slots.push(index);
    }

    /// Has a function return, by what stands at its place.
    pub fn return_from(&self, own: &OwnWords, running: &Running) {
        let caller = CALLER + running.place as u64;
        let word = self.words[running.place].load(Acquire);
        let index = self.all.iter().position(|slot| slot.return_address() == word);
        let first = running.slots.first();
        if index.is_none() || index != first.copied() {
            // Nobody sees it return, where a jump out of a trace has left its caller's address there.
            self.are_left(std::slice::from_ref(running));
        }
        let Some(index) = index else {
            assert_eq!(word, caller, "{running:?} returns to its caller");
            return;
        };
        let slot = &self.all[index];
        assert!(self.is_of(index, running), "{running:?} returns to slot {index}: {:?}", self.truth().owners);
        assert_eq!(slot.state.caller.load(Relaxed), caller, "{running:?} is to go on in its caller");
        let returned = |jumped: &ModelSlot| {
            let index = self.index(jumped);
            assert!(self.is_of(index, running), "{index} was jumped to: {:?}", self.truth().owners);
            self.truth().owners[index] = Owner::Nobody;
        };
        if self.mistake == Some(Mistake::LateUnlinking) {
            self.give_back_all(own, slot, returned);
        }
        self.slots().give_back_jumped(own, slot, returned);
        if self.mistake == Some(Mistake::EarlyGift) {
            self.truth().owners[index] = Owner::Nobody;
            self.slots().give_back(own, slot);
            slot.state.end(&self.words[running.place]);
            return;
        }
        if self.mistake == Some(Mistake::CallerFirst) {
            self.words[running.place].store(caller, Release);
        }
        slot.state.end(&self.words[running.place]);
        assert_eq!(self.words[running.place].load(Relaxed), caller, "G3");
        self.truth().owners[index] = Owner::Nobody;
        self.slots().give_back(own, slot);
    }

    fn give_back_all(&self, own: &OwnWords, slot: &ModelSlot, returned: impl Fn(&ModelSlot)) {
        let mut jumped = slot.state.jumped();
        while jumped != self.slots().this_use(slot)
            && let Some(next) = self.slots().of_use(jumped)
        {
            returned(next);
            jumped = next.state.outer();
            self.slots().give_back_without_code(own, next);
        }
        // For what comes after it.
        slot.state.use_for(SlotUse::NONE);
    }

    /// Whether a slot is a function's. Or that of one that was left while its caller's address stood there:
    /// another call from there can't be told from it, and may be seen to return in its stead.
    fn is_of(&self, index: usize, running: &Running) -> bool {
        match self.truth().owners[index] {
            Owner::Function(number) => number == running.number,
            Owner::Left { place, .. } => place == running.place,
            Owner::Nobody | Owner::Somebody => false,
        }
    }

    /// Functions are left by a jump.
    pub fn are_left(&self, functions: &[Running]) {
        let mut truth = self.truth();
        for running in functions {
            for index in &running.slots {
                if truth.owners[*index] == Owner::Function(running.number) {
                    let place = running.place;
                    truth.owners[*index] = Owner::Left { place, is_overwritten: false };
                }
            }
        }
    }

    /// A handler jumps away.
    pub fn count_jump(&self) {
        self.truth().jumps += 1;
    }

    /// Stores something where functions have been.
    pub fn cover(&self, place: usize) {
        self.write_over(place, OTHER);
    }

    /// Whether that stands there.
    pub fn is_covered(&self, place: usize) -> bool {
        self.words[place].load(Relaxed) == OTHER
    }

    fn write_over(&self, place: usize, word: u64) {
        for owner in &mut self.truth().owners {
            if let Owner::Left { place: left, is_overwritten } = owner
                && *left == place
            {
                *is_overwritten = true;
            }
        }
        self.words[place].store(word, Release);
    }

    /// Has callers stand on a stack from a place on, or slots again.
    pub fn show(&self, functions: &[Running], from: usize, to: usize, is_shown: bool) {
        let at = |index: usize| self.words.as_ptr().wrapping_add(index).expose_provenance();
        for index in functions.iter().filter_map(|running| running.slots.first()) {
            let slot = &self.all[*index];
            if self.mistake == Some(Mistake::BlindShowing) {
                self.show_blindly(slot, from..to, is_shown);
                continue;
            }
            // SAFETY: the words of that stack.
            unsafe { slot.state.show_caller(&(at(from)..at(to)), is_shown, slot.return_address()) };
        }
    }

    fn show_blindly(&self, slot: &ModelSlot, stack: Range<usize>, is_shown: bool) {
        const SHOWN: u64 = 4;
        let place = slot.place().load(Relaxed) & !SHOWN;
        let Some(word) = self.words[stack].iter().find(|word| word.as_ptr().addr() as u64 == place) else {
            return;
        };
        if is_shown {
            slot.place().store(place | SHOWN, Release);
            word.store(slot.state.caller.load(Relaxed), Release);
        } else {
            word.store(slot.return_address(), Release);
            slot.place().store(place, Release);
        }
    }

    /// When all is done: what was left is taken back once it is written over, and all slots are there but for
    /// those that jumps have lost, so many each.
    pub fn check(&self, lost: usize) {
        let handed = std::mem::take(&mut *self.handed.lock().expect("not poisoned"));
        self.are_left(&handed);
        (0..self.words.len()).for_each(|place| self.write_over(place, OTHER));
        let last = self.own.last().expect("one is nobody's");
        self.take_back(last);
        let mut found = 0;
        while self.take(last).is_some() {
            found += 1;
            assert!(found <= self.all.len(), "more than there are");
        }
        let truth = self.truth();
        assert!(
            found + lost * truth.jumps >= self.all.len(),
            "{found}, jumps {}: {:?}",
            truth.jumps,
            truth.owners
        );
    }

    /// Has a thread keep no slots.
    pub fn thread_ends(&self, own: &OwnWords) {
        self.slots().thread_ends(own);
    }
}
