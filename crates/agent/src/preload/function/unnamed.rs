//! Functions that have no name, of files whose symbols were stripped.

use super::lasting_table::LastingTable;
use function_filter::FunctionName;
use function_sites::{AddressName, ObjectFile};

/// Whether a file may have one of which `is_it` says so, by its address: before they were looked for.
pub(super) fn may_have(
    file: &ObjectFile<'static>,
    symbols: &ObjectFile<'static>,
    is_it: &dyn Fn(FunctionName<'_>) -> bool,
) -> bool {
    file.may_have_unnamed(symbols) && file.unnamed_candidates().any(|start| with_address(start, is_it))
}

/// Looks for those of a file, for one who has the turn: the file that knows them. It knows none where there
/// is no memory.
pub(super) fn look(file: &ObjectFile<'static>, symbols: &ObjectFile<'static>) -> ObjectFile<'static> {
    let marks = LastingTable::<u64>::new();
    let count = file.unnamed_words(symbols);
    let mark = |words: &mut [u64]| {
        file.mark_unnamed(symbols, words);
        words.len()
    };
    if count > 0 {
        let _ = marks.fill(count, core::iter::repeat_n(0, count), mark);
    }
    file.with_unnamed(marks.all())
}

/// Asks by what a function without a name is called, by its address in the file.
pub(super) fn with_address<T>(start: u64, ask: &dyn Fn(FunctionName<'_>) -> T) -> T {
    ask(FunctionName::from(AddressName::of(start).as_bytes()))
}
