//! Sorting in place, where nothing may panic: the standard library's sort may.

/// Sorts by a key. What comes here is nearly always sorted: then it is one look at each.
pub fn heap_sort<T, K: Ord>(all: &mut [T], key: impl Fn(&T) -> K) {
    if all.is_sorted_by_key(&key) {
        return;
    }
    let count = all.len();
    for start in (0..count / 2).rev() {
        sift_down(all, &key, start, count);
    }
    for end in (1..count).rev() {
        exchange(all, 0, end);
        sift_down(all, &key, 0, end);
    }
}

/// Exchanges two. (The standard library's may panic.)
pub fn exchange<T>(all: &mut [T], one: usize, other: usize) {
    if let Ok([one, other]) = all.get_disjoint_mut([one, other]) {
        core::mem::swap(one, other);
    }
}

/// Lets the one at `start` sink to its place in the heap of the first `end`.
fn sift_down<T, K: Ord>(all: &mut [T], key: &impl Fn(&T) -> K, start: usize, end: usize) {
    let key_at = |all: &[T], index: usize| all.get(index).map(key);
    let mut parent = start;
    loop {
        let first = 2 * parent + 1;
        if first >= end {
            return;
        }
        let second = (first + 1).min(end - 1);
        let child = if key_at(all, second) > key_at(all, first) { second } else { first };
        if key_at(all, child) <= key_at(all, parent) {
            return;
        }
        exchange(all, parent, child);
        parent = child;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_in_order_then() {
        for count in 0..40_u64 {
            let mut all: [u64; 40] = core::array::from_fn(|index| (index as u64 * 17 + count) % 23);
            let all = &mut all[..count as usize];
            heap_sort(all, |one| *one);
            assert!(all.is_sorted(), "{all:?}");
        }
    }
}
