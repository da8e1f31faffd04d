//! Files of single units are read when they are needed, and no sooner.

use debug_info::{CanonicalFrames, DebugInfo};
use object::{Object, ObjectSymbol};
use std::path::Path;
use std::process::Command;

/// Compiles a file for each function, and links them.
fn build(directory: &Path, functions: &[&str]) {
    let gcc = |arguments: &[&str]| {
        let built = Command::new("gcc").args(arguments).current_dir(directory).status().unwrap();
        assert!(built.success());
    };
    for function in functions {
        let source = format!("int {function}(int count) {{ return count + 1; }}\n");
        std::fs::write(directory.join(format!("{function}.c")), source).unwrap();
        gcc(&["-g", "-gsplit-dwarf", "-c", &format!("{function}.c")]);
    }
    let objects: Vec<String> = functions.iter().map(|function| format!("{function}.o")).collect();
    let objects: Vec<&str> = objects.iter().map(String::as_str).collect();
    gcc(&[&["-shared", "-o", "all.so"], &objects[..]].concat());
}

#[test]
fn files_of_units_are_read_when_they_are_needed() {
    let directory = tempfile::tempdir().unwrap();
    build(directory.path(), &["first", "second"]);
    let path = directory.path().join("all.so");
    let bytes = std::fs::read(&path).unwrap();
    let file = object::File::parse(bytes.as_slice()).unwrap();
    let address = |name| file.symbols().find(|symbol| symbol.name() == Ok(name)).unwrap().address();
    let (frames, info) = (CanonicalFrames::of(&file), DebugInfo::of(&file, &path, &path).unwrap());
    let count = |name| Some(info.scope(&frames, address(name))?.fetch("count").unwrap().fetch);
    let [split, away] = ["second.dwo", "away"].map(|name| directory.path().join(name));
    std::fs::rename(&split, &away).unwrap();
    assert_eq!(count("first").as_deref(), Some("%di:s32"));
    assert_eq!((count("second"), info.missing_file(address("second"))), (None, Some(split.clone())));
    std::fs::rename(&away, &split).unwrap();
    assert_eq!((count("second").as_deref(), info.missing_file(address("second"))), (Some("%di:s32"), None));
    // What was read is kept, as far as it isn't too much.
    std::fs::remove_file(&split).unwrap();
    assert_eq!(count("second").as_deref(), Some("%di:s32"));
}
