//! A conversion of a format string: what follows its `%`.

/// How an argument becomes text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Conversion {
    /// `-`: filler goes after.
    pub(super) left: bool,
    /// `0`: filler is zeros.
    pub(super) zero: bool,
    /// `+`.
    pub(super) plus: bool,
    /// A blank where a sign would stand.
    pub(super) blank: bool,
    /// `#`: a prefix that shows the base.
    pub(super) alternate: bool,
    pub(super) width: Amount,
    pub(super) precision: Amount,
    /// Bytes of the argument that count: `hh` is 1, `h` 2, nothing 4, everything else 8.
    pub(super) size: usize,
    pub(super) kind: ConversionKind,
}

/// A width or precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Amount {
    None,
    Fixed(usize),
    /// `*`: an argument of its own.
    Argument,
}

/// The form of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConversionKind {
    Signed,
    Unsigned,
    Hex {
        upper: bool,
    },
    Octal,
    Character,
    Text,
    Pointer,
    /// `%ps` and `%pS`: the name of an address.
    Symbol {
        offset: bool,
    },
    /// `%pM` (colons), `%pm` (nothing), `%pMF` (dashes), `%pMR` (reversed).
    Mac {
        separator: Option<u8>,
        reversed: bool,
    },
    /// `%pI4` and `%pi4`.
    Internet4 {
        zeros: bool,
        reversed: bool,
    },
    /// `%pI6`, `%pi6` and `%pI6c`.
    Internet6 {
        colons: bool,
        compressed: bool,
    },
    /// `%pIS` with `p` (port) and `c` (compressed).
    SocketAddress {
        port: bool,
        compressed: bool,
    },
    /// `%pU` with `b`, `B`, `l`, `L`.
    Uuid {
        little_endian: bool,
        upper: bool,
    },
}

/// The largest width or precision. Larger ones are cut to it: no column is wider than a page.
pub(super) const MAX_AMOUNT: usize = 4096;

/// Parses the conversion at the start of `text`, which begins after the `%`. Returns it and the
/// rest, or the character that is no conversion and the rest after it.
pub(super) fn parse(text: &str) -> Result<(Conversion, &str), (char, &str)> {
    let flags = text.find(|c| !matches!(c, '-' | '0' | '+' | ' ' | '#')).unwrap_or(text.len());
    let (flags, rest) = text.split_at(flags);
    let (width, rest) = amount(rest);
    let (precision, rest) = match rest.strip_prefix('.').map(amount) {
        Some((Amount::None, rest)) => (Amount::Fixed(0), rest),
        Some(found) => found,
        None => (Amount::None, rest),
    };
    let (size, rest) = size(rest);
    let mut characters = rest.chars();
    let letter = characters.next().unwrap_or('\0');
    let rest = characters.as_str();
    let (kind, rest) = match letter {
        'd' | 'i' => (ConversionKind::Signed, rest),
        'u' => (ConversionKind::Unsigned, rest),
        'x' => (ConversionKind::Hex { upper: false }, rest),
        'X' => (ConversionKind::Hex { upper: true }, rest),
        'o' => (ConversionKind::Octal, rest),
        'c' => (ConversionKind::Character, rest),
        's' => (ConversionKind::Text, rest),
        'p' => pointer(rest),
        other => return Err((other, rest)),
    };
    let [left, zero, plus, blank, alternate] = ['-', '0', '+', ' ', '#'].map(|flag| flags.contains(flag));
    Ok((Conversion { left, zero, plus, blank, alternate, width, precision, size, kind }, rest))
}

fn amount(text: &str) -> (Amount, &str) {
    if let Some(rest) = text.strip_prefix('*') {
        return (Amount::Argument, rest);
    }
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    if end == 0 {
        return (Amount::None, text);
    }
    let number = text[..end].parse().unwrap_or(MAX_AMOUNT).min(MAX_AMOUNT);
    (Amount::Fixed(number), &text[end..])
}

fn size(text: &str) -> (usize, &str) {
    let eight = ["ll", "l", "L", "q", "j", "z", "Z", "t"].map(|prefix| (prefix, 8));
    let mut prefixes = [("hh", 1), ("h", 2)].into_iter().chain(eight);
    let found = prefixes.find_map(|(prefix, size)| Some((size, text.strip_prefix(prefix)?)));
    found.unwrap_or((4, text))
}

/// What follows `%p`.
fn pointer(text: &str) -> (ConversionKind, &str) {
    let (name, rest) = text.split_at_checked(1).unwrap_or(("", text));
    match name {
        "s" | "f" => (ConversionKind::Symbol { offset: false }, rest),
        "S" | "F" => (ConversionKind::Symbol { offset: true }, rest),
        "x" | "K" => (ConversionKind::Pointer, rest),
        "M" | "m" => mac(name == "M", rest),
        "I" | "i" => internet(name == "I", rest).unwrap_or((ConversionKind::Pointer, text)),
        "U" => uuid(rest),
        _ => (ConversionKind::Pointer, text),
    }
}

fn mac(separated: bool, text: &str) -> (ConversionKind, &str) {
    let (separator, reversed, rest) = match text.as_bytes().first() {
        Some(b'R') => (b':', true, &text[1..]),
        Some(b'F') if separated => (b'-', false, &text[1..]),
        _ => (b':', false, text),
    };
    (ConversionKind::Mac { separator: separated.then_some(separator), reversed }, rest)
}

fn internet(large: bool, text: &str) -> Option<(ConversionKind, &str)> {
    if let Some(rest) = text.strip_prefix('4') {
        let order = rest.chars().next().filter(|c| matches!(c, 'h' | 'n' | 'b' | 'l'));
        let reversed = matches!(order, Some('h' | 'l'));
        let rest = &rest[order.map_or(0, char::len_utf8)..];
        return Some((ConversionKind::Internet4 { zeros: !large, reversed }, rest));
    }
    if let Some(rest) = text.strip_prefix('6') {
        let compressed = large && rest.starts_with('c');
        let rest = &rest[usize::from(compressed)..];
        return Some((ConversionKind::Internet6 { colons: large, compressed }, rest));
    }
    let rest = text.strip_prefix('S')?;
    let end = rest.find(|c| !matches!(c, 'p' | 'c' | 'f' | 's' | 'h' | 'n' | 'b' | 'l'));
    let (letters, rest) = rest.split_at(end.unwrap_or(rest.len()));
    let kind =
        ConversionKind::SocketAddress { port: letters.contains('p'), compressed: letters.contains('c') };
    Some((kind, rest))
}

fn uuid(text: &str) -> (ConversionKind, &str) {
    let letter = text.chars().next().filter(|c| matches!(c, 'b' | 'B' | 'l' | 'L'));
    let kind = ConversionKind::Uuid {
        little_endian: matches!(letter, Some('l' | 'L')),
        upper: matches!(letter, Some('B' | 'L')),
    };
    (kind, &text[letter.map_or(0, char::len_utf8)..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_are_taken_apart() {
        let (conversion, rest) = parse("-08.*llx rest").unwrap();
        assert!(conversion.left && conversion.zero && !conversion.alternate);
        assert_eq!((conversion.width, conversion.precision), (Amount::Fixed(8), Amount::Argument));
        assert_eq!((conversion.size, conversion.kind), (8, ConversionKind::Hex { upper: false }));
        assert_eq!(rest, " rest");
        assert_eq!(parse(".s").unwrap().0.precision, Amount::Fixed(0));
        assert_eq!(parse("hhd").unwrap().0.size, 1);
        assert_eq!(parse("99999999999999999999d").unwrap().0.width, Amount::Fixed(MAX_AMOUNT));
        assert_eq!(parse("5f!"), Err(('f', "!")));
        assert_eq!(parse("5"), Err(('\0', "")));
    }

    #[test]
    fn pointers_have_letters_of_their_own() {
        let cases = [
            ("pS+", ConversionKind::Symbol { offset: true }, "+"),
            ("px", ConversionKind::Pointer, ""),
            ("p", ConversionKind::Pointer, ""),
            ("p, x", ConversionKind::Pointer, ", x"),
            ("pMF", ConversionKind::Mac { separator: Some(b'-'), reversed: false }, ""),
            ("pI4h:", ConversionKind::Internet4 { zeros: false, reversed: true }, ":"),
            ("pI6c", ConversionKind::Internet6 { colons: true, compressed: true }, ""),
            ("pISpc", ConversionKind::SocketAddress { port: true, compressed: true }, ""),
            ("pUl", ConversionKind::Uuid { little_endian: true, upper: false }, ""),
            ("pIx", ConversionKind::Pointer, "Ix"),
        ];
        for (text, kind, after) in cases {
            let (conversion, rest) = parse(text).unwrap();
            assert_eq!((conversion.kind, rest), (kind, after), "{text}");
        }
    }
}
