//! Addresses that mean the same whatever process they come from.

use crate::image::Image;
use crate::tables::Process;
use control::ControlFile;
use session::{MARKER_IP, MARKER_SYMBOL};
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::sync::LazyLock;
use trace_data::dat::MappedFile;
use trace_event::{Field, Kind};

/// Where the images start: no program has addresses there.
const START: u64 = 1 << 56;

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
    /// Whether somebody has written a text.
    is_marked: bool,
    /// What was asked before: entry and start of the process, and address.
    known: HashMap<(u32, u64, u64), u64>,
}

impl Addresses {
    pub(crate) fn new() -> Addresses {
        let (images, programs, known) = (HashMap::new(), HashSet::new(), HashMap::new());
        Addresses { images, programs, next: START, is_marked: false, known }
    }

    /// The address in the recording for one in a process of the session whose file `control` is. Itself where
    /// nothing is known to be there.
    pub(crate) fn translate(&mut self, control: &ControlFile, process: &Process, address: u64) -> u64 {
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

    fn find(&mut self, control: &ControlFile, process: &Process, address: u64) -> Option<u64> {
        // What was mapped last counts, where something else was before.
        let map = process.maps.iter().rev().find(|map| {
            let object = control.object(map.object);
            let offset = address.wrapping_sub(map.base);
            object.is_some_and(|object| (object.low..object.high).contains(&offset))
        })?;
        if process.maps.first() == Some(map) {
            self.programs.insert(map.object);
        }
        let image = self.image(control, map.object)?;
        Some(image.translate(address.wrapping_sub(map.base)))
    }

    fn image(&mut self, control: &ControlFile, entry: u32) -> Option<&mut Image> {
        let next = self.next;
        let image = self.images.entry(entry).or_insert_with(|| {
            let object = control.object(entry)?;
            let mut buffer = vec![0; object.path_len()];
            let path = OsStr::from_bytes(control.object_path(&object, &mut buffer)?);
            let len = object.build_id.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
            let build_id = object.build_id.get(..len).unwrap_or_default().to_vec();
            Some(Image::new(path.into(), build_id, next, object.high))
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

    /// Gives the address that texts come from its name.
    pub(crate) fn name_marker(&mut self) {
        self.is_marked = true;
    }

    /// The names of all addresses that were translated, as `/proc/kallsyms` would have them.
    pub(crate) fn symbols(&self) -> String {
        let mut text = String::new();
        if self.is_marked {
            text = format!("{MARKER_IP:016x} T {MARKER_SYMBOL}\n{:016x} T end\n", MARKER_IP + 1);
        }
        for (entry, image) in &self.images {
            if let Some(image) = image {
                image.write_symbols(self.programs.contains(entry), &mut text);
            }
        }
        text
    }
}

/// An address in an event.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AddressPlace {
    pub(crate) offset: usize,
    /// Whether a call returns to it; else a function starts there.
    pub(crate) is_return: bool,
}

/// Where the addresses are in each of the agent's events, by their ids.
pub(crate) static PLACES: LazyLock<Vec<Vec<AddressPlace>>> = LazyLock::new(places);

fn places() -> Vec<Vec<AddressPlace>> {
    let mut places = Vec::new();
    for listed in agent::events() {
        let fields = listed.event.fields.iter().enumerate();
        let found = fields.filter(|(_, field)| matches!(field.kind, Kind::Symbol | Kind::Function));
        let place = |(index, field): (usize, &Field)| AddressPlace {
            offset: listed.event.offset(index),
            is_return: field.kind == Kind::Symbol,
        };
        places.resize(usize::from(listed.id), Vec::new());
        places.push(found.map(place).collect());
    }
    // Messages start with where they come from.
    if let Some(places) = places.get_mut(usize::from(trace_event::PRINT_ID)) {
        places.push(AddressPlace { offset: abi::common::SIZE, is_return: true });
    }
    places
}
