//! Metadata as it is written: in version 6 one block after the other, in version 7 each in its own section.

use super::output::{sized32, sized64, string};
use super::{MAGIC, Metadata, id};

/// What a file starts with, up to its page size.
pub(super) fn head(version: &[u8; 2], metadata: &Metadata) -> Vec<u8> {
    // Little-endian, and 8 bytes for `long`.
    [&MAGIC, &version[..], &[0, 8], &metadata.page_size.to_le_bytes()].concat()
}

/// The blocks with their numbers, in their order in a version 6 file.
pub(super) fn blocks(metadata: &Metadata) -> [(u16, Vec<u8>); 6] {
    let [page, event] = [&metadata.header_page, &metadata.header_event].map(|text| sized64(text));
    let mut systems = (metadata.systems.len() as u32).to_le_bytes().to_vec();
    for system in &metadata.systems {
        systems.extend(string(&system.name));
        systems.extend(formats(&system.formats));
    }
    [
        (id::HEADER_INFO, [&b"header_page\0"[..], &page, b"header_event\0", &event].concat()),
        (id::FTRACE_EVENTS, formats(&metadata.ftrace_formats)),
        (id::EVENT_FORMATS, systems),
        (id::KALLSYMS, sized32(&metadata.kallsyms)),
        (id::PRINTK, sized32(&metadata.printk_formats)),
        (id::CMDLINES, sized64(&metadata.cmdlines_text())),
    ]
}

fn formats(formats: &[String]) -> Vec<u8> {
    let count = (formats.len() as u32).to_le_bytes();
    count.into_iter().chain(formats.iter().flat_map(|format| sized64(format))).collect()
}
