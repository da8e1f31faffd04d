//! A mapped file in the addresses of a recording.

use crate::functions::{Function, functions, named_sites};
use crate::mapped_path::{Nameless, SeenFile};
use crate::unwind::FrameTable;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use trace_data::dat::MappedFile;
use trace_data::symbols::NamedAddress;

/// A mapped file, and the three ranges of addresses that stand for it in a recording: one in which its
/// functions have names, one in which the file itself is the name, and one for sites that have names of their
/// own: the function that such a site is of may have been inlined into another one.
///
/// A file is mapped at another address in every process, so the addresses in events mean nothing by
/// themselves. In a recording each file has a place of its own, above all addresses that a program can have.
#[derive(Debug)]
pub(crate) struct Image {
    seen: SeenFile,
    /// Where it can be read.
    place: Result<PathBuf, Nameless>,
    /// Where the file's address 0 is, for addresses in functions.
    base: u64,
    /// Bytes of each range.
    size: u64,
    /// Sorted by start; read when an address in the file is seen first.
    functions: Option<Vec<Function>>,
    /// Functions that addresses were in, by start: which they are, and how far those reached.
    used: BTreeMap<u64, (u64, u64)>,
    /// Whether an address was in none.
    is_used_unnamed: bool,
    /// Read when the start of something in the file is seen first.
    sites: Option<Vec<Function>>,
    /// Those that were seen, by their index.
    used_sites: BTreeSet<usize>,
    /// Read when a stack is unwound; None in it where there is none.
    frame_table: OnceCell<Option<FrameTable>>,
}

impl Image {
    /// A file that can be read at `place`.
    pub(crate) fn new(seen: SeenFile, place: Result<PathBuf, Nameless>, base: u64) -> Image {
        let size = size(seen.span.end);
        Image {
            seen,
            place,
            base,
            size,
            functions: None,
            used: BTreeMap::new(),
            is_used_unnamed: false,
            sites: None,
            used_sites: BTreeSet::new(),
            frame_table: OnceCell::new(),
        }
    }

    /// What `read` finds in the file, which is given its build id, too. None where it can't be read.
    fn read<T>(&self, read: impl FnOnce(&Path, &[u8]) -> T) -> Option<T> {
        self.place.as_ref().ok().map(|path| read(path, &self.seen.build_id))
    }

    /// Why functions that addresses were in have no names, if that is so.
    pub(crate) fn nameless(&self) -> Option<(&Path, Nameless)> {
        let why = *self.place.as_ref().err()?;
        self.is_used_unnamed.then_some((&self.seen.path, why))
    }

    /// The file's name.
    pub(crate) fn file_name(&self) -> Cow<'_, str> {
        self.seen.path.file_name().unwrap_or_default().to_string_lossy()
    }

    /// How its functions leave their frames, if it says so.
    pub(crate) fn frame_table(&self) -> Option<&FrameTable> {
        self.frame_table.get_or_init(|| self.read(FrameTable::read).flatten()).as_ref()
    }

    /// Where the next image can start.
    pub(crate) fn end(&self) -> u64 {
        self.base + 3 * self.size
    }

    /// The address in the recording for an address of the file to which a call returns.
    ///
    /// A call that never returns can be the last instruction of its function: then it returns to where the
    /// next one starts. So in a recording there is a byte between any two.
    pub(crate) fn translate(&mut self, address: u64) -> u64 {
        if self.functions.is_none() {
            self.functions = Some(self.read(functions).unwrap_or_default());
        }
        let functions = self.functions.as_deref().unwrap_or_default();
        let call = address.saturating_sub(1);
        let index = functions.partition_point(|function| function.start <= call).wrapping_sub(1);
        match functions.get(index).filter(|function| call < function.end) {
            Some(function) => {
                let (_, reach) = self.used.entry(function.start).or_insert((index as u64, function.end));
                *reach = (*reach).max(address + 1);
                self.base + index as u64 + address
            }
            None => {
                self.is_used_unnamed = true;
                self.base + self.size + address
            }
        }
    }

    /// The address in the recording for that of a site of the file, if it has a name of its own.
    pub(crate) fn translate_site(&mut self, address: u64) -> Option<u64> {
        if self.sites.is_none() {
            self.sites = Some(self.read(named_sites).unwrap_or_default());
        }
        let sites = self.sites.as_ref()?;
        let index = sites.binary_search_by_key(&address, |site| site.start).ok()?;
        self.used_sites.insert(index);
        Some(self.base + 2 * self.size + address)
    }

    fn used_sites(&self) -> impl Iterator<Item = &Function> {
        self.used_sites.iter().filter_map(|index| self.sites.as_ref()?.get(*index))
    }

    /// Where in the file the recording's addresses are.
    pub(crate) fn mapped_file(&self) -> MappedFile {
        let place = |(start, (index, _)): (&u64, &(u64, u64))| (self.base + start + index, *start);
        let site = |site: &Function| (self.base + 2 * self.size + site.start, site.start);
        MappedFile {
            path: self.seen.path.to_string_lossy().into_owned(),
            build_id: self.seen.build_id.clone(),
            base: self.base + self.size,
            size: self.size,
            functions: self.used.iter().map(place).chain(self.used_sites().map(site)).collect(),
        }
    }

    /// What readers need to find names. One after each function says where it ends.
    pub(crate) fn named(&self, is_program: bool) -> Vec<NamedAddress> {
        let file = self.file_name().replace(['\n', ' ', '\t'], "_");
        let module = (!is_program).then_some(file.as_str());
        let function = |address, name| NamedAddress::function(self.base + address, name, module);
        let functions = self.functions.as_deref().unwrap_or_default();
        let (mut named, mut last_end) = (Vec::new(), None);
        for (start, (index, reach)) in &self.used {
            let start = start + index;
            named.extend(last_end.filter(|end| *end < start).map(|end| function(end, END)));
            let name = functions.get(*index as usize).map_or("?", |function| &function.name);
            named.push(function(start, name));
            last_end = Some(reach + index);
        }
        named.extend(last_end.map(|end| function(end, END)));
        if self.is_used_unnamed {
            named.push(NamedAddress::image(self.base + self.size, &file, module));
            named.push(function(2 * self.size - 1, END));
        }
        for site in self.used_sites() {
            named.push(function(2 * self.size + site.start, &site.name));
            named.push(function(2 * self.size + site.end, END));
        }
        named
    }
}

/// What names the address after a function.
pub(crate) const END: &str = "end";

/// Bytes of a range for a file whose addresses end at `high`, with a byte between any two functions. There
/// are no more functions than addresses.
fn size(high: u64) -> u64 {
    (2 * high + 2).next_multiple_of(1 << 16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace_data::dat::Supplement;
    use trace_data::symbols::{SymbolTable, Symbols};

    fn image() -> Image {
        let seen = SeenFile { path: "/lib/some.so".into(), build_id: Vec::new(), span: 0..0x5000 };
        Image::new(seen, Err(Nameless::Gone), 0x1_0000)
    }

    fn function(start: u64, end: u64, name: &str) -> Function {
        Function { start, end, name: name.to_string() }
    }

    #[test]
    fn addresses_have_the_names_of_their_functions_or_of_the_file() {
        let mut image = image();
        image.functions = Some(vec![
            function(0x100, 0x180, "first"),
            function(0x180, 0x200, "unused"),
            function(0x200, 0x300, "last"),
        ]);
        let places = [0x110, 0x180, 0x2ff, 0x301, 0x4000].map(|address| image.translate(address));
        let table: SymbolTable = image.named(false).into_iter().collect();
        let names = places.map(|place| {
            let symbol = table.symbol(place).unwrap();
            assert_eq!(symbol.module, Some("some.so"));
            (symbol.name.to_string(), symbol.offset)
        });
        let expected =
            [("first", 0x10), ("first", 0x80), ("last", 0xff), ("some.so", 0x301), ("some.so", 0x4000)];
        assert_eq!(names, expected.map(|(name, offset)| (name.to_string(), offset)));
        let supplement = Supplement { files: vec![image.mapped_file()], ..Supplement::default() };
        let own = places.map(|place| supplement.place(place).map(|(_, own)| own));
        assert_eq!(own, [0x110, 0x180, 0x2ff, 0x301, 0x4000].map(Some));
    }

    #[test]
    fn a_file_that_is_gone_has_no_names() {
        let mut image = image();
        assert_eq!(image.nameless(), None, "nobody has asked");
        image.translate(0x110);
        assert_eq!(image.nameless(), Some((Path::new("/lib/some.so"), Nameless::Gone)));
    }

    #[test]
    fn sites_have_their_own_names() {
        let mut image = image();
        image.functions = Some(vec![function(0x100, 0x180, "outer")]);
        image.sites = Some(vec![function(0x110, 0x111, "inlined")]);
        assert_eq!(image.translate_site(0x111), None);
        let places = [image.translate(0x111), image.translate_site(0x110).unwrap()];
        let table: SymbolTable = image.named(true).into_iter().collect();
        let names = places.map(|place| table.symbol(place).map(|symbol| (symbol.name, symbol.offset)));
        assert_eq!(names, [Some(("outer", 0x11)), Some(("inlined", 0))]);
        let supplement = Supplement { files: vec![image.mapped_file()], ..Supplement::default() };
        let own = places.map(|place| supplement.place(place).map(|(_, own)| own));
        assert_eq!(own, [Some(0x111), Some(0x110)]);
        assert!(places.iter().all(|place| *place < image.end()));
    }

    #[test]
    fn a_call_at_the_end_of_a_function_is_not_in_the_next() {
        let mut image = image();
        image.functions = Some(vec![function(0x100, 0x180, "ends"), function(0x180, 0x200, "next")]);
        let places = [0x180, 0x181, 0x200].map(|address| image.translate(address));
        let table: SymbolTable = image.named(true).into_iter().collect();
        let names = places.map(|place| table.symbol(place).map(|symbol| (symbol.name, symbol.offset)));
        assert_eq!(names, [Some(("ends", 0x80)), Some(("next", 1)), Some(("next", 0x80))]);
    }
}
