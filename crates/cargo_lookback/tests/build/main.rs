//! Workspaces that `cargo lookback` builds: where the sites are, and that the programs do what they did.

mod program;
mod shop;

use program::Program;
use shop::Shop;

/// What all builds of the shop have in their programs.
const EXPECTED: [&str; 7] = [
    "shop::main",
    "shop::pay",
    "shop::pay::{{closure}}",
    "<shop::Cart<T> as core::fmt::Display>::fmt",
    "shop::each::{{closure}}",
    "store::count",
    "store::Shelf<T>::put",
];

/// A compiler whose LLVM doesn't know the option.
const OLD_COMPILER: &str = "#!/bin/sh
case $1 in -vV) exec rustc -vV;; esac
echo 'Unknown command line argument' >&2
exit 1
";

#[test]
fn every_function_of_a_debug_build_has_its_site() {
    let shop = Shop::new();
    let plain = shop.cargo(&["build"]);
    assert!(plain.status.success());
    let built = shop.cargo(&["lookback", "build"]);
    assert!(built.status.success(), "{}", built.stderr);
    assert!(!built.stderr.contains("does not exist"), "{}", built.stderr);
    assert_eq!(built.stderr.matches("unused variable: `nobody`").count(), 1, "{}", built.stderr);
    let program = shop.traced("debug/shop");
    let sites = Program::new(&program).sites();
    for name in EXPECTED {
        assert!(sites.contains(&name.to_string()), "{name} isn't in {sites:#?}");
    }
    let instances = sites.iter().filter(|name| *name == "store::Shelf<T>::put").count();
    assert_eq!(instances, 2, "one for each type");
    for standard in ["core::", "alloc::", "std::", "<T as core"] {
        assert!(!sites.iter().any(|name| name.starts_with(standard)), "{standard} is in {sites:#?}");
    }
    let library = Program::new(&shop.traced("debug/libplugin.so")).sites();
    assert!(library.contains(&"plugin_start".to_string()), "{library:#?}");
    assert_eq!(shop.run(&program), shop.run(&shop.plain("debug/shop")));
}

#[test]
fn an_optimized_build_inlines_as_ever_and_what_is_left_has_sites() {
    let shop = Shop::new();
    for lto in ["off", "thin", "fat"] {
        shop.set_lto(lto);
        assert!(shop.cargo(&["build", "--release"]).status.success());
        let built = shop.cargo(&["lookback", "build", "--release"]);
        assert!(built.status.success(), "{}", built.stderr);
        let program = shop.traced("release/shop");
        let sites = Program::new(&program).sites();
        assert!(sites.contains(&"store::count".to_string()), "{lto}: {sites:#?}");
        assert_eq!(shop.run(&program), shop.run(&shop.plain("release/shop")));
    }
}

#[test]
fn what_is_compiled_for_the_build_has_no_sites() {
    let shop = Shop::new();
    assert!(shop.cargo(&["lookback", "build"]).status.success());
    let scripts = shop.files("target/lookback/debug/build", "build-script-build");
    assert_eq!(scripts.len(), 1);
    let macros = shop.files("target/lookback/debug/deps", ".so");
    assert_eq!(macros.len(), 1);
    for path in scripts.iter().chain(&macros) {
        assert_eq!(Program::new(path).sites(), [""; 0], "{}", path.display());
    }
}

#[test]
fn a_changed_crate_is_built_again_and_others_are_not() {
    let shop = Shop::new();
    assert!(shop.cargo(&["lookback", "build"]).status.success());
    assert!(!shop.cargo(&["lookback", "build"]).stderr.contains("Compiling"));
    shop.append("shop/src/main.rs", "fn added() {}\n#[used]\nstatic ADDED: fn() = added;\n");
    let again = shop.cargo(&["lookback", "build"]).stderr;
    assert!(again.contains("Compiling shop") && !again.contains("Compiling store"), "{again}");
    let sites = Program::new(&shop.traced("debug/shop")).sites();
    for name in EXPECTED.iter().chain(&["shop::added"]) {
        assert!(sites.contains(&name.to_string()), "{name} isn't in {sites:#?}");
    }
}

#[test]
fn errors_are_the_compilers_own() {
    let shop = Shop::new();
    shop.append("shop/src/main.rs", "fn wrong() -> u8 { \"\" }\n");
    let (plain, built) = (shop.cargo(&["build"]), shop.cargo(&["lookback", "build"]));
    assert_eq!(built.status.code(), plain.status.code());
    let errors = |text: &str| text.matches("error[E0308]: mismatched types").count();
    assert_eq!((errors(&built.stderr), errors(&plain.stderr)), (1, 1), "{}", built.stderr);
}

#[test]
fn tests_and_runs_are_those_of_cargo() {
    let shop = Shop::new();
    let tested = shop.cargo(&["lookback", "test", "-q", "--", "paid"]);
    assert!(tested.status.success() && tested.stdout.contains("1 passed"), "{}", tested.stdout);
    let ran = shop.cargo(&["lookback", "run", "-q", "--bin", "shop", "--", "--target"]);
    assert_eq!(ran.status.code(), Some(3), "{}", ran.stderr);
    assert!(ran.stdout.contains("--target"), "{}", ran.stdout);
}

#[test]
fn what_it_cannot_do_it_says() {
    let shop = Shop::new();
    let other = shop.cargo(&["lookback", "check"]);
    assert!(!other.status.success());
    assert_eq!(
        other.stderr,
        "cargo lookback: there is no `check`: build, run, test and bench compile programs\n"
    );
    let space = shop.cargo(&["lookback", "build", "--target-dir", "a b"]);
    assert!(space.stderr.contains("`a b`, as it has a space: use --target-dir"), "{}", space.stderr);
    let help = shop.cargo(&["lookback", "--help"]);
    assert!(help.status.success() && help.stdout.contains("Usage: cargo lookback COMMAND"));
    let compiler = shop.script("old", OLD_COMPILER);
    let old = shop.cargo_with(&["lookback", "build"], &[("RUSTC", &compiler)]);
    assert!(old.stderr.contains("can't give functions a site at their entry (Unknown"), "{}", old.stderr);
    assert!(old.stderr.contains("`#[lookback::traced]` needs nothing of the compiler"), "{}", old.stderr);
}
