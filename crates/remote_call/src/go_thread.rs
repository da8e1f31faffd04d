//! A thread of a program of Go, as its runtime describes it.
//!
//! It runs on stacks of goroutines, of 2 KB perhaps, so nothing may be put there. It has a stack of its own
//! for handlers of signals, of which nothing is in use while it runs none: there is space for a frame.
//!
//! ```text
//! m:  g0 | what it saves | TID | gsignal | ... | goroutine | 5 words of no use
//!                                                          ^ thread pointer
//! ```
//!
//! Sources: `src/runtime/runtime2.go` and `os_linux.go` of Go 1.18 to 1.24.

use crate::ptrace::ThreadRegisters;
use crate::refusal::CallRefusal;
use crate::target::TargetProcess;
use abi::go_thread::{GOROUTINE_BEFORE, GoThreadWords, THREAD_BEFORE, THREAD_OF_GOROUTINE};
use std::ops::Range;

/// The least and the most bytes of the stack for handlers.
const HANDLERS: Range<u64> = 16 << 10..1 << 20;

/// What is known of one.
#[derive(Debug)]
pub(crate) struct GoThread {
    /// Where the stack for handlers is.
    pub(crate) handler_stack: Range<u64>,
}

impl GoThread {
    /// That of a stopped thread. None where its memory isn't as a runtime has it that is known.
    pub(crate) fn of(
        target: &TargetProcess,
        tid: u32,
        registers: &ThreadRegisters,
    ) -> Result<Option<GoThread>, CallRefusal> {
        let pointer = registers.fs_base;
        let Some(goroutine) = read(target, pointer.wrapping_sub(GOROUTINE_BEFORE)) else { return Ok(None) };
        let Some(start) = read(target, goroutine.wrapping_add(THREAD_OF_GOROUTINE)) else { return Ok(None) };
        let distance = pointer.wrapping_sub(start);
        if !(64..=THREAD_BEFORE).contains(&distance) || !distance.is_multiple_of(8) {
            return Ok(None);
        }
        let mut bytes = vec![0; distance as usize + GoThreadWords::LEN];
        target.read(start, &mut bytes)?;
        let words: Vec<u64> = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let (own, after) = words.split_at(distance as usize / 8);
        let is_own = after.iter().all(|word| *word == 0) || after[GoThreadWords::POINTER / 8] == pointer;
        let handlers = own.iter().position(|word| *word == u64::from(tid)).and_then(|at| own.get(at + 1));
        let Some(handlers) = handlers.filter(|_| is_own) else { return Ok(None) };
        let leads_back = |goroutine: u64| read(target, goroutine + THREAD_OF_GOROUTINE) == Some(start);
        if !leads_back(*handlers) || !leads_back(own[0]) {
            return Ok(None);
        }
        let (first, last) = (read(target, *handlers), read(target, handlers + 8));
        let handler_stack = first.unwrap_or(0)..last.unwrap_or(0);
        let is_stack = HANDLERS.contains(&handler_stack.end.saturating_sub(handler_stack.start));
        Ok(is_stack.then_some(GoThread { handler_stack }))
    }

    /// Whether a stopped thread, or one whose handler has interrupted it, is on the agent's stack.
    pub(crate) fn is_on_own_stack(target: &TargetProcess, registers: &ThreadRegisters) -> bool {
        let stack = read(target, registers.fs_base + GoThreadWords::STACK as u64);
        match stack {
            Some(0) => false,
            Some(GoThreadWords::BUSY) | None => true,
            Some(end) => read(target, end) != Some(0),
        }
    }
}

fn read(target: &TargetProcess, address: u64) -> Option<u64> {
    target.read_word(address).ok()
}
