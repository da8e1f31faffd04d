//! A system of events of our own, and recordings of it.

use super::{Numbers, pages, record, save, temporary};
use std::path::PathBuf;
use trace_data::dat::{Metadata, System};
use trace_data::event::EventTable;
use trace_data::print::Dialect;

/// A format with the usual common fields.
pub fn format(name: &str, id: u16, fields: &[&str], print_fmt: &str) -> String {
    let mut text = format!(
        "name: {name}\nID: {id}\nformat:\n\
         \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
         \tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n\
         \tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n\
         \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
    );
    for field in fields {
        text.push_str(&format!("\tfield:{field};\n"));
    }
    text.push_str(&format!("\nprint fmt: {print_fmt}\n"));
    text
}

/// Everything that a format of ours may use.
pub fn libc() -> Vec<String> {
    let open = [
        "int dfd;\toffset:8;\tsize:4;\tsigned:1",
        "__data_loc char[] filename;\toffset:12;\tsize:4;\tsigned:0",
        "int flags;\toffset:16;\tsize:4;\tsigned:1",
        "unsigned short mode;\toffset:20;\tsize:2;\tsigned:0",
        "unsigned long caller;\toffset:24;\tsize:8;\tsigned:0",
    ];
    let numbers = [
        "char c;\toffset:8;\tsize:1;\tsigned:1",
        "bool ok;\toffset:9;\tsize:1;\tsigned:0",
        "short s;\toffset:10;\tsize:2;\tsigned:1",
        "int i;\toffset:12;\tsize:4;\tsigned:1",
        "long l;\toffset:16;\tsize:8;\tsigned:1",
        "u64 u;\toffset:24;\tsize:8;\tsigned:0",
        "void * p;\toffset:32;\tsize:8;\tsigned:0",
        "char name[16];\toffset:40;\tsize:16;\tsigned:0",
        "u32 set[4];\toffset:56;\tsize:16;\tsigned:0",
    ];
    let dynamic = [
        "__data_loc u8[] bytes;\toffset:8;\tsize:4;\tsigned:0",
        "__rel_loc char[] text;\toffset:12;\tsize:4;\tsigned:0",
        "__data_loc cpumask_t mask;\toffset:16;\tsize:4;\tsigned:0",
        "__data_loc unsigned long[] words;\toffset:20;\tsize:4;\tsigned:0",
        "int len;\toffset:24;\tsize:4;\tsigned:1",
    ];
    vec![
        format(
            "openat",
            1000,
            &open,
            r#""dfd=%d path=%s flags=%s mode=%04o caller=%pS", REC->dfd, __get_str(filename), __print_flags(REC->flags & 0xfffff, "|", { 1, "O_WRONLY" }, { 2, "O_RDWR" }, { 64, "O_CREAT" }, { 0x80000, "O_CLOEXEC" }), REC->mode, (void *)REC->caller"#,
        ),
        format(
            "integers",
            1001,
            &numbers,
            r#""%d %u %x %X %o %i|%ld %lu %lx %lld %llu %llx|%hd %hu %hhd %hhx|%zd %zu %Lu", REC->i, REC->i, REC->i, REC->i, REC->i, REC->i, REC->l, REC->l, REC->l, REC->u, REC->u, REC->u, REC->s, REC->s, REC->c, REC->c, REC->l, REC->u, REC->u"#,
        ),
        format(
            "columns",
            1002,
            &numbers,
            r#""<%-6d> <%6d> <%06d> <%08x> <%-8x> <%#x> <%#010x> <%.5d> <%8.3d> <%2d>%%", REC->i, REC->i, REC->i, REC->i, REC->i, REC->i, REC->i, REC->s, REC->s, REC->c"#,
        ),
        format(
            "names",
            1003,
            &numbers,
            r#""%s %.4s [%20s] [%-20s] %s %s", REC->name, REC->name, REC->name, REC->name, REC->ok ? "yes" : "no", REC->i > 4 ? "large" : (REC->i ? "small" : "zero")"#,
        ),
        format(
            "pointers",
            1004,
            &numbers,
            r#""%p %ps %pS %ps", REC->p, (void *)REC->u, (void *)REC->u, REC->p"#,
        ),
        format(
            "arithmetic",
            1005,
            &numbers,
            r#""%llu %llu %d %d %llu %d %d %llu %d", REC->u + 7, REC->u >> 3, (REC->i & 0xf0) >> 4, REC->i * 2, REC->u / 3, (int)(REC->u % 10), REC->i == 4 && REC->ok || !REC->c, (~REC->u) & 5, (unsigned char)REC->i"#,
        ),
        format(
            "symbols",
            1006,
            &numbers,
            r#""%s %s %s", __print_symbolic(REC->i, { 0, "none" }, { 1, "one" }, { 2, "two" }, { 0x10, "sixteen" }), __print_symbolic(REC->c, { 3, "three" }), __print_flags(REC->u, " + ", { 1, "a" }, { 2, "b" }, { 0xc, "cd" })"#,
        ),
        format(
            "arrays",
            1007,
            &numbers,
            r#""%s %s %x %d", __print_hex(REC->name, 4), __print_hex_str(REC->set, sizeof(REC->i)), REC->set[2], REC->set[1] & 7"#,
        ),
        format(
            "dynamic",
            1008,
            &dynamic,
            r#""%s %s %s %s len=%d <%.*s> %s", __print_hex(__get_dynamic_array(bytes), __get_dynamic_array_len(bytes)), __get_rel_str(text), __get_bitmask(words), __get_cpumask(mask), __get_dynamic_array_len(words), REC->len, __get_rel_str(text), REC->len ? __get_rel_str(text) : "-""#,
        ),
        format("unparsable", 1009, &open, r#""%d", mystery(REC->dfd)"#),
    ]
}

pub fn libc_metadata() -> Metadata {
    let mut metadata = Metadata::new(4096);
    metadata.systems.push(System { name: "libc".to_owned(), formats: libc() });
    metadata.cmdlines.push((77, "a program".to_owned()));
    metadata.options.clock = "mono".to_owned();
    metadata.options.uname = Some("Linux somewhere".to_owned());
    metadata.options.version = Some("0.1.0".to_owned());
    metadata.options.cpu_stats = vec!["CPU: 0\nentries: 5".to_owned(), "CPU: 1\nentries: 0".to_owned()];
    metadata.kallsyms = "\
0000000000000002 T tiny
0000000000000100 T open_file\t[libdemo]
0000000000001000 T main
0000000000002000 T other
ffffffff00000000 T high
"
    .to_owned();
    metadata
}

pub fn libc_records(events: &EventTable, count: usize, seed: u64) -> Vec<(u64, Vec<u8>)> {
    let mut numbers = Numbers(seed);
    let mut records = Vec::new();
    for number in 0..count {
        for event in events.iter() {
            let time = records.len() as u64 * 1_000_000 + number as u64;
            records.push((time, record(event.format(), &mut numbers)));
        }
    }
    records
}

/// Records of two CPUs, and the file they are in.
pub struct Saved {
    pub path: PathBuf,
    pub cpus: [Vec<u8>; 2],
}

impl Saved {
    pub fn new(name: &str, metadata: &Metadata) -> Saved {
        let events = metadata.events(Dialect::Report).unwrap();
        let of = |cpu: u64| {
            let records = libc_records(&events, 60, cpu);
            pages(records.iter().map(|(time, payload)| (*time + cpu * 300, &payload[..])))
        };
        let saved = Saved { path: temporary(name), cpus: [of(1), of(2)] };
        save(&saved.path, metadata, &saved.cpus);
        saved
    }

    pub fn path(&self) -> &str {
        self.path.to_str().unwrap()
    }
}

impl Drop for Saved {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}
