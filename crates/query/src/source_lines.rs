//! Lines of source for addresses, from the debug information of the files that were mapped.

use addr2line::Loader;
use foldhash::HashMap;
use reading::{alternate_debug_file, debug_file, is_same_file};
use std::cell::RefCell;
use std::fmt::Write;
use std::path::PathBuf;
use trace_data::dat::{MappedFile, Supplement};

/// Finds lines; files are opened when an address in them is seen first.
pub(crate) struct SourceLines<'a> {
    supplement: &'a Supplement,
    /// By the file's place in the recording; none for one without debug information.
    loaders: RefCell<HashMap<u64, Option<Loader>>>,
    /// What was asked before.
    known: RefCell<HashMap<u64, String>>,
}

impl<'a> SourceLines<'a> {
    pub(crate) fn new(supplement: &'a Supplement) -> SourceLines<'a> {
        SourceLines { supplement, loaders: RefCell::default(), known: RefCell::default() }
    }

    /// Appends ` (FILE:LINE)` of an address of the recording: of the function that starts there, or of the
    /// call that returns there.
    pub(crate) fn print(&self, address: u64, out: &mut Vec<u8>) {
        let mut known = self.known.borrow_mut();
        let text = known.entry(address).or_insert_with(|| self.find(address).unwrap_or_default());
        out.extend_from_slice(text.as_bytes());
    }

    fn find(&self, address: u64) -> Option<String> {
        let (file, own) = self.supplement.place(address)?;
        let mut loaders = self.loaders.borrow_mut();
        let loader = loaders.entry(file.base).or_insert_with(|| load(file)).as_ref()?;
        // A call is in front of where it returns to. No call of a recording returns to a function's start.
        let is_start = file.functions.binary_search(&(address, own)).is_ok();
        let location = loader.find_location(own.checked_sub(u64::from(!is_start))?).ok()??;
        let mut text = format!(" ({}", location.file?);
        if let Some(line) = location.line {
            let _ = write!(text, ":{line}");
        }
        text.push(')');
        Some(text)
    }
}

/// The debug information of a file: that which was split off, or its own. None if there is none, or
/// the file is another one now.
fn load(file: &MappedFile) -> Option<Loader> {
    let paths = debug_file(file.path.as_ref(), &file.build_id).into_iter().chain([PathBuf::from(&file.path)]);
    let mut same = paths.filter(|path| is_same_file(path, &file.build_id));
    let load = |path: PathBuf| {
        let alternate = alternate_debug_file(&path, &file.build_id);
        let loader = Loader::new_with_sup(path, alternate).ok();
        loader.filter(|loader| loader.get_section_range(b".text").is_some())
    };
    same.find_map(load)
}
