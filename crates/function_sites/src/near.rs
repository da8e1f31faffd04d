//! Looking for something in what is sorted, near where the last thing was.

/// As `slice::partition_point`, in a time that is proportional to the logarithm of the result's distance from
/// `near`.
///
/// Async-signal-safe.
pub fn partition_point_near<T>(sorted: &[T], near: usize, is_before: impl Fn(&T) -> bool) -> usize {
    let is_before_at = |index: usize| sorted.get(index).is_some_and(&is_before);
    // What is looked for is always in low..=high.
    let (mut low, mut high, mut step) = (near.min(sorted.len()), near.min(sorted.len()), 1);
    while is_before_at(high) {
        low = high + 1;
        high = low + step;
        step *= 2;
    }
    while low > 0 && !is_before_at(low - 1) {
        high = low - 1;
        low = high.saturating_sub(step);
        step *= 2;
    }
    let between = sorted.get(low..high.min(sorted.len())).unwrap_or_default();
    low + between.partition_point(is_before)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn it_is_what_slices_find() {
        for len in 0..40 {
            let sorted: Vec<usize> = (0..len).map(|index| index / 3).collect();
            for near in 0..len + 3 {
                for limit in 0..len + 2 {
                    let is_before = |value: &usize| *value < limit;
                    let found = partition_point_near(&sorted, near, is_before);
                    assert_eq!(found, sorted.partition_point(is_before), "{len} {near} {limit}");
                }
            }
        }
    }
}
