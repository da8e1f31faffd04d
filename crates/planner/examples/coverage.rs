//! How many functions of a file have an entry point, and why the others have none: those that it names, and
//! in a stripped one those without a name.
use function_sites::{AddressName, ObjectFile};
use planner::{EntryPointPlace, FunctionCode, JumpSpace, SHORT_JUMP_REACH, entry_points, is_padding};
use std::collections::BTreeMap;
use std::ops::Range;

fn paddings(file: ObjectFile<'_>, address: u64) -> impl Iterator<Item = Range<u64>> + Clone {
    let gaps = file.gaps_near(address, SHORT_JUMP_REACH);
    gaps.filter(|gap| is_padding(gap.before, gap.bytes)).map(|gap| gap.addresses)
}

fn main() {
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).unwrap();
        let file = ObjectFile::parse(&bytes).unwrap();
        let begun = std::time::Instant::now();
        let mut words = vec![0; file.unnamed_words(&file)];
        file.mark_unnamed(&file, &mut words);
        let unnamed: Vec<u64> = file.with_unnamed(&words).unnamed_functions().collect();
        println!("{path}: {} without a name, found in {:?}", unnamed.len(), begun.elapsed());
        let unnamed = unnamed.into_iter().map(|start| (start, AddressName::of(start).as_bytes().to_vec()));
        let named = file.functions().map(|function| (function.start, function.name.to_vec()));
        let mut starts: Vec<_> = named.chain(unnamed).collect();
        starts.sort();
        starts.dedup_by_key(|(s, _)| *s);
        let mut counts: BTreeMap<String, (usize, String)> = BTreeMap::new();
        let mut total = 0;
        let t = std::time::Instant::now();
        for (start, name) in starts {
            total += 1;
            let why = match file.function_span(start) {
                None => "no span".to_owned(),
                Some(span) => {
                    let code =
                        file.code_at(start).get(..(span.end - span.start) as usize).unwrap_or_default();
                    match entry_points(&FunctionCode { start, code }, paddings(file, start)) {
                        Err(why) => format!("refused: {why}"),
                        Ok(mut points) => {
                            let first = points.next().unwrap();
                            let kind = match first.point.len {
                                _ if first.point.space != JumpSpace::InPlace => "padding",
                                0..=2 => "?",
                                3 => "3",
                                4 => "4",
                                _ => "5",
                            };
                            match first.place {
                                EntryPointPlace::First => format!("first {kind}"),
                                EntryPointPlace::Later { has_arguments, .. } => {
                                    format!("later {kind} {}", if has_arguments { "args" } else { "" })
                                }
                            }
                        }
                    }
                }
            };
            let e = counts.entry(why).or_default();
            e.0 += 1;
            if e.1.len() < 60 {
                e.1 += &format!(" {}", String::from_utf8_lossy(&name));
            }
        }
        println!("{path}: {total} functions, {:?}", t.elapsed());
        for (why, (n, examples)) in counts {
            println!("  {:5.1} % {n:6} {why:40} {examples}", n as f64 * 100.0 / total as f64);
        }
    }
}
