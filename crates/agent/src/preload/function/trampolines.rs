//! What sites call: code near each object, which jumps to the agent.
//!
//! A call reaches 2 GiB, and this object may be farther away. So each object has an *island*: jumps by an
//! address in memory, one for each of what sites call. A site of one-byte nops can only call the address
//! that is the nops themselves, 1.87 GB below it ([`text_poke::plan::entry::punned_target`]): there it finds
//! a jump to the island.
//!
//! F2: what is mapped here stays, as a thread may be in it at any time.

use crate::preload::arch::{body_entry, function_entry};
use core::ops::Range;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;
use function_sites::SitePlace;
use shm::PAGE;
use text_poke::plan::entry::punned_target;
use text_poke::{CodeArea, NotApplied, jump};

/// The trampolines of an object. Only who has the turn looks at them.
#[derive(Debug)]
pub(super) struct Trampolines {
    /// Where sites of whole nops call; 0 as long as there are none.
    island: AtomicU64,
    /// Where those of one-byte nops call, if there is memory.
    punned: [AtomicU64; 2],
}

/// Bytes of a jump to the island.
const JUMP: usize = 5;

/// Where the island has the jump for sites in the body of a function.
const BODY: u64 = 16;

impl Trampolines {
    /// None yet.
    pub(super) const fn new() -> Trampolines {
        Trampolines { island: AtomicU64::new(0), punned: [const { AtomicU64::new(0) }; 2] }
    }

    /// Makes those for code in `text`, unless they are there. `single` are the places of one-byte nops there,
    /// in the order of their addresses. Errors: no addresses are free where they are needed, or no memory is;
    /// or the system doesn't let code be made.
    // Relaxed: one turn at a time, see `Turn`.
    pub(super) fn make(
        &self,
        text: &Range<u64>,
        single: impl Iterator<Item = u64> + Clone,
    ) -> Result<(), NotApplied> {
        if self.island.load(Relaxed) != 0 {
            return Ok(());
        }
        let page = PAGE as u64;
        let (start, end) = (single.clone().next(), single.clone().last());
        let start = start.map_or(0, |first| punned_target(first) & !(page - 1));
        let end = end.map_or(0, |last| (punned_target(last) + JUMP as u64).next_multiple_of(page));
        // Below the program there may be nothing.
        let is_below = start < end && end < text.start;
        let punned = if is_below { CodeArea::at(start..end + page).ok() } else { None };
        let is_punned = punned.is_some();
        let (mut area, island) = match punned {
            Some(area) => (area, end),
            None => {
                let area = CodeArea::near(text, page).ok_or(NotApplied::NoSpace { text: text.start })?;
                let island = area.pages().start;
                (area, island)
            }
        };
        area.write(island, &jump(function_entry::called as *const () as u64));
        area.write(island + BODY, &jump(body_entry::called as *const () as u64));
        if is_punned {
            for site in single {
                let at = punned_target(site);
                let distance = island.wrapping_sub(at + JUMP as u64) as u32;
                let [one, two, three, four] = distance.to_le_bytes();
                area.write(at, &[0xe9, one, two, three, four]);
            }
        }
        area.seal()?;
        if is_punned {
            let [low, high] = &self.punned;
            low.store(start, Relaxed);
            high.store(end, Relaxed);
        }
        self.island.store(island, Relaxed);
        Ok(())
    }

    /// What the site at an address is to call, if its bytes let it choose, or if its only choice is there.
    pub(super) fn target(&self, place: SitePlace, site: u64) -> u64 {
        let punned = punned_target(site);
        let [low, high] = self.punned.each_ref().map(|end| end.load(Relaxed));
        match place {
            SitePlace::FirstInstruction if (low..high).contains(&punned) => punned,
            SitePlace::FirstInstruction => self.island.load(Relaxed),
            _ => self.island.load(Relaxed) + BODY,
        }
    }
}
