//! The sites in the file of the program that runs.

use object::{Object, ObjectSection};
use std::ffi::CStr;
use std::path::Path;

#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Kind {
    Entry,
    Exit,
}

#[derive(Debug)]
pub struct Site {
    pub address: u64,
    pub bytes: Vec<u8>,
    /// Demangled, and without the static at its end.
    pub name: String,
    pub kind: Kind,
}

#[derive(Debug)]
pub struct Sites {
    pub all: Vec<Site>,
}

impl Sites {
    pub fn of_this_program() -> Sites {
        Sites::of(&std::env::current_exe().unwrap())
    }

    pub fn of(program: &Path) -> Sites {
        let data = std::fs::read(program).unwrap();
        let file = object::File::parse(&*data).unwrap();
        let section = file.section_by_name("lookback_functions").expect("the section");
        let entries = section.data().unwrap().chunks_exact(12).zip((section.address()..).step_by(12));
        let all = entries.map(|(entry, address)| site(&file, entry, address)).collect();
        Sites { all }
    }

    pub fn count(&self, name: &str, kind: Kind) -> usize {
        self.all.iter().filter(|site| site.name == name && site.kind == kind).count()
    }
}

fn site(file: &object::File<'_>, entry: &[u8], at: u64) -> Site {
    let word = |index: usize| i32::from_ne_bytes(entry[4 * index..][..4].try_into().unwrap());
    let address = at.checked_add_signed(word(0).into()).unwrap();
    let name = (at + 4).checked_add_signed(word(1).into()).unwrap();
    let name = CStr::from_bytes_until_nul(bytes(file, name)).unwrap().to_str().unwrap();
    let name = format!("{:#}", rustc_demangle::demangle(name));
    Site {
        address,
        bytes: bytes(file, address)[..5].to_vec(),
        name: name.strip_suffix("::SITE").expect("a static of ours").to_string(),
        kind: [Kind::Entry, Kind::Exit][word(2) as usize],
    }
}

/// What is at an address, up to the end of the section.
fn bytes<'a>(file: &object::File<'a>, address: u64) -> &'a [u8] {
    let mut sections = file.sections();
    let holds = |section: &object::Section<'_, '_>| {
        (section.address()..section.address() + section.size()).contains(&address)
    };
    let section = sections.find(holds).expect("a section");
    &section.data().unwrap()[(address - section.address()) as usize..]
}
