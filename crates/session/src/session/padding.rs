//! Where jumps may have their bytes between functions.

use function_sites::ObjectFile;
use planner::{SHORT_JUMP_REACH, is_padding};
use std::ops::Range;

/// The padding near an address of a file, as traced processes use it. None where a compiler has left sites:
/// some are before functions.
pub(super) fn paddings<'a>(
    file: ObjectFile<'a>,
    address: u64,
) -> impl Iterator<Item = Range<u64>> + Clone + use<'a> {
    let is_built = file.sites().next().is_some();
    let gaps = file.gaps_near(address, SHORT_JUMP_REACH).filter(move |_| !is_built);
    gaps.filter(|gap| is_padding(gap.before, gap.bytes)).map(|gap| gap.addresses)
}
