//! Instructions that do nothing.

/// What is used for each number of bytes: the forms that Intel recommends.
const NOPS: [&[u8]; 7] = [
    &[],
    &[0x90],
    &[0x66, 0x90],
    &[0x0f, 0x1f, 0x00],
    &[0x0f, 0x1f, 0x40, 0x00],
    &[0x0f, 0x1f, 0x44, 0x00, 0x00],
    &[0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00],
];

/// One instruction of `len` bytes, six at most, that does nothing.
pub fn of(len: usize) -> &'static [u8] {
    NOPS.get(len).copied().unwrap_or_default()
}

/// How long the nop is that `bytes` begin with; None when they begin with something else.
///
/// Known are `90` and `0f 1f`, each with any of the prefixes that compilers put before them.
pub fn len(bytes: &[u8]) -> Option<usize> {
    let is_prefix = |byte: &&u8| matches!(byte, 0x66 | 0x67 | 0x2e | 0x3e);
    let prefixes = bytes.iter().take_while(is_prefix).count();
    let len = match bytes.get(prefixes..)? {
        [0x90, ..] => prefixes + 1,
        [0x0f, 0x1f, modrm, rest @ ..] => prefixes + 3 + operand_len(*modrm, rest.first().copied())?,
        _ => return None,
    };
    (len <= bytes.len()).then_some(len)
}

/// How many bytes of a memory operand come after its modrm byte. None for what is no operand of a nop.
fn operand_len(modrm: u8, sib: Option<u8>) -> Option<usize> {
    let (mode, register, base) = (modrm >> 6, modrm >> 3 & 7, modrm & 7);
    if register != 0 || mode == 3 {
        return None;
    }
    let has_sib = base == 4;
    let base = if has_sib { sib? & 7 } else { base };
    let displacement = match mode {
        0 if base == 5 => 4,
        0 => 0,
        1 => 1,
        _ => 4,
    };
    Some(usize::from(has_sib) + displacement)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_that_are_used_are_known() {
        for bytes in 1..=6 {
            assert_eq!(len(of(bytes)), Some(bytes));
        }
    }

    #[test]
    fn the_forms_of_compilers_are_known() {
        // clang, for 5, 6, 9 and 10 bytes; GNU as, for 11.
        let known: [&[u8]; 5] = [
            &[0x0f, 0x1f, 0x44, 0x00, 0x08],
            &[0x66, 0x0f, 0x1f, 0x44, 0x00, 0x08],
            &[0x66, 0x0f, 0x1f, 0x84, 0, 0, 2, 0, 0],
            &[0x2e, 0x66, 0x0f, 0x1f, 0x84, 0, 0, 2, 0, 0],
            &[0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0],
        ];
        for bytes in known {
            assert_eq!(len(bytes), Some(bytes.len()));
            assert_eq!(len(&bytes[..bytes.len() - 1]), None, "cut off");
        }
    }

    #[test]
    fn other_instructions_are_none() {
        // push, xchg r8, pause, endbr64, ud1, jmp.
        let others: [&[u8]; 6] =
            [&[0x55], &[0x49, 0x90], &[0xf3, 0x90], &[0xf3, 0x0f, 0x1e, 0xfa], &[0x0f, 0xb9, 0], &[0xeb, 9]];
        for bytes in others {
            assert_eq!(len(bytes), None, "{bytes:x?}");
        }
    }
}
