//! Damage to bytes and to texts.

use super::random::Random;
use core::ops::Range;

/// Changes some places of `bytes` within `range`.
pub fn damage(bytes: &mut [u8], range: Range<usize>, random: &mut Random) {
    let Some(part) = bytes.get_mut(range) else { return };
    if part.is_empty() {
        return;
    }
    let at = random.below(part.len());
    match random.below(5) {
        0 => part[at] ^= 1 << random.below(8),
        1 => part[at] = random.next() as u8,
        2 => put(part, at & !3, &(word_near(part, at & !3, random) as u32).to_le_bytes()),
        3 => put(part, at & !7, &word_near(part, at & !7, random).to_le_bytes()),
        _ => {
            let (from, len) = (random.below(part.len()), 1 + random.below(16));
            let len = len.min(part.len() - from.max(at));
            part.copy_within(from..from + len, at);
        }
    }
}

/// A word that is a limit of something, or near what is there.
fn word_near(bytes: &[u8], at: usize, random: &mut Random) -> u64 {
    const LIMITS: &[u64] =
        &[0, 1, 2, 4, 8, 16, 4080, 4096, 0xffff, 0x1_0000, 0x7fff_ffff, u32::MAX as u64, 1 << 63, u64::MAX];
    let there =
        bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |word| u64::from_le_bytes(*word));
    let limit = *random.choose(LIMITS);
    match random.below(6) {
        0 => random.next(),
        1 => there.wrapping_add(limit),
        2 => there.wrapping_sub(limit),
        3 => there ^ 1 << random.below(64),
        _ => limit,
    }
}

fn put(bytes: &mut [u8], at: usize, word: &[u8]) {
    for (to, from) in bytes.iter_mut().skip(at).zip(word) {
        *to = *from;
    }
}

/// A text with some pieces of it replaced, left out, doubled or put elsewhere.
pub fn damaged_text(text: &str, pieces: &[&str], random: &mut Random) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for _ in 0..1 + random.below(8) {
        let at = random.below(letters.len());
        let len = random.below(12).min(letters.len() - at);
        let new: Vec<char> = match random.below(4) {
            0 => Vec::new(),
            1 => {
                let from = random.below(letters.len());
                letters[from..].iter().take(random.below(40)).copied().collect()
            }
            2 => vec![char::from(b' ' + random.below(95) as u8)],
            _ => random.choose(pieces).chars().collect(),
        };
        letters.splice(at..at + len, new);
    }
    letters.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_stays_in_its_range() {
        let mut random = Random::new(1);
        for _ in 0..10_000 {
            let mut bytes = vec![7; 64];
            damage(&mut bytes, 16..31, &mut random);
            assert!(bytes[..16].iter().chain(&bytes[31..]).all(|byte| *byte == 7));
        }
    }

    #[test]
    fn any_text_can_be_damaged() {
        let mut random = Random::new(2);
        let mut text = String::new();
        for _ in 0..1000 {
            text = damaged_text(&text, &["REC->", "\""], &mut random);
            text.truncate(text.char_indices().nth(50).map_or(text.len(), |(end, _)| end));
        }
        assert!(!text.is_empty());
    }
}
