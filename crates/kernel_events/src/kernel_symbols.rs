//! Names of the kernel's functions.

use std::collections::BTreeSet;
use std::path::Path;

/// Where the kernel lists its symbols.
const KALLSYMS: &str = "/proc/kallsyms";

/// The lines of `/proc/kallsyms` that name these addresses, and after each where the next symbol starts.
/// Empty where the kernel shows no addresses.
///
/// Cost: reading that file, some 0.1 s, if there are any.
pub fn kernel_symbols(addresses: &BTreeSet<u64>) -> String {
    if addresses.is_empty() {
        return String::new();
    }
    let text = std::fs::read(Path::new(KALLSYMS)).unwrap_or_default();
    lines_of(&String::from_utf8_lossy(&text), addresses)
}

fn lines_of(text: &str, addresses: &BTreeSet<u64>) -> String {
    let line = |line: &'_ str| u64::from_str_radix(line.split(' ').next()?, 16).ok();
    let mut symbols: Vec<(u64, &str)> = text.lines().filter_map(|text| Some((line(text)?, text))).collect();
    symbols.retain(|(address, _)| *address != 0);
    // Of several names of one function the first is its own.
    symbols.sort_by_key(|(address, _)| *address);
    symbols.dedup_by_key(|(address, _)| *address);
    let mut wanted = BTreeSet::new();
    for address in addresses {
        let after = symbols.partition_point(|(start, _)| start <= address);
        if let Some(symbol) = after.checked_sub(1) {
            wanted.extend([symbol, after]);
        }
    }
    let lines = wanted.into_iter().filter_map(|index| symbols.get(index));
    lines.map(|(_, line)| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_named_with_their_ends() {
        let text =
            "ffff1000 T start\nffff1000 T alias\nffff3000 t far\t[module]\nffff2000 t next\nffff4000 T end\n";
        let lines = |addresses: &[u64]| lines_of(text, &addresses.iter().copied().collect());
        assert_eq!(lines(&[0xffff_1008]), "ffff1000 T start\nffff2000 t next\n");
        assert_eq!(lines(&[0xffff_3000, 0xffff_3001]), "ffff3000 t far\t[module]\nffff4000 T end\n");
        assert_eq!(lines(&[0xffff_5000]), "ffff4000 T end\n");
        assert_eq!(lines(&[7]), "");
        assert_eq!(lines_of("0000 T start\n0000 T next\n", &[8].into()), "", "addresses are hidden");
    }
}
