//! Functions that have no name, of files whose symbols were stripped.

use function_sites::{AddressName, ObjectFile};

/// Where those functions of a file begin that have no name in `symbols`, and what they are called instead: as
/// in traced processes. None of a file that has all of its symbols.
///
/// Cost: a look at each byte of the code.
pub fn unnamed_functions(file: &ObjectFile<'_>, symbols: &ObjectFile<'_>) -> Vec<(u64, String)> {
    let mut words = vec![0; file.unnamed_words(symbols)];
    file.mark_unnamed(symbols, &mut words);
    let starts = file.with_unnamed(&words).unnamed_functions();
    let name = |start| String::from_utf8_lossy(AddressName::of(start).as_bytes()).into_owned();
    starts.map(|start| (start, name(start))).collect()
}
