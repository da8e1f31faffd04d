//! Tests of the tables: by libc itself, and by an object of the old kind.

use super::*;
use std::ffi::CString;
use std::path::Path;
use std::process::Command;
use std::string::String;
use std::vec::Vec;
use std::{env, format, fs};

/// What a handle of glibc's dlopen(3) points to.
#[repr(C)]
struct Opened {
    base: usize,
    name: usize,
    dynamic: *const [u64; 2],
}

fn open(path: &Path) -> &'static Opened {
    let path = CString::new(path.to_str().unwrap()).unwrap();
    // SAFETY: what is opened has no constructor that does harm, and is never closed.
    unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW).cast::<Opened>().as_ref() }.unwrap()
}

/// The functions of a shared object: address, name, version, whether that is what programs get today.
fn functions(path: &Path) -> Vec<(usize, String, String, bool)> {
    let output = Command::new("nm").args(["-D", "--defined-only"]).arg(path).output().unwrap();
    let listed = String::from_utf8(output.stdout).unwrap();
    let parse = |line: &str| {
        let [address, kind, symbol] = line.split(' ').collect::<Vec<_>>()[..] else { return None };
        let (name, version) = symbol.split_once('@')?;
        let newest = version.starts_with('@');
        let address = usize::from_str_radix(address, 16).unwrap();
        let version = format!("{}\0", version.trim_start_matches('@'));
        ["T", "W"].contains(&kind).then(|| (address, format!("{name}\0"), version, newest))
    };
    listed.lines().filter_map(parse).collect()
}

#[test]
fn of_several_versions_the_newest_is_found_unless_another_is_named() {
    let path = Path::new("/lib/x86_64-linux-gnu/libc.so.6");
    let libc = open(path);
    let functions = functions(path);
    let mut several = 0;
    // SAFETY: libc is never unmapped.
    unsafe {
        let tables = SymbolTables::of(libc.base, libc.dynamic).unwrap();
        for (address, name, version, newest) in &functions {
            let found = SymbolName::new(name.as_bytes());
            let named = tables.find_version(found, version.as_bytes(), libc.dynamic);
            assert_eq!(named, Some(libc.base + address), "{name} {version}");
            if *newest {
                assert_eq!(tables.find(found, SymbolKind::Function), named, "{name} {version}");
                several += functions.iter().filter(|(_, other, ..)| other == name).count().min(2) - 1;
            }
        }
        assert_eq!(tables.find(SymbolName::new(b"no_such_function\0"), SymbolKind::Function), None);
        assert_eq!(tables.find(SymbolName::new(b"environ\0"), SymbolKind::Function), None);
        assert!(tables.find(SymbolName::new(b"environ\0"), SymbolKind::Object).is_some());
    }
    assert!(functions.len() > 1500 && several > 100, "{} {several}", functions.len());
}

#[test]
fn an_object_with_an_old_hash_table_is_searched() {
    let folder = env::temp_dir().join(format!("lookback-tables-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let (source, object) = (folder.join("old.c"), folder.join("old.so"));
    fs::write(&source, "int first(void) { return 1; } int second(void) { return 2; }").unwrap();
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-Wl,--hash-style=sysv", "-o"]).arg(&object).arg(&source);
    assert!(cc.status().unwrap().success());
    let opened = open(&object);
    // SAFETY: it is never unmapped, and the function has this type.
    let second = unsafe {
        let tables = SymbolTables::of(opened.base, opened.dynamic).unwrap();
        assert_eq!(tables.hash, 0);
        assert_eq!(tables.find(SymbolName::new(b"third\0"), SymbolKind::Function), None);
        let found = tables.find(SymbolName::new(b"second\0"), SymbolKind::Function).unwrap();
        core::mem::transmute::<usize, extern "C" fn() -> i32>(found)
    };
    assert_eq!(second(), 2);
    fs::remove_dir_all(&folder).unwrap();
}
