//! Addresses that mean the same whatever process they come from.

use crate::image::{END, Image};
use crate::mapped_path::{Nameless, SeenFile};
use crate::prototypes::Prototypes;
use crate::tables::Process;
use crate::unwind::FrameTable;
use abi::control::event_index;
use control::ControlArea;
use events::FieldKind;
use session::{MARKER_IP, MARKER_SYMBOL, object_path};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use trace_data::dat::MappedFile;
use trace_data::symbols::{NamedAddress, SymbolTable};

/// Where the images start: no program has addresses there.
const START: u64 = 1 << 56;

/// How far those of two instances are apart: no program has so much mapped.
const INSTANCE: u64 = 1 << 48;

/// What stands in a stack for callers that are not known. No program has this address.
const CUT_IP: u64 = MARKER_IP - 4096;
/// The name that it is shown with.
const CUT_SYMBOL: &str = "...";

/// Addresses that are kept, so that they need not be found again.
const MOST_KNOWN: usize = 1 << 16;

/// Gives every mapped file a place in the recording, and every address in it one there.
#[derive(Debug)]
pub(crate) struct Addresses {
    /// By the file's entry; none for an entry that can't be read.
    images: HashMap<u32, Option<Image>>,
    /// Entries that are some process's program.
    programs: HashSet<u32>,
    next: u64,
    /// Those that are in no file, with their names.
    unmapped: Vec<(u64, &'static str)>,
    /// What was asked before: entry and start of the process, and address.
    known: HashMap<(u32, u64, u64), u64>,
    /// Places in files, by the same.
    places: HashMap<(u32, u64, u64), (u32, u64)>,
    /// What functions are called with.
    prototypes: Prototypes,
    /// The names of all of them, until there are more.
    symbols: Option<Arc<SymbolTable>>,
}

impl Addresses {
    /// For one who reads an instance of a session: what one has, no other has.
    pub(crate) fn new(instance: usize) -> Addresses {
        Addresses {
            images: HashMap::new(),
            programs: HashSet::new(),
            next: START + instance as u64 * INSTANCE,
            unmapped: Vec::new(),
            known: HashMap::new(),
            places: HashMap::new(),
            prototypes: Prototypes::default(),
            symbols: None,
        }
    }

    /// The address in the recording for one in a process of the session whose file `control` is. Itself where
    /// nothing is known to be there.
    pub(crate) fn translate(&mut self, control: &ControlArea, process: &Process, address: u64) -> u64 {
        let key = (process.info.entry, process.info.start_time, address);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let translated = self.find(control, process, address).unwrap_or(address);
        if self.known.len() >= MOST_KNOWN {
            self.known.clear();
        }
        self.known.insert(key, translated);
        translated
    }

    /// The address in the recording for that of an instruction to which no call returns.
    pub(crate) fn translate_start(&mut self, control: &ControlArea, process: &Process, address: u64) -> u64 {
        if let Some(site) = self.find_site(control, process, address) {
            return site;
        }
        // As if a call of its first byte returned.
        self.translate(control, process, address.wrapping_add(1)).wrapping_sub(1)
    }

    fn find_site(&mut self, control: &ControlArea, process: &Process, address: u64) -> Option<u64> {
        let (entry, own) = self.place(control, process, address)?;
        let found = self.image(control, entry)?.translate_site(own)?;
        if process.maps.first().is_some_and(|map| map.object == entry) {
            self.programs.insert(entry);
        }
        self.symbols = None;
        Some(found)
    }

    fn find(&mut self, control: &ControlArea, process: &Process, address: u64) -> Option<u64> {
        let (entry, own) = self.place(control, process, address)?;
        if process.maps.first().is_some_and(|map| map.object == entry) {
            self.programs.insert(entry);
        }
        self.symbols = None;
        Some(self.image(control, entry)?.translate(own))
    }

    /// The address in the recording for that of a site of a file, in the file's own addresses, and whether
    /// the site has a name of its own. None for an entry that can't be read.
    pub(crate) fn translate_entry(
        &mut self,
        control: &ControlArea,
        entry: u32,
        own: u64,
    ) -> Option<(u64, bool)> {
        self.symbols = None;
        let image = self.image(control, entry)?;
        let site = image.translate_site(own);
        // As if a call of its first byte returned.
        Some(site.map_or_else(|| (image.translate(own.wrapping_add(1)), false), |site| (site, true)))
    }

    /// Where an address of a process is: the entry of the file that is mapped there, and the file's own
    /// address.
    pub(crate) fn place(
        &mut self,
        control: &ControlArea,
        process: &Process,
        address: u64,
    ) -> Option<(u32, u64)> {
        let key = (process.info.entry, process.info.start_time, address);
        if let Some(known) = self.places.get(&key) {
            return Some(*known);
        }
        let found = place(control, process, address)?;
        if self.places.len() >= MOST_KNOWN {
            self.places.clear();
        }
        self.places.insert(key, found);
        Some(found)
    }

    /// Whether a mapped file is the agent's.
    pub(crate) fn is_agent(&mut self, control: &ControlArea, entry: u32) -> bool {
        self.image(control, entry).is_some_and(|image| image.file_name().starts_with(abi::OBJECT_PREFIX))
    }

    /// How the functions of a mapped file leave their frames, if the file is there and says so.
    pub(crate) fn frame_table(&mut self, control: &ControlArea, entry: u32) -> Option<&FrameTable> {
        self.image(control, entry)?.frame_table()
    }

    /// The address that stands for what is not known of a stack.
    pub(crate) fn cut(&mut self) -> u64 {
        self.name_unmapped(CUT_IP, CUT_SYMBOL);
        CUT_IP
    }

    fn image(&mut self, control: &ControlArea, entry: u32) -> Option<&mut Image> {
        let next = self.next;
        let image = self.images.entry(entry).or_insert_with(|| {
            let object = control.object(entry)?;
            let (path, build_id) = (object_path(control, &object)?, object.build_id().to_vec());
            let seen = SeenFile { path, build_id, span: object.low..object.high };
            let place = seen.find(control, entry);
            Some(Image::new(seen, place, next))
        });
        let image = image.as_mut()?;
        self.next = self.next.max(image.end());
        Some(image)
    }

    /// The files that addresses were translated of.
    pub(crate) fn files(&self) -> Vec<MappedFile> {
        let mut files: Vec<_> = self.images.values().flatten().map(Image::mapped_file).collect();
        files.sort_by_key(|file| file.base);
        files
    }

    /// The files whose functions have no names, although addresses in them were translated: why.
    pub(crate) fn nameless(&self) -> Vec<(PathBuf, Nameless)> {
        let nameless = self.images.values().flatten().filter_map(Image::nameless);
        let mut nameless: Vec<_> = nameless.map(|(path, why)| (path.to_owned(), why)).collect();
        nameless.sort();
        nameless
    }

    /// Gives the address that texts come from its name.
    pub(crate) fn name_marker(&mut self) {
        self.name_unmapped(MARKER_IP, MARKER_SYMBOL);
    }

    fn name_unmapped(&mut self, address: u64, name: &'static str) {
        if !self.unmapped.contains(&(address, name)) {
            self.unmapped.push((address, name));
            self.symbols = None;
        }
    }

    /// The names of all addresses that were translated. Cost: sorting them, where there are more than before.
    pub(crate) fn symbols(&mut self) -> Arc<SymbolTable> {
        let symbols = self.symbols.take().unwrap_or_else(|| {
            let prototypes = self.prototypes.with_files(self.files());
            let table: SymbolTable = self.named().collect();
            Arc::new(table.with_parameters(Arc::new(prototypes)))
        });
        self.symbols.insert(symbols).clone()
    }

    fn named(&self) -> impl Iterator<Item = NamedAddress> {
        let named = |(address, name)| NamedAddress::function(address, name, None);
        let unmapped = self.unmapped.iter();
        let unmapped =
            unmapped.flat_map(move |(address, name)| [(*address, *name), (address + 1, END)].map(named));
        let images = self.images.iter().filter_map(|(entry, image)| Some((entry, image.as_ref()?)));
        unmapped.chain(images.flat_map(|(entry, image)| image.named(self.programs.contains(entry))))
    }
}

fn place(control: &ControlArea, process: &Process, address: u64) -> Option<(u32, u64)> {
    // What was mapped last counts, where something else was before.
    process.maps.iter().rev().find_map(|map| {
        let object = control.object(map.object)?;
        let own = address.wrapping_sub(map.base);
        (object.low..object.high).contains(&own).then_some((map.object, own))
    })
}

/// An address in an event.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AddressPlace {
    pub(crate) offset: usize,
    /// Whether a call returns to it; else a function starts there.
    pub(crate) is_return: bool,
}

/// Where the addresses are in each event that is built in, by their ids.
pub(crate) static PLACES: LazyLock<Vec<Vec<AddressPlace>>> = LazyLock::new(|| {
    places_of_fields(|offset, kind| match kind {
        FieldKind::Symbol | FieldKind::PackedSymbol => Some(AddressPlace { offset, is_return: true }),
        FieldKind::Function => Some(AddressPlace { offset, is_return: false }),
        _ => None,
    })
});

/// What `place` finds in the fields of each event that is built in, by their ids; it gets each field's offset
/// and kind.
pub(crate) fn places_of_fields<T>(place: impl Fn(usize, FieldKind) -> Option<T>) -> Vec<Vec<T>> {
    let mut places = Vec::new();
    for event in events::all() {
        let id = event_index(event.id);
        places.resize_with(places.len().max(id + 1), Vec::new);
        places[id] = event.placed_fields().filter_map(|(offset, field)| place(offset, field.kind)).collect();
    }
    places
}
