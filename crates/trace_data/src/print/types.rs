//! The integer types of C, as far as a print format shows them.

use super::Dialect;

/// An integer type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Integer {
    /// Bytes: 1, 2, 4 or 8.
    pub(super) size: usize,
    pub(super) signed: bool,
}

/// `int`.
pub(super) const INT: Integer = Integer { size: 4, signed: true };
/// `unsigned long`.
pub(super) const UNSIGNED_LONG: Integer = Integer { size: 8, signed: false };

impl Integer {
    /// `value` as this type has it: cut off, and extended to 64 bits by the type's sign. All
    /// values are kept in this form.
    pub(super) fn wrap(self, value: u64) -> u64 {
        let unused = 64 - 8 * self.size as u32;
        let high = value << unused;
        if self.signed { ((high as i64) >> unused) as u64 } else { high >> unused }
    }

    /// The type that C computes in: what is smaller than `int` becomes `int`.
    pub(super) fn promoted(self) -> Integer {
        if self.size < 4 { INT } else { self }
    }

    /// The type that both operands are converted to.
    pub(super) fn common(self, other: Integer) -> Integer {
        let (left, right) = (self.promoted(), other.promoted());
        if left.size == right.size {
            Integer { size: left.size, signed: left.signed && right.signed }
        } else if left.size > right.size {
            left
        } else {
            right
        }
    }
}

/// What a cast does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cast {
    /// To a type that keeps the number as it is, because nobody knows better.
    Nothing,
    /// To an integer type.
    Integer(Integer),
    /// To a truth value.
    Truth,
    /// To a pointer, whose target may be known.
    Pointer(Option<Integer>),
}

/// The cast to the type named by `words`, with `stars` after them.
pub(super) fn cast(words: &[&str], stars: usize, dialect: Dialect) -> Cast {
    match (stars, named(words)) {
        (0, Some(Cast::Truth)) if dialect == Dialect::Report => Cast::Nothing,
        (0, Some(cast)) if dialect == Dialect::Kernel => cast,
        (0, _) if dialect == Dialect::Report => report_cast(words),
        (0, _) => Cast::Nothing,
        (1, Some(Cast::Integer(target))) => Cast::Pointer(Some(target)),
        _ => Cast::Pointer(None),
    }
}

/// Whether the words can only be a type.
pub(super) fn is_type(words: &[&str]) -> bool {
    let first = words.first().copied().unwrap_or_default();
    matches!(first, "struct" | "enum" | "union" | "const" | "void") || named(words).is_some()
}

/// Bytes of the type named by `words`.
pub(super) fn size_of(words: &[&str]) -> Option<usize> {
    match named(words)? {
        Cast::Integer(integer) => Some(integer.size),
        Cast::Truth => Some(1),
        _ => None,
    }
}

/// libtraceevent knows few types, cuts off and never extends by the sign.
fn report_cast(words: &[&str]) -> Cast {
    let size = match words {
        ["u8" | "s8"] | ["unsigned", "char"] | ["char"] => 1,
        ["u16" | "s16"] | ["unsigned", "short"] | ["short"] => 2,
        ["u32" | "s32"] | ["unsigned", "int"] | ["int"] => 4,
        _ => return Cast::Nothing,
    };
    Cast::Integer(Integer { size, signed: false })
}

/// Types by their names: C's own, and the kernel's that formats cast to.
fn named(words: &[&str]) -> Option<Cast> {
    if let [word] = words {
        if matches!(*word, "bool" | "_Bool") {
            return Some(Cast::Truth);
        }
        if let Some(integer) = typedef(word) {
            return Some(Cast::Integer(integer));
        }
    }
    let mut integer = None;
    let mut signed = None;
    for word in words {
        let size = match *word {
            "const" | "volatile" => continue,
            "signed" | "unsigned" => {
                signed = Some(*word == "signed");
                continue;
            }
            "char" => 1,
            "short" => 2,
            "int" => integer.unwrap_or(4),
            "long" => 8,
            _ => return None,
        };
        integer = Some(size);
    }
    let known = integer.is_some() || signed.is_some();
    let integer = Integer { size: integer.unwrap_or(4), signed: signed.unwrap_or(true) };
    known.then_some(Cast::Integer(integer))
}

fn typedef(name: &str) -> Option<Integer> {
    let (size, signed) = match name.trim_start_matches("__") {
        "u8" | "uint8_t" => (1, false),
        "s8" | "int8_t" => (1, true),
        "u16" | "uint16_t" | "umode_t" | "le16" | "be16" => (2, false),
        "s16" | "int16_t" => (2, true),
        "u32" | "uint32_t" | "uint" | "dev_t" | "gfp_t" | "le32" | "be32" => (4, false),
        "s32" | "int32_t" | "pid_t" => (4, true),
        "u64" | "uint64_t" | "size_t" | "sector_t" | "ino_t" | "uintptr_t" | "le64" => (8, false),
        "s64" | "int64_t" | "ssize_t" | "loff_t" | "ptrdiff_t" => (8, true),
        _ => return None,
    };
    Some(Integer { size, signed })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(words: &[&str], stars: usize) -> Cast {
        cast(words, stars, Dialect::Kernel)
    }

    #[test]
    fn names_of_types() {
        let integer = |size, signed| Cast::Integer(Integer { size, signed });
        assert_eq!(kernel(&["unsigned", "long", "long"], 0), integer(8, false));
        assert_eq!(kernel(&["long", "int"], 0), integer(8, true));
        assert_eq!(kernel(&["unsigned"], 0), integer(4, false));
        assert_eq!(kernel(&["__u16"], 0), integer(2, false));
        assert_eq!(kernel(&["bool"], 0), Cast::Truth);
        assert_eq!(kernel(&["xfs_ino_t"], 0), Cast::Nothing);
        assert_eq!(kernel(&["void"], 1), Cast::Pointer(None));
        let target = Some(Integer { size: 8, signed: false });
        assert_eq!(kernel(&["u64"], 1), Cast::Pointer(target));
        assert_eq!(cast(&["long"], 0, Dialect::Report), Cast::Nothing);
        assert_eq!(cast(&["int"], 0, Dialect::Report), integer(4, false));
    }

    #[test]
    fn conversions_are_those_of_c() {
        let unsigned = Integer { size: 4, signed: false };
        let long = Integer { size: 8, signed: true };
        assert_eq!(INT.common(unsigned), unsigned);
        assert_eq!(unsigned.common(long), long);
        assert_eq!(Integer { size: 1, signed: false }.promoted(), INT);
        assert_eq!(INT.wrap(u64::from(u32::MAX)), u64::MAX);
        assert_eq!(unsigned.wrap(u64::MAX), u64::from(u32::MAX));
    }
}
