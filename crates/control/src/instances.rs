//! The instances of a session: which there are, and their names.

use crate::area::ControlArea;
use crate::extension::InstanceWords;
use crate::{Filtered, PidFilter};
use abi::control::INSTANCES_OFFSET;
use abi::instance::{DEFAULT_STACK_BYTES, INSTANCE_NAME, INSTANCES, InstanceSlot, InstanceState, RECORDING};
use core::ffi::CStr;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::fence;
use shm::Errno;

/// How often a name is read again that changes meanwhile.
const TRIES: u32 = 1000;

impl ControlArea {
    #[inline]
    pub(crate) fn instance(&self, index: usize) -> Option<&InstanceSlot> {
        self.fixed::<INSTANCES_OFFSET, _, INSTANCES>().get(index)
    }

    /// What an instance's number stands for now: another one of the same number has another state. None when
    /// there is none. The first is always there.
    // Acquire: pairs with the Release of `change`: the name and the words of an instance are there before it
    // is.
    pub fn instance_state(&self, index: usize) -> Option<InstanceState> {
        let state = InstanceState(self.instance(index)?.state.load(Acquire));
        (index == RECORDING || state.is_there()).then_some(state)
    }

    /// The name of an instance, in `buffer`. None when there is none of this number. The first, which is
    /// always there, has an empty one.
    // Acquire: pairs with the Release of `change`. The fence puts the Relaxed loads of the name before the
    // second look at the state, which can be Relaxed, too: another instance has another state.
    pub fn instance_name<'a>(&self, index: usize, buffer: &'a mut [u8; INSTANCE_NAME]) -> Option<&'a str> {
        let instance = self.instance(index)?;
        for _ in 0..TRIES {
            let state = instance.state.load(Acquire);
            if index != RECORDING && !InstanceState(state).is_there() {
                return None;
            }
            for (bytes, word) in buffer.as_chunks_mut::<8>().0.iter_mut().zip(&instance.name) {
                *bytes = word.load(Relaxed).to_le_bytes();
            }
            fence(Acquire);
            if instance.state.load(Relaxed) == state {
                let end = buffer.iter().position(|byte| *byte == 0).unwrap_or(buffer.len());
                return core::str::from_utf8(buffer.get(..end)?).ok();
            }
        }
        None
    }

    /// Gives an instance its name: from now on it is there. False, and nothing changed, for a name that is
    /// too long, and for the first.
    ///
    /// Only who has the session's lock does this.
    // Relaxed: published by the Release of `change`.
    pub fn name_instance(&self, index: usize, name: &str) -> bool {
        let Some(instance) =
            self.instance(index).filter(|_| index != RECORDING && name.len() < INSTANCE_NAME)
        else {
            return false;
        };
        let mut padded = [0; INSTANCE_NAME];
        for (to, from) in padded.iter_mut().zip(name.bytes()) {
            *to = from;
        }
        instance.not_mapped.store(0, Relaxed);
        for (word, bytes) in instance.name.iter().zip(padded.as_chunks::<8>().0) {
            word.store(u64::from_le_bytes(*bytes), Relaxed);
        }
        change(instance, true);
        true
    }

    /// Says that an instance is gone, by one store; then nothing is wanted in it any more. Who is killed in
    /// between leaves that to [`ControlArea::mend`]. Only who has the session's lock does this.
    pub fn forget_instance(&self, index: usize) {
        if let Some(instance) = self.instance(index).filter(|_| index != RECORDING) {
            change(instance, false);
        }
        self.forget_wanted(index);
    }

    /// Puts right what somebody may have left half done who was killed: words that don't go with their
    /// switches, and what is wanted in instances that are gone. For one who has the session's lock, before he
    /// changes anything.
    pub fn mend(&self) {
        let is_gone = |index: &usize| self.instance_state(*index).is_none();
        let wanted = self.wanted_anywhere();
        wanted.iter().filter(is_gone).for_each(|index| self.forget_wanted(index));
        self.mend_summaries();
    }

    fn forget_wanted(&self, index: usize) {
        self.want_nothing(index);
        Filtered::ALL.into_iter().for_each(|filtered| self.follow_forks(index, filtered, false));
        self.set_instance_flags(index, u32::MAX, false);
        self.set_stack_bytes(index, 0);
        self.set_past_until(index, 0, 0);
        self.set_instance_graph_depth(index, 0);
        self.set_instance_threshold(index, 0);
        self.set_max_latency(index, 0);
        self.forget_function_words(index);
    }

    /// Switches all events of an instance off, and forgets their filters and triggers, and whose events are
    /// wanted. For one who has the session's lock.
    pub fn want_nothing(&self, index: usize) {
        if self.measured_sections().instance() == Some(index) {
            self.measure_sections(None, core::iter::empty());
        }
        self.event_ids().for_each(|id| self.want_not(id, index));
        PidFilter::ALL.into_iter().for_each(|filter| self.clear_pids(index, filter));
    }

    /// Gives memory to what an instance other than the first needs in this file, which is at `path`. Errors:
    /// what fallocate(2) says.
    pub fn reserve_instance(&self, path: &CStr, index: usize) -> Result<(), Errno> {
        let words = InstanceWords::Filtering;
        self.reserve_words(path, index, words, 0..words.len() as u64)
    }

    /// Counts an event that was wanted in an instance and not recorded there, because the calling process
    /// has not mapped its buffer.
    // Relaxed: the count carries nothing but itself.
    pub fn count_not_mapped(&self, index: usize) {
        if let Some(instance) = self.instance(index) {
            instance.not_mapped.fetch_add(1, Relaxed);
        }
    }

    /// How many events were wanted in an instance and not recorded there for that reason, since it was made.
    // Relaxed: the count carries nothing but itself.
    pub fn not_mapped(&self, index: usize) -> u64 {
        self.instance(index).map_or(0, |instance| instance.not_mapped.load(Relaxed))
    }

    /// Bytes of the stack that are copied after an event of an instance whose stack is recorded.
    // Relaxed: the word carries nothing but itself.
    pub fn stack_bytes(&self, index: usize) -> u32 {
        match self.instance(index).map_or(0, |instance| instance.stack_bytes.load(Relaxed)) {
            0 => DEFAULT_STACK_BYTES,
            bytes => bytes,
        }
    }

    /// Says how many that are; 0 for the default. Programs see it at once.
    // Relaxed: the word carries nothing but itself.
    pub fn set_stack_bytes(&self, index: usize, bytes: u32) {
        if let Some(instance) = self.instance(index) {
            instance.stack_bytes.store(bytes, Relaxed);
        }
    }

    /// How many levels of calls the tracer `function_graph` records in an instance; 0 for all.
    ///
    /// Async-signal-safe. Cost: a load.
    // Relaxed: the word carries nothing but itself.
    #[inline]
    pub fn instance_graph_depth(&self, index: usize) -> u32 {
        self.instance(index).map_or(0, |instance| instance.graph_depth.load(Relaxed))
    }

    /// Says how many. Traced processes see it at once.
    // Relaxed: the word carries nothing but itself.
    pub fn set_instance_graph_depth(&self, index: usize, depth: u32) {
        if let Some(instance) = self.instance(index) {
            instance.graph_depth.store(depth, Relaxed);
        }
    }

    /// Nanoseconds: a call that is shorter is not recorded by the tracer `function_graph` in an instance; 0
    /// where all are.
    ///
    /// Async-signal-safe. Cost: a load.
    // Relaxed: the word carries nothing but itself.
    #[inline]
    pub fn instance_threshold(&self, index: usize) -> u64 {
        self.instance(index).map_or(0, |instance| instance.threshold.load(Relaxed))
    }

    /// Says how many. Traced processes see it at once.
    // Relaxed: the word carries nothing but itself.
    pub fn set_instance_threshold(&self, index: usize, nanoseconds: u64) {
        if let Some(instance) = self.instance(index) {
            instance.threshold.store(nanoseconds, Relaxed);
        }
    }

    /// Up to when the past of an instance is the recording's, as long as its buffer is of this generation.
    // Relaxed: only holders of the session's lock set and use both words.
    pub fn past_until(&self, index: usize, generation: u64) -> Option<u64> {
        let instance = self.instance(index)?;
        let until = instance.past_until.load(Relaxed);
        (until > 0 && instance.past_generation.load(Relaxed) == generation).then_some(until)
    }

    /// Says that; 0 for none.
    // Relaxed: only holders of the session's lock set and use both words.
    pub fn set_past_until(&self, index: usize, until: u64, generation: u64) {
        if let Some(instance) = self.instance(index) {
            instance.past_generation.store(generation, Relaxed);
            instance.past_until.store(until, Relaxed);
        }
    }

    /// How many buffers the file has: as many instances there can be.
    // Relaxed: never changes after the file was made.
    pub fn buffers(&self) -> usize {
        self.header().buffers.load(Relaxed) as usize
    }

    /// KB that each CPU of a new instance has.
    // Relaxed: the word carries nothing but itself.
    pub fn buffer_kb(&self) -> u64 {
        self.header().buffer_kb.load(Relaxed)
    }

    /// Says how many KB that is: for one who makes the file.
    // Relaxed: the word carries nothing but itself.
    pub fn set_buffer_kb(&self, kb: u64) {
        self.header().buffer_kb.store(kb, Relaxed);
    }
}

// Release: pairs with the Acquire of `instance_state` and `instance_name`. Relaxed: only the holder of the
// session's lock changes the state.
fn change(instance: &InstanceSlot, is_there: bool) {
    let state = InstanceState(instance.state.load(Relaxed));
    instance.state.store(state.next(is_there).0, Release);
}
