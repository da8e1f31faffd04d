//! Objects as compilers make them: their sites are found, planned, and call what they should.

use core::ffi::{CStr, c_int, c_void};
use core::ops::Range;
use function_sites::{ObjectFile, SiteKind};
use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::process::Command;
use text_poke::plan::entry::{self, CallTarget};
use text_poke::plan::{Plan, SiteState, xray};
use text_poke::{CodeArea, JUMP_LEN, Poke, Text, Threads, apply, jump};

/// Three functions; and what their sites call, which counts.
const SOURCE: &str = r#"
unsigned long calls;
__asm__(".text\n"
        ".globl trampoline, __fentry__, mcount\n"
        ".type trampoline, @function\n.type __fentry__, @function\n.type mcount, @function\n"
        "trampoline: __fentry__: mcount:\n"
        "push %rax\n mov calls@GOTPCREL(%rip), %rax\n incq (%rax)\n pop %rax\n ret\n");
__attribute__((noinline)) int one(int number) { return number + 1; }
__attribute__((noinline)) int two(int number) { return one(number) * 2 + one(number + 1); }
__attribute__((noinline)) int run(int number) { return two(number) + one(number + 2); }
"#;

/// How many functions a call of `run` is.
const CALLS: u64 = 5;

/// An object that is loaded, and never unloaded.
struct LoadedFunctions {
    file: Vec<u8>,
    base: u64,
    text: [Text; 1],
    handle: *mut c_void,
}

impl LoadedFunctions {
    /// Compiles and loads it. None where the compiler isn't installed.
    fn compile(compiler: &str, flags: &[&str]) -> Option<LoadedFunctions> {
        Command::new(compiler).arg("--version").output().ok()?;
        let folder = tempfile::tempdir().unwrap();
        let [source, object, library] = ["a.c", "a.o", "a.so"].map(|name| folder.path().join(name));
        std::fs::write(&source, SOURCE).unwrap();
        let compile = ["-O2", "-fPIC", "-c", "-o"];
        succeed(Command::new(compiler).args(flags).args(compile).args([&object, &source]));
        // Linked without the flags: XRay's would want its runtime.
        // Its own `mcount` is the one that it calls, although libc has another.
        let link = ["-shared", "-Wl,--no-warnings", "-Wl,-Bsymbolic", "-o"];
        succeed(Command::new("cc").args(link).args([&library, &object]));
        Some(LoadedFunctions::load(&library))
    }

    fn load(library: &PathBuf) -> LoadedFunctions {
        let file = std::fs::read(library).unwrap();
        let path = CString::new(library.to_str().unwrap()).unwrap();
        // SAFETY: an object without constructors.
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW) };
        assert!(!handle.is_null());
        let mut loaded = LoadedFunctions { file, base: 0, text: [text_of(library)], handle };
        // SAFETY: a structure of pointers.
        let mut information = unsafe { core::mem::zeroed::<libc::Dl_info>() };
        // SAFETY: an address of the object.
        unsafe { libc::dladdr(loaded.symbol(c"run"), &mut information) };
        loaded.base = information.dli_fbase.expose_provenance() as u64;
        loaded
    }

    fn symbol(&self, name: &CStr) -> *mut c_void {
        // SAFETY: the object is loaded.
        let symbol = unsafe { libc::dlsym(self.handle, name.as_ptr()) };
        assert!(!symbol.is_null(), "{name:?}");
        symbol
    }

    fn address(&self, name: &CStr) -> u64 {
        self.symbol(name).expose_provenance() as u64
    }

    /// Where its sites are, which are all of this kind.
    fn sites(&self, kind: SiteKind) -> Vec<u64> {
        let sites: Vec<_> = ObjectFile::parse(&self.file).unwrap().sites().collect();
        assert!(sites.iter().all(|site| site.kind == kind));
        sites.iter().map(|site| self.base + site.address).collect()
    }

    /// Calls `run`, and gives how many calls that has counted.
    fn run(&self) -> u64 {
        // SAFETY: the functions of the source.
        unsafe {
            let run: extern "C" fn(c_int) -> c_int = core::mem::transmute(self.symbol(c"run"));
            let calls: *mut u64 = self.symbol(c"calls").cast();
            calls.write(0);
            assert_eq!(run(5), 12 + 7 + 8);
            calls.read()
        }
    }

    /// Brings all sites to a state.
    fn switch(&self, plans: &[Plan], wanted: SiteState, threads: Threads) {
        let pokes = plans.iter().map(|plan| Poke { plan: *plan, wanted });
        // SAFETY: the object stays; other threads have others.
        let applied = unsafe { apply(&self.text, pokes, threads) }.unwrap();
        assert_eq!(applied.failed, 0, "{applied:?}");
    }

    /// Switches all sites, and looks what is counted.
    fn check(&self, plans: &[Plan], calls: u64, name: &str) {
        self.switch(plans, SiteState::Off, Threads::Alone);
        for _ in 0..3 {
            assert_eq!(self.run(), 0, "{name}: off");
            self.switch(plans, SiteState::On, Threads::Running);
            assert_eq!(self.run(), calls, "{name}: on");
            self.switch(plans, SiteState::Off, Threads::Running);
        }
        assert_eq!(self.run(), 0, "{name}: off again");
        self.switch(plans, SiteState::Found, Threads::Alone);
        for plan in plans {
            let found = plan.code(SiteState::Found);
            assert_eq!(memory(plan.address(), found.len()), found.bytes(), "{name}");
        }
    }
}

fn memory(address: u64, len: usize) -> &'static [u8] {
    // SAFETY: of an object that stays loaded.
    unsafe { core::slice::from_raw_parts(core::ptr::with_exposed_provenance(address as usize), len) }
}

fn succeed(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The segment of code of a file that is mapped.
fn text_of(path: &Path) -> Text {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let path = path.to_str().unwrap();
    let line = maps.lines().find(|line| line.contains("r-xp") && line.ends_with(path)).unwrap();
    let (start, end) = line.split(' ').next().unwrap().split_once('-').unwrap();
    let [start, end] = [start, end].map(|text| u64::from_str_radix(text, 16).unwrap());
    Text { pages: Range { start, end }, is_writable: false }
}

/// The plans of an object's sites.
fn listed(loaded: &LoadedFunctions, kind: SiteKind, target: CallTarget) -> Vec<Plan> {
    let plan = |address| entry::plan(address, memory(address, 20), target).unwrap();
    loaded.sites(kind).into_iter().map(plan).collect()
}

#[test]
fn patchable_entries_of_compilers_call() {
    let flags: [(&str, &[&str]); 6] = [
        ("gcc", &["-fpatchable-function-entry=5"]),
        ("gcc", &["-fpatchable-function-entry=5", "-fcf-protection"]),
        ("gcc", &["-fpatchable-function-entry=12"]),
        ("clang", &["-fpatchable-function-entry=5"]),
        ("clang", &["-fpatchable-function-entry=6", "-fcf-protection"]),
        ("clang", &["-fpatchable-function-entry=12"]),
    ];
    for (compiler, flags) in flags {
        let Some(loaded) = LoadedFunctions::compile(compiler, flags) else { continue };
        let target = CallTarget::At(loaded.address(c"trampoline"));
        let plans = listed(&loaded, SiteKind::PatchableEntry, target);
        assert_eq!(plans.len(), 3, "{flags:?}");
        loaded.check(&plans, CALLS, &format!("{compiler} {flags:?}"));
    }
}

#[test]
fn calls_of_mcount_become_nops_and_calls_again() {
    let Some(loaded) = LoadedFunctions::compile("gcc", &["-pg", "-mfentry", "-mrecord-mcount"]) else {
        return;
    };
    assert_eq!(loaded.run(), CALLS, "as it was compiled");
    let plans = listed(&loaded, SiteKind::McountCall, CallTarget::Own);
    assert_eq!(plans.len(), 3);
    loaded.check(&plans, CALLS, "gcc -mfentry");
}

#[test]
fn calls_that_no_section_lists_are_planned_by_their_function() {
    let Some(loaded) = LoadedFunctions::compile("clang", &["-pg", "-mfentry"]) else { return };
    let plan = |name| {
        let address = loaded.address(name);
        entry::plan(address, memory(address, 20), CallTarget::Own).unwrap()
    };
    loaded.check(&[c"one", c"two", c"run"].map(plan), CALLS, "clang -mfentry");
}

#[test]
fn sleds_of_xray_call_at_entry() {
    let flags = ["-fxray-instrument", "-fxray-instruction-threshold=1"];
    let Some(loaded) = LoadedFunctions::compile("clang", &flags) else { return };
    let target = loaded.address(c"trampoline");
    let plan = |address| xray::plan(address, memory(address, 11), target).unwrap();
    let plans: Vec<Plan> = loaded.sites(SiteKind::Sled).into_iter().map(plan).collect();
    assert_eq!(plans.len(), 3);
    loaded.check(&plans, CALLS, "xray");
}

#[test]
fn nops_of_one_byte_call_where_they_lead_without_preparation() {
    let Some(loaded) = LoadedFunctions::compile("gcc", &["-fpatchable-function-entry=5"]) else { return };
    let trampoline = loaded.address(c"trampoline");
    let sites = loaded.sites(SiteKind::PatchableEntry);
    let targets: Vec<u64> = sites.iter().map(|site| entry::punned_target(*site)).collect();
    let page = |address: u64| address & !4095;
    let (first, last) = (targets.iter().min().unwrap(), targets.iter().max().unwrap());
    let pages = page(*first)..page(*last + JUMP_LEN as u64) + 4096;
    let mut area = CodeArea::at(pages).expect("nothing is there");
    assert!(targets.iter().all(|target| area.write(*target, &jump(trampoline))));
    area.seal().unwrap();
    let plan = |(site, target): (&u64, &u64)| {
        entry::plan(*site, memory(*site, 20), CallTarget::At(*target)).unwrap()
    };
    let plans: Vec<Plan> = sites.iter().zip(&targets).map(plan).collect();
    loaded.switch(&plans, SiteState::On, Threads::Running);
    assert_eq!(loaded.run(), CALLS);
    loaded.check(&plans, CALLS, "punned");
}

#[test]
fn code_near_a_text_is_reached_from_it() {
    let Some(loaded) = LoadedFunctions::compile("gcc", &["-fpatchable-function-entry=5"]) else { return };
    let mut area = CodeArea::near(&loaded.text[0].pages, 4096).unwrap();
    let start = area.pages().start;
    assert!(area.write(start, &jump(loaded.address(c"trampoline"))));
    assert!(!area.write(start + 4090, &jump(0)), "beyond its end");
    let pages = area.seal().unwrap();
    assert!(CodeArea::at(pages).is_err(), "it is taken");
    let plans = listed(&loaded, SiteKind::PatchableEntry, CallTarget::At(start));
    loaded.check(&plans, CALLS, "near");
}
