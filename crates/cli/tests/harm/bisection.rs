//! Finding what makes a difference, among many.

/// The fewest of them that make it: halves them for as long as one half does by itself.
pub(crate) fn fewest<'a>(mut all: Vec<&'a str>, differs: impl Fn(&[&'a str]) -> bool) -> Vec<&'a str> {
    while all.len() > 1 {
        let second = all.split_off(all.len() / 2);
        if differs(&all) {
            continue;
        }
        if differs(&second) {
            all = second;
            continue;
        }
        // Only some of both together do.
        all.extend(second);
        break;
    }
    all
}
