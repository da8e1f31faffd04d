//! The code of running programs, compared with that of their files.

use std::fs::{File, read_to_string};
use std::os::unix::fs::FileExt;

/// Every byte of code that files have, as they have it.
pub fn assert_code_is_of_files(pid: u32) {
    let changed: Vec<String> = compared_code(pid).into_iter().filter_map(Result::err).collect();
    assert!(changed.is_empty(), "{changed:?}");
}

/// Whether some is not.
pub fn is_code_changed(pid: u32) -> bool {
    compared_code(pid).iter().any(Result::is_err)
}

/// For each mapping of code whether it is as in its file. Errors: the line of one that isn't.
fn compared_code(pid: u32) -> Vec<Result<(), String>> {
    let memory = File::open(format!("/proc/{pid}/mem")).unwrap();
    let maps = read_to_string(format!("/proc/{pid}/maps")).unwrap();
    let is_code = |line: &&str| line.contains(" r-xp ") && line.contains(" /");
    let is_same = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |text: &str| u64::from_str_radix(text, 16).unwrap();
        let (start, end) = words[0].split_once('-').unwrap();
        let (start, offset, file) = (number(start), number(words[2]), File::open(words[5]).unwrap());
        let mut expected = vec![0; (number(end) - start) as usize];
        let mut found = expected.clone();
        let count = file.read_at(&mut expected, offset).unwrap();
        memory.read_exact_at(&mut found, start).unwrap();
        if found[..count] == expected[..count] { Ok(()) } else { Err(line.to_owned()) }
    };
    let compared: Vec<_> = maps.lines().filter(is_code).map(is_same).collect();
    assert!(compared.len() >= 2, "{maps}");
    compared
}
