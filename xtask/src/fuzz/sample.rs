//! Valid inputs.

use trace_data::dat::{BufferSource, CpuSource, Metadata, System, Version, write};
use trace_data::page::PageBuilder;

/// Fields of every kind, and a print format with every construct.
pub const FORMAT: &str = include_str!("sample.format");

/// Pieces of formats.
pub const PIECES: &[&str] = &[
    "REC->",
    "__data_loc ",
    "__rel_loc ",
    "__get_str(",
    "__print_flags(",
    "__print_symbolic(",
    "__print_array(",
    "__get_dynamic_array(",
    "(unsigned long)",
    "%*.*s",
    "%pISpc",
    "{ -1, \"a\" }",
    "offset:4294967295;",
    "size:18446744073709551615;",
    "[0]",
    "))))))))",
    "((((((((",
    "!!!!!!!!",
    "~-~-~-",
    " ? : ",
    "/ 0",
    "<< 64",
    "\"",
    "\\",
    "\n",
    "\t",
    "ß",
];

/// The id of [`FORMAT`]'s event.
const ID: u16 = 400;

/// A record of it.
pub fn payload() -> Vec<u8> {
    let mut payload = abi::common::word(ID, 0, 0, 77).to_le_bytes().to_vec();
    let place = |len: u32, at: u32| len << 16 | at;
    for half in [3, place(6, 64), place(4, 52), 1, 2] {
        payload.extend(u32::to_le_bytes(half));
    }
    payload.extend(b"program\0");
    payload.extend(place(16, 72).to_le_bytes());
    payload.extend(0x1008_u64.to_le_bytes());
    payload.extend([0; 16]);
    payload.extend(b"hello\0\0\0");
    payload.extend([15, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
    payload
}

/// Pages with such records, and with gaps between them.
pub fn pages(count: usize) -> Vec<u8> {
    let (mut builder, mut pages, mut time) = (PageBuilder::new(4096), Vec::new(), 0_u64);
    let payload = payload();
    while pages.len() < count * 4096 {
        time += if time.is_multiple_of(7) { 1 << 28 } else { 1 + time % 5 * 1000 };
        if !builder.push(time, &payload) {
            let missed = if pages.len() == 4096 { Some(5) } else { None };
            pages.extend_from_slice(builder.finish(missed));
        }
    }
    pages
}

/// A trace.dat file with two buffers of two CPUs.
pub fn dat() -> Result<Vec<u8>, String> {
    let mut metadata = Metadata::new(4096);
    metadata.ftrace_formats.push(FORMAT.replace("ID: 400", "ID: 1").replace("everything", "kernel_stack"));
    metadata.systems.push(System { name: "demo".to_string(), formats: vec![FORMAT.to_string()] });
    metadata.kallsyms = "1000 T start\n2000 T middle\t[demo]\n3000 T end\n".to_string();
    metadata.printk_formats = "0x10 : \"text\"\n".to_string();
    metadata.cmdlines.push((77, "demo".to_string()));
    metadata.options.cpu_stats.push("entries: 1".to_string());
    metadata.options.time_offset = 12;
    metadata.options.version = Some("lookback 1".to_string());
    let (one, two) = (pages(3), pages(2));
    let cpu = |pages| CpuSource { pages, length: <[u8]>::len(pages) as u64 };
    let mut buffers = [
        BufferSource { name: String::new(), cpus: vec![cpu(&one[..]), cpu(&two[..])] },
        BufferSource { name: "other".to_string(), cpus: vec![cpu(&two[..]), cpu(&one[..])] },
    ];
    let mut file = Vec::new();
    write(&mut file, Version::Six, &metadata, &mut buffers).map_err(|error| error.to_string())?;
    Ok(file)
}
