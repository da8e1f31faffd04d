//! Sites to go through: every form that a compiler leaves, at each place in a word.

use text_poke::SiteCode;
use text_poke::plan::entry::{self, CallTarget};
use text_poke::plan::{Plan, instruction, xray};

/// Where the words of all sites begin. The lowest bits of a page's last word are set by each site.
pub const WORDS: u64 = 0x40_0000_0ff0;
/// What `mcount` is.
pub const OWN: u64 = 0x40_0010_0000;
/// What a site that is on calls.
pub const TARGET: u64 = 0x40_0020_0000;
/// What indirect calls go through.
pub const POINTER: u64 = 0x40_0030_0000;

/// A site.
#[derive(Debug, Clone, Copy)]
pub struct ModelSite {
    pub name: &'static str,
    pub plan: Plan,
    /// What it calls when it is on, or jumps to.
    pub target: u64,
    /// Where a jump comes back to, from the site's start.
    pub resumes: usize,
    /// What it jumps to while it is off, if it does.
    pub off: u64,
}

/// All sites.
pub fn sites() -> Vec<ModelSite> {
    (0..8).flat_map(|offset| sites_at(WORDS + offset)).collect()
}

fn sites_at(address: u64) -> Vec<ModelSite> {
    let distance = |end: u64, target: u64| (target.wrapping_sub(end) as i32).to_le_bytes();
    let call = [&[0xe8][..], &distance(address + 5, OWN)].concat();
    let longer_call = [&[0x67, 0xe8][..], &distance(address + 6, OWN)].concat();
    let indirect = [&[0xff, 0x15][..], &distance(address + 6, POINTER)].concat();
    let (own, other) = (CallTarget::Own, CallTarget::At(TARGET));
    let punned = entry::punned_target(address);
    let entries: Vec<(&str, Vec<u8>, CallTarget, u64)> = vec![
        ("nop of 5 bytes", vec![0x0f, 0x1f, 0x44, 0x00, 0x08], other, TARGET),
        ("nop of 6 bytes", vec![0x66, 0x0f, 0x1f, 0x44, 0, 0], other, TARGET),
        ("nop of 8 bytes", vec![0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0], other, TARGET),
        ("nop of 10 bytes", vec![0x2e, 0x66, 0x0f, 0x1f, 0x84, 0, 0, 2, 0, 0], other, TARGET),
        ("5 nops", vec![0x90; 5], other, TARGET),
        ("7 nops", vec![0x90; 7], other, TARGET),
        ("9 nops", vec![0x90; 9], other, TARGET),
        ("16 nops", vec![0x90; 16], other, TARGET),
        ("5 nops, punned", vec![0x90; 5], CallTarget::At(punned), punned),
        ("8 nops, punned", vec![0x90; 8], CallTarget::At(punned), punned),
        ("nops of 2 and 3 bytes", vec![0x66, 0x90, 0x0f, 0x1f, 0x00], other, TARGET),
        ("call", call.clone(), own, OWN),
        ("call, to other code", call, other, TARGET),
        ("longer call", longer_call.clone(), own, OWN),
        ("longer call, to other code", longer_call, other, TARGET),
        ("indirect call", indirect.clone(), own, OWN),
        ("indirect call, to other code", indirect, other, TARGET),
    ];
    let entry = |(name, found, wanted, target): (_, Vec<u8>, _, _)| {
        // Of these some can't be planned at some addresses: what can is counted by a test.
        let plan = entry::plan(address, &found, wanted).ok()?;
        Some(ModelSite { name, plan, target, resumes: 0, off: 0 })
    };
    let mut sites: Vec<ModelSite> = entries.into_iter().filter_map(entry).collect();
    let sled = [0xeb, 0x09, 0x66, 0x0f, 0x1f, 0x84, 0, 0, 2, 0, 0];
    // At odd addresses there is none.
    let plan = xray::plan(address, &sled, TARGET).ok();
    sites.extend(plan.map(|plan| ModelSite { name: "sled", plan, target: TARGET, resumes: 0, off: 0 }));
    sites.extend(instructions(address));
    sites
}

/// Instructions of a function, and what follows them where they are shorter than a jump.
fn instructions(address: u64) -> impl Iterator<Item = ModelSite> {
    let punned = |bytes: u64| address + 5 + bytes;
    let all: [(_, &[u8], _, _); 3] = [
        ("instruction of 3 bytes", &[0x48, 0x89, 0xe5, 0x41, 0x57], 3, punned(0x5741_0010)),
        ("instruction of 4 bytes", &[0x48, 0x83, 0xec, 0x20, 0x55], 4, punned(0x5500_1234)),
        ("instruction of 7 bytes", &[0x48, 0x81, 0xec, 0, 1, 0, 0], 7, TARGET),
    ];
    let in_place = all.into_iter().filter_map(move |(name, found, len, target)| {
        let plan = instruction::plan(address, found, len, target).ok()?;
        Some(ModelSite { name, plan, target, resumes: len, off: 0 })
    });
    in_place.chain(with_space(address))
}

/// Instructions whose jumps have bytes in padding, or are there beforehand. Where the long jump in padding
/// leads is nobody's business here: it was stored, and seen, before.
fn with_space(address: u64) -> impl Iterator<Item = ModelSite> {
    let ret = instruction::plan_with_padding(address, &[0xc3, 0x0f, 0x1f, 0x40, 0x00], 1, TARGET);
    let zero = instruction::plan_short(address, &[0x31, 0xc0], [0xeb, 0x20]);
    let off = TARGET + 0x20;
    let long = instruction::plan_beforehand(address, &[0x48, 0x81, 0xec, 0, 1, 0, 0], [TARGET, off]);
    let all = [
        ("return before padding", ret, TARGET, 5, 0),
        ("instruction of 2 bytes, short jump", zero, address + 0x22, 2, 0),
        ("instruction of 7 bytes, beforehand", long, TARGET, 7, off),
    ];
    let planned = |(name, plan, target, resumes, off): (_, Result<Plan, _>, _, _, _)| {
        Some(ModelSite { name, plan: plan.ok()?, target, resumes, off })
    };
    all.into_iter().filter_map(planned)
}

impl ModelSite {
    /// The address that a call that ends at `end` goes to.
    pub fn is_called(&self, target: u64) -> bool {
        target == self.target
    }

    /// Whether its call before it was patched goes there: it may, until the site is off once.
    pub fn was_called(&self, target: u64) -> bool {
        let found = self.plan.code(text_poke::plan::SiteState::Found);
        target == OWN && matches!(found.bytes(), [0xe8, ..] | [0xff, 0x15, ..])
    }

    /// How it is found.
    pub fn found(&self) -> SiteCode {
        self.plan.code(text_poke::plan::SiteState::Found)
    }
}
