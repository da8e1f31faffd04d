//! Which sections of programs are measured: the kernel's latency tracers `irqsoff`, `preemptoff`,
//! `preemptirqsoff` and `wakeup`.

/// What has a word among those of events, and is switched like one, but is none: on where sections are
/// measured. The kernel has no event of this number.
pub const SECTIONS_ID: u16 = 30;

/// A section lasts while a thread has asynchronous signals blocked.
pub const SIGNALS_BLOCKED: u32 = 1;
/// It lasts while a thread is in a critical section: holds a lock, or says so itself.
pub const LOCKS_HELD: u32 = 2;
/// It lasts from the call that wakes a thread until that thread goes on.
pub const WAKEUPS: u32 = 4;
/// Makes no section: where one begins and ends is written as calls of the tracer `function_graph`.
pub const AS_GRAPH: u32 = 128;

/// The word that says what is measured, and for whom. Only who has the lock on the session's settings changes
/// it.
///
/// ```text
/// bits  0..8    what makes a section: any of SIGNALS_BLOCKED and LOCKS_HELD, or WAKEUPS; 0 while none is
///               measured; with AS_GRAPH
/// bits  8..16   the instance
/// bits 32..64   how often that has changed: what began before the last change is not measured
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeasuredSections(pub u64);

impl MeasuredSections {
    /// What follows this word: sections of an instance that these states make, or nothing.
    pub const fn next(self, measured: Option<(usize, u32)>) -> MeasuredSections {
        let count = (self.0 >> 32).wrapping_add(1) << 32;
        match measured {
            Some((instance, states)) => {
                MeasuredSections(count | (instance as u64 & 0xff) << 8 | states as u64 & 0xff)
            }
            None => MeasuredSections(count),
        }
    }

    /// What makes a section.
    pub const fn states(self) -> u32 {
        self.0 as u32 & 0xff & !AS_GRAPH
    }

    /// Whether its ends are written as calls that the tracer `function_graph` has recorded.
    pub const fn is_graph(self) -> bool {
        self.0 as u32 & AS_GRAPH != 0
    }

    /// The instance that has asked for it, if one has.
    pub const fn instance(self) -> Option<usize> {
        if self.states() == 0 { None } else { Some((self.0 >> 8) as usize & 0xff) }
    }
}

const _: () = assert!(crate::instance::INSTANCES <= 0x100);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_in_a_row_are_the_same() {
        let first = MeasuredSections(0).next(Some((65, SIGNALS_BLOCKED | LOCKS_HELD)));
        assert_eq!((first.instance(), first.states(), first.is_graph()), (Some(65), 3, false));
        let graph = first.next(Some((65, WAKEUPS | AS_GRAPH)));
        assert_eq!((graph.instance(), graph.states(), graph.is_graph()), (Some(65), WAKEUPS, true));
        let none = first.next(None);
        assert_eq!((none.instance(), none.states()), (None, 0));
        assert_ne!(none.next(Some((65, 3))), first);
    }
}
