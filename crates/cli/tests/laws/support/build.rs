//! Compiling the programs, each when a test needs it.

use super::recorded::record;
use super::run::{Run, command, run};
use super::trace::Trace;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use tempfile::TempDir;

/// A directory for this run of the tests, which users other than its owner can enter: some programs change
/// who they are.
pub(crate) fn scratch() -> &'static Path {
    static SCRATCH: OnceLock<TempDir> = OnceLock::new();
    let make = || {
        use std::os::unix::fs::PermissionsExt;
        let permissions = std::fs::Permissions::from_mode(0o755);
        let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
        std::fs::create_dir_all(target).unwrap();
        tempfile::Builder::new().prefix("laws-").permissions(permissions).tempdir_in(target).unwrap()
    };
    SCRATCH.get_or_init(make).path()
}

/// A path in the scratch directory that nobody else uses.
pub(crate) fn unused(name: &str) -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    scratch().join(format!("{}-{name}", NEXT.fetch_add(1, Relaxed)))
}

/// A program of `programs/`, compiled.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    path: PathBuf,
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
}

impl Program {
    /// `programs/NAME.c`.
    pub(crate) fn c(name: &str, flags: &[&str]) -> Program {
        Program::built_by(&["cc"], name, flags)
    }

    /// A program built by another compiler, with options of its own.
    pub(crate) fn built_by(compiler: &[&str], name: &str, flags: &[&str]) -> Program {
        let [compiler, options @ ..] = compiler else { panic!("no compiler") };
        let flags: Vec<&str> = options.iter().chain(flags).copied().collect();
        Program::compiled(compiler, &format!("{name}.c"), name, &flags)
    }

    /// `programs/NAME.c`, built by this compiler.
    pub(crate) fn c_by(compiler: &str, name: &str, flags: &[&str]) -> Program {
        Program::compiled(compiler, &format!("{name}.c"), name, flags)
    }

    /// `programs/NAME.cc`.
    pub(crate) fn cxx(name: &str, flags: &[&str]) -> Program {
        Program::cxx_by("c++", name, flags)
    }

    /// `programs/NAME.cc`, built by this compiler.
    pub(crate) fn cxx_by(compiler: &str, name: &str, flags: &[&str]) -> Program {
        Program::compiled(compiler, &format!("{name}.cc"), name, flags)
    }

    /// `programs/NAME.rs`, in which these functions have a site at their entry, as `cargo lookback` makes it.
    pub(crate) fn rust(name: &str, traced: &[&str]) -> Program {
        let list = unused("traced.csv");
        let lines = traced.iter().map(|function| format!("{function},patchable-function-entry=5\n"));
        std::fs::write(&list, lines.collect::<String>()).unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/laws/programs/{name}.rs"));
        let path = unused(name);
        let mut command = Command::new("rustc");
        command.args(["--edition", "2021", "-g", "-O", "-C"]);
        command.arg(format!("llvm-args=-forceattrs-csv-path={}", list.display()));
        let built = command.arg(source).arg("-o").arg(&path).output().unwrap();
        assert!(built.status.success(), "{name}: {}", String::from_utf8_lossy(&built.stderr));
        Program::at(path)
    }

    /// `programs/NAME.c` as a shared object.
    pub(crate) fn library(name: &str, flags: &[&str]) -> Program {
        let flags: Vec<&str> = ["-shared", "-fPIC"].iter().chain(flags).copied().collect();
        Program::compiled("cc", &format!("{name}.c"), &format!("{name}.so"), &flags)
    }

    fn compiled(compiler: &str, source: &str, name: &str, flags: &[&str]) -> Program {
        let path = unused(name);
        let built = Program::compile(compiler, source, &path, flags);
        assert!(built.status.success(), "{source}: {}", String::from_utf8_lossy(&built.stderr));
        Program::at(path)
    }

    fn compile(compiler: &str, source: &str, to: &Path, flags: &[&str]) -> std::process::Output {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/laws/programs");
        let mut command = Command::new(compiler);
        command.args(["-g", "-O1", "-pthread", "-w", "-D_GNU_SOURCE"]);
        command.arg(sources.join(source)).arg("-o").arg(to).args(flags);
        command.output().unwrap_or_else(|error| panic!("{compiler}: {error}"))
    }

    /// Whether the compiler can build `programs/NAME.c` with `flags`: not every one has every library.
    pub(crate) fn can_build(name: &str, flags: &[&str]) -> bool {
        let built = Program::compile("cc", &format!("{name}.c"), &unused("probe"), flags);
        built.status.success()
    }

    /// A program that is there.
    pub(crate) fn at(path: impl Into<PathBuf>) -> Program {
        Program { path: path.into(), arguments: Vec::new(), environment: Vec::new() }
    }

    pub(crate) fn path(&self) -> &str {
        self.path.to_str().unwrap()
    }

    pub(crate) fn arg(mut self, argument: &str) -> Program {
        self.arguments.push(argument.to_string());
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Program {
        self.environment.push((name.to_string(), value.to_string()));
        self
    }

    /// This program, run by another one that is given these words before it.
    pub(crate) fn under(&self, words: &[&str]) -> Program {
        let [program, before @ ..] = words else { panic!("no program") };
        let own = self.words().into_iter().map(String::from);
        let arguments = before.iter().map(ToString::to_string).chain(own).collect();
        Program { path: PathBuf::from(program), arguments, environment: self.environment.clone() }
    }

    /// The program and its arguments.
    fn words(&self) -> Vec<&str> {
        std::iter::once(self.path()).chain(self.arguments.iter().map(String::as_str)).collect()
    }

    fn command(&self, words: &[&str]) -> Command {
        let [program, arguments @ ..] = words else { panic!("no program") };
        let mut command = command(program);
        command.args(arguments).envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs it without lookback.
    pub(crate) fn untraced(&self) -> Run {
        run(self.command(&self.words()))
    }

    /// Runs it with lookback, which gets these options.
    pub(crate) fn traced_with(&self, options: &[&str]) -> (Run, Trace) {
        let (run, file) = self.recorded_with(options);
        (run, Trace::read(&file))
    }

    /// The trace, with the file that lookback has written.
    pub(crate) fn recorded_with(&self, options: &[&str]) -> (Run, PathBuf) {
        let file = unused("trace.dat");
        let run = record(options, &file, |words| {
            self.command(&words.iter().copied().chain(self.words()).collect::<Vec<_>>())
        });
        (run, file)
    }

    /// Runs it with lookback.
    pub(crate) fn traced(&self) -> (Run, Trace) {
        self.traced_with(&["-q"])
    }

    /// Runs it without lookback, then with it. It says "ok" both times, and all that can be seen of it is
    /// the same. Gives what was recorded, which fits together.
    pub(crate) fn keeps_the_law(&self) -> Trace {
        let untraced = self.untraced();
        assert!(untraced.is_ok(), "without lookback: {untraced}");
        let (traced, trace) = self.traced();
        assert_eq!(untraced, traced, "\nwithout lookback: {untraced}\nwith: {traced}");
        trace.assert_consistent();
        trace
    }
}
