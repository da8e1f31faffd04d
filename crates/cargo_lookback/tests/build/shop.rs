//! A workspace: a program that depends on a library of its own, on a procedural macro and on a build script,
//! and a library to be loaded.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use tempfile::TempDir;

const TARGET: &str = "x86_64-unknown-linux-gnu";

const FILES: [(&str, &str); 9] = [
    ("Cargo.toml", "[workspace]\nresolver = \"3\"\nmembers = [\"*/\"]\nexclude = [\"target\"]\n"),
    (
        "shop/Cargo.toml",
        "[package]\nname = \"shop\"\nedition = \"2024\"\nbuild = \"build.rs\"\n\
         [dependencies]\nstore.path = \"../store\"\nletters.path = \"../letters\"\n",
    ),
    ("shop/build.rs", "fn main() { println!(\"cargo::rustc-env=SHOP=corner shop\"); }"),
    (
        "shop/src/main.rs",
        r#"use std::{fmt, future::Future, pin::pin, task::{Context, Poll, Waker}};

        struct Cart<T>(Vec<T>);

        impl<T> fmt::Display for Cart<T> {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, "{} things from the {}", self.0.len(), env!("SHOP"))
            }
        }

        async fn pay(amount: u64) -> u64 {
            std::future::ready(amount).await + 1
        }

        fn each(values: &[u64]) -> u64 {
            values.iter().map(|value| value * 2).sum()
        }

        fn main() {
            let nobody = 1;
            let mut shelf = store::Shelf(vec![]);
            shelf.put(3u8);
            let mut other = store::Shelf(vec![]);
            other.put("x");
            let Poll::Ready(paid) = pin!(pay(6)).poll(&mut Context::from_waker(Waker::noop())) else { return };
            let caught = std::panic::catch_unwind(|| store::count(0)).is_err();
            println!("{} {paid} {} {} {caught}", Cart(vec![1]), each(&[1, 2]), letters::three!());
            println!("{:?} {}", std::env::args().skip(1).collect::<Vec<_>>(), store::count(2));
            std::process::exit(3);
        }

        #[test]
        fn paid() {
            drop(pay(1));
        }
"#,
    ),
    ("store/Cargo.toml", "[package]\nname = \"store\"\nedition = \"2024\"\n"),
    (
        "store/src/lib.rs",
        "pub struct Shelf<T>(pub Vec<T>);\n\
         impl<T> Shelf<T> { pub fn put(&mut self, thing: T) { self.0.push(thing); } }\n\
         #[inline(never)] pub fn count(n: u64) -> u64 { assert!(n > 0, \"nothing\"); n + 1 }\n",
    ),
    ("letters/Cargo.toml", "[package]\nname = \"letters\"\nedition = \"2024\"\n[lib]\nproc-macro = true\n"),
    (
        "letters/src/lib.rs",
        "#[proc_macro] pub fn three(_: proc_macro::TokenStream) -> proc_macro::TokenStream \
         { \"3\".parse().unwrap() }\n",
    ),
    (
        "plugin/Cargo.toml",
        "[package]\nname = \"plugin\"\nedition = \"2024\"\n[lib]\ncrate-type = [\"cdylib\"]\n",
    ),
];

const PLUGIN: &str = "#[unsafe(no_mangle)] pub extern \"C\" fn plugin_start(n: u64) -> u64 { n + 1 }\n";

/// The workspace, in a directory of its own.
#[derive(Debug)]
pub struct Shop(TempDir);

/// What a program has said.
#[derive(Debug)]
pub struct Said {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
}

impl Shop {
    pub fn new() -> Shop {
        let shop = Shop(TempDir::new().unwrap());
        for (path, text) in FILES.into_iter().chain([("plugin/src/lib.rs", PLUGIN)]) {
            shop.write(path, text);
        }
        shop
    }

    pub fn set_lto(&self, lto: &str) {
        let text = format!("{}[profile.release]\nlto = \"{lto}\"\n", FILES[0].1);
        self.write("Cargo.toml", &text);
    }

    pub fn append(&self, path: &str, text: &str) {
        let before = fs::read_to_string(self.0.path().join(path)).unwrap();
        self.write(path, &format!("{before}{text}"));
    }

    pub fn script(&self, path: &str, text: &str) -> String {
        self.write(path, text);
        let path = self.0.path().join(path);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.to_str().unwrap().to_string()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn cargo(&self, arguments: &[&str]) -> Said {
        self.cargo_with(arguments, &[])
    }

    /// Cargo, as a user calls it. What the cargo that runs this test has set is taken away.
    pub fn cargo_with(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Said {
        let own = Path::new(env!("CARGO_BIN_EXE_cargo-lookback")).parent().unwrap();
        let path = format!("{}:{}", own.display(), std::env::var("PATH").unwrap());
        let mut command = Command::new("cargo");
        // What these tests are built by.
        command.env_remove("RUSTC_WORKSPACE_WRAPPER");
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy();
            if name.starts_with("CARGO_") && name != "CARGO_HOME" || name.starts_with("RUSTFLAGS") {
                command.env_remove(&*name);
            }
        }
        command.args(arguments).env("PATH", path).env("CARGO_NET_OFFLINE", "true").current_dir(self.0.path());
        said(command.envs(environment.iter().copied()))
    }

    pub fn run(&self, program: &Path) -> (Option<i32>, String) {
        let said = said(Command::new(program).arg("an argument"));
        (said.status.code(), said.stdout)
    }

    pub fn plain(&self, path: &str) -> PathBuf {
        self.0.path().join("target").join(path)
    }

    pub fn traced(&self, path: &str) -> PathBuf {
        self.0.path().join("target/lookback").join(TARGET).join(path)
    }

    /// Files below a directory with this end of their name.
    pub fn files(&self, directory: &str, end: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut next = vec![self.0.path().join(directory)];
        while let Some(directory) = next.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    next.push(path);
                } else if path.to_str().unwrap().ends_with(end) {
                    found.push(path);
                }
            }
        }
        found
    }
}

fn said(command: &mut Command) -> Said {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Said { status: output.status, stdout: text(&output.stdout), stderr: text(&output.stderr) }
}
