//! The sites at which probes are, by their addresses: what is looked up at a call where nothing else is
//! wanted.
//!
//! A part of the [table of probes](super::probes), whose version says whether what was found here holds.

use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU32, AtomicU64};

/// A power of two, and some times as many as there can be probes.
const SLOTS: usize = 1024;

/// How many are looked at for an address.
const NEAR: usize = 4;

/// The address of a site, and the number of the first of its probes; 0 where there is none.
struct ProbedSite {
    address: AtomicU64,
    first: AtomicU32,
}

static TABLE: [ProbedSite; SLOTS] =
    [const { ProbedSite { address: AtomicU64::new(0), first: AtomicU32::new(0) } }; SLOTS];

/// Where an address may be.
#[inline(always)]
fn near(address: u64) -> impl Iterator<Item = &'static ProbedSite> {
    let start = (address ^ address >> 10) as usize;
    (start..).take(NEAR).filter_map(|slot| TABLE.get(slot & (SLOTS - 1)))
}

/// Forgets all.
pub(super) fn forget() {
    for site in &TABLE {
        site.address.store(0, Relaxed);
        site.first.store(0, Relaxed);
    }
}

/// Has the site at an address begin with this probe. Where there is no space it isn't found here.
pub(super) fn put(address: u64, first: u32) {
    let of_address = |site: &&ProbedSite| [0, address].contains(&site.address.load(Relaxed));
    if let Some(site) = near(address).find(of_address) {
        site.address.store(address, Relaxed);
        site.first.store(first, Relaxed);
    }
}

/// The number of the first probe of the site at an address.
#[inline(always)]
pub(super) fn find(address: u64) -> Option<u32> {
    near(address).find(|site| site.address.load(Relaxed) == address).map(|site| site.first.load(Relaxed))
}
