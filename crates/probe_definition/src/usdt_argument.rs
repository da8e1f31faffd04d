//! Arguments of USDT: from the assembler's words to those of definitions.

/// The names that registers have by their sizes, and the kernel's.
const REGISTERS: [(&str, &[&str]); 8] = [
    ("ax", &["rax", "eax", "ax", "al"]),
    ("bx", &["rbx", "ebx", "bx", "bl"]),
    ("cx", &["rcx", "ecx", "cx", "cl"]),
    ("dx", &["rdx", "edx", "dx", "dl"]),
    ("si", &["rsi", "esi", "si", "sil"]),
    ("di", &["rdi", "edi", "di", "dil"]),
    ("bp", &["rbp", "ebp", "bp", "bpl"]),
    ("sp", &["rsp", "esp", "sp", "spl"]),
];

/// The words of a note that are an argument each: an operand may have blanks in it.
pub fn usdt_arguments(text: &str) -> Vec<Option<String>> {
    let mut operands: Vec<String> = Vec::new();
    for word in text.split_ascii_whitespace() {
        match operands.last_mut() {
            Some(last) if !word.contains('@') => last.push_str(word),
            _ => operands.push(word.to_string()),
        }
    }
    operands.iter().map(|operand| argument(operand)).collect()
}

/// What a definition has for `SIZE@OPERAND`. None for what can't be said there: floating-point numbers,
/// places that depend on two registers, and symbols.
fn argument(text: &str) -> Option<String> {
    let (size, operand) = text.split_once('@')?;
    let name = match size {
        "1" => "u8",
        "-1" => "s8",
        "2" => "u16",
        "-2" => "s16",
        "4" => "u32",
        "-4" => "s32",
        "8" => "u64",
        "-8" => "s64",
        _ => return None,
    };
    let value = match operand.as_bytes() {
        [b'$', ..] => format!("\\{}", operand.get(1..)?.parse::<i64>().ok()?),
        [b'%', ..] => format!("%{}", register(operand.get(1..)?)?),
        _ => {
            let (distance, base) = operand.strip_suffix(')')?.split_once('(')?;
            let distance = if distance.is_empty() { 0 } else { distance.parse::<i64>().ok()? };
            format!("{distance:+}(%{})", register(base.strip_prefix('%')?)?)
        }
    };
    Some(format!("{value}:{name}"))
}

/// The kernel's name of a register.
fn register(name: &str) -> Option<String> {
    let by_size = REGISTERS.iter().find(|(_, names)| names.contains(&name));
    let numbered = || {
        let digits = name.strip_prefix('r')?.trim_end_matches(['d', 'w', 'b']);
        let number = digits.parse::<u8>().ok().filter(|number| (8..16).contains(number))?;
        Some(format!("r{number}"))
    };
    by_size.map(|(name, _)| name.to_string()).or_else(numbered)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_become_values() {
        for (text, expected) in [
            ("-4@%eax", Some("%ax:s32")),
            ("8@%r12", Some("%r12:u64")),
            ("1@%r9b", Some("%r9:u8")),
            ("2@%dil", Some("%di:u16")),
            ("8@-8(%rbp)", Some("-8(%bp):u64")),
            ("8@(%rdi)", Some("+0(%di):u64")),
            ("-4@24(%rsp)", Some("+24(%sp):s32")),
            ("-4@$-1", Some("\\-1:s32")),
            ("4@$5", Some("\\5:u32")),
            ("8f@%xmm0", None),
            ("8@(%rax,%rbx,8)", None),
            ("8@name+4(%rip)", None),
            ("8@%xmm1", None),
        ] {
            assert_eq!(usdt_arguments(text), [expected.map(str::to_string)], "{text}");
        }
        assert_eq!(usdt_arguments("8@%rax -4@8 (%rbp)").len(), 2);
        assert_eq!(usdt_arguments(""), [None::<String>; 0]);
    }
}
