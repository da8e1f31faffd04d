//! Debug information that is damaged: less is found, and nothing else happens.

use debug_info::{CanonicalFrames, DebugInfo};
use object::{Object, ObjectSection, ObjectSymbol};
use std::path::Path;
use std::process::Command;

const SOURCE: &str = r#"
struct part { int low : 3, high : 5; union { long word; char letters[8]; }; };
struct whole { struct part parts[4][2]; struct whole *next; double weight; };
int total;
int sum(struct whole *whole, int count, const char *name, struct part part)
{
	int found = 0;
	for (int index = 0; index < count; index++) {
		struct part *each = &whole->parts[index & 3][0];
		found += each->low + (int)part.word + name[index];
		total += found;
	}
	return found;
}
int main(int argc, char **argv)
{
	struct whole whole = { .next = 0 };
	whole.next = &whole;
	return sum(&whole, argc, argv[0], whole.parts[0][0]);
}
"#;

fn build(directory: &Path, options: &[&str]) -> Vec<u8> {
    let (source, program) = (directory.join("sum.c"), directory.join("sum"));
    std::fs::write(&source, SOURCE).unwrap();
    let built = Command::new("gcc").arg("-g").args(options).arg("-o").arg(&program).arg(&source).status();
    assert!(built.unwrap().success());
    std::fs::read(&program).unwrap()
}

/// What is found in a file at some addresses: how much, of all that there is.
fn look(bytes: &[u8], addresses: &[u64]) -> usize {
    let Ok(file) = object::File::parse(bytes) else { return 0 };
    let Some(info) = DebugInfo::of(&file, Path::new("sum"), Path::new("sum")) else { return 0 };
    let frames = CanonicalFrames::of(&file);
    let mut found = info.line_addresses("sum.c", 10).len();
    for address in addresses {
        found += usize::from(info.source_line(*address).is_some());
        let Some(scope) = info.scope(&frames, *address) else { continue };
        found += scope.variables().iter().filter(|variable| variable.fetch.is_ok()).count();
        found += scope.lines().map_or(0, |lines| lines.lines.len());
        found += usize::from(scope.after_prologue().is_some());
        for argument in
            ["whole->parts[1][1].high", "whole->next->next->parts[0][0].word", "total", "*name", "x=part.low"]
        {
            found += usize::from(scope.fetch(argument).is_ok());
        }
    }
    found
}

#[test]
fn damaged_debug_information_is_read_to_its_end() {
    let directory = tempfile::tempdir().unwrap();
    for options in [&["-O0"][..], &["-O2", "-fno-inline"], &["-O1", "-gdwarf-3", "-fno-inline"]] {
        let bytes = build(directory.path(), options);
        let file = object::File::parse(bytes.as_slice()).unwrap();
        let sum = file.symbols().find(|symbol| symbol.name() == Ok("sum")).unwrap();
        let addresses = [sum.address(), sum.address() + sum.size() / 2, sum.address() + sum.size() - 1];
        let whole = look(&bytes, &addresses);
        assert!(whole > 10, "{options:?}: {whole}");
        let sections = [".debug_info", ".debug_abbrev", ".debug_line", ".debug_loclists", ".eh_frame"];
        let ranges: Vec<(u64, u64)> = sections
            .iter()
            .filter_map(|name| file.section_by_name(name)?.file_range())
            .filter(|(_, size)| *size > 0)
            .collect();
        let (mut state, mut less) = (1_u64, 0);
        for round in 0..400 {
            let mut damaged = bytes.clone();
            for _ in 0..=round % 4 {
                // As Knuth has it: the upper bits are random enough.
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let (start, size) = ranges[(state >> 60) as usize % ranges.len()];
                damaged[(start + (state >> 20) % size) as usize] = (state >> 12) as u8;
            }
            less += usize::from(look(&damaged, &addresses) < whole);
        }
        assert!(less > 40, "{options:?}: {less} of 400 were damaged");
    }
}
