//! The program that the kernel's probes were in when transcripts were made.

use super::play;
use super::shell::Shell;
use crate::common::*;
use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol};
use std::path::{Path, PathBuf};

const SOURCE: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct rec { int id; char name[12]; long v[4]; unsigned flags; };
struct rec grec = { 7, "seven", { 10, 20, 30, 40 }, 0xa5 };
const char *gname = "global-name";
unsigned short usema;
__attribute__((noinline)) int leaf(int n) { __asm__ volatile("" ::: "memory"); return n * 2 + 1; }
__attribute__((noinline)) long work(int a, long b, const char *s, struct rec *r, const unsigned char *bytes, unsigned u)
{ __asm__ volatile("" ::: "memory"); int l = leaf(a); r->v[0] += l; return l + b + (long)strlen(s) + bytes[1] + u; }
__attribute__((noinline)) const char *pick(int i) { __asm__ volatile("" ::: "memory"); return i & 1 ? "odd" : "even"; }
int main(int argc, char **argv)
{ int n = argc > 1 ? atoi(argv[1]) : 2; long x = 0; unsigned char by[8] = { 1, 2, 3, 4, 250, 251, 252, 253 };
  for (int i = 0; i < n; i++) { x += work(i - 1, 1000 + i, pick(i), &grec, by, 0xdeadbeef); if (argc > 2) usleep(atoi(argv[2])); }
  printf("%ld\n", x); return 0; }
"#;

/// It, and a session that it runs in.
pub struct ProbedProgram {
    scratch: Scratch,
    place: String,
    program: PathBuf,
}

impl ProbedProgram {
    pub fn new() -> ProbedProgram {
        let scratch = Scratch::new();
        let (source, program) = (scratch.write("utest.c", SOURCE), scratch.path("utest"));
        let options = ["-O1", "-no-pie", "-fpatchable-function-entry=5", "-o"];
        run(scratch.command("gcc").args(options).arg(&program).arg(&source)).success();
        let place = scratch.outside("session").to_str().unwrap().to_string();
        run(&mut scratch.lookback(&["start", "-q", "--session", &place, "-e", "sched_process_exit"]))
            .success();
        let quiet = ["set", "-q", "--session", &place, "sched_process_exit", "off"];
        run(&mut scratch.lookback(&quiet)).success();
        ProbedProgram { scratch, place, program }
    }

    /// Compares every answer of a transcript.
    #[track_caller]
    pub fn play(self, name: &str) {
        let replacements = replacements(&self.program);
        let shell = Shell::new(Path::new(&self.place)).running(move |program, arguments| {
            let path = (program == "utest").then(|| self.program.to_str().unwrap())?;
            let command = [&["run", "--session", &self.place, path], arguments].concat();
            Some(run(&mut self.scratch.lookback(&command)).success().stdout)
        });
        play(name, shell, |text| {
            replacements.iter().fold(text, |text, (kernels, ours)| text.replace(kernels, ours))
        });
    }
}

/// What the program's addresses were in the kernel's transcripts, and what they are here: the longest first.
fn replacements(program: &Path) -> Vec<(String, String)> {
    let bytes = std::fs::read(program).unwrap();
    let file = object::File::parse(bytes.as_slice()).unwrap();
    let find = |name: &str| file.symbols().find(|symbol| symbol.name() == Ok(name)).unwrap();
    let address = |name: &str| find(name).address();
    let returned = |name| after_call(&file, find("main").address(), address(name));
    // Where the kernel's program was mapped, and this one is.
    const BASE: u64 = 0x40_0000;
    let offset = |address: u64| {
        let mut segments = file.segments();
        let segment = segments
            .find(|segment| (segment.address()..segment.address() + segment.size()).contains(&address));
        let segment = segment.unwrap();
        segment.file_range().0 + (address - segment.address())
    };
    let mut found = vec![("/bin/utest".to_string(), program.to_str().unwrap().to_string())];
    let mut same = |kernels: u64, ours: u64, kernels_offset: u64| {
        for (kernels, ours) in [(kernels, ours), (kernels_offset, offset(ours))] {
            found.push((format!("{kernels:#018x}"), format!("{ours:#018x}")));
            found.push((format!("<{kernels:016x}>"), format!("<{ours:016x}>")));
            found.push((format!("{kernels:#x}"), format!("{ours:#x}")));
            found.push((format!("({kernels})"), format!("({ours})")));
        }
    };
    for (name, kernels) in [("work", 0x113e), ("leaf", 0x1139), ("pick", 0x1192)] {
        same(BASE + kernels, address(name), kernels);
    }
    for (name, kernels) in [("work", 0x126e), ("pick", 0x124f)] {
        same(BASE + kernels, returned(name), kernels);
    }
    same(0x40_7020, address("grec"), 0x6020);
    same(0x40_7058, address("gname"), 0x6058);
    found.push(("0x6182".to_string(), format!("{:#x}", offset(address("usema")))));
    found.sort_by_key(|(kernels, _)| std::cmp::Reverse(kernels.len()));
    found
}

/// Where a function's first call of another one returns to.
fn after_call(file: &object::File<'_>, caller: u64, called: u64) -> u64 {
    let text = file.section_by_name(".text").unwrap();
    let code = &text.data().unwrap()[(caller - text.address()) as usize..];
    let is_call = |(at, bytes): &(usize, &[u8])| {
        let [0xe8, distance @ ..] = *bytes else { return false };
        let distance = i32::from_le_bytes(distance.try_into().unwrap());
        (caller + *at as u64 + 5).wrapping_add_signed(distance.into()) == called
    };
    let (at, _) = code.windows(5).enumerate().find(is_call).unwrap();
    caller + at as u64 + 5
}
