//! Values in order, of which some come and others go.

/// Values of a part at most. Where one is added or removed, those after it in its part move.
const PART: usize = 1024;

/// Values in order, in parts: to add one, to remove one and to find one by its place costs a step for each
/// part, and for each value of one part.
#[derive(Debug, Default)]
pub(super) struct SortedValues {
    /// None is empty.
    parts: Vec<Vec<f64>>,
    len: usize,
}

impl SortedValues {
    /// Of values in any order.
    pub(super) fn new(mut values: Vec<f64>) -> SortedValues {
        values.sort_unstable_by(f64::total_cmp);
        SortedValues { parts: values.chunks(PART / 2).map(<[f64]>::to_vec).collect(), len: values.len() }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The value at a place, counted from 0.
    pub(super) fn get(&self, mut place: usize) -> Option<f64> {
        for part in &self.parts {
            if let Some(value) = part.get(place) {
                return Some(*value);
            }
            place -= part.len();
        }
        None
    }

    /// All values.
    pub(super) fn iter(&self) -> impl Iterator<Item = f64> {
        self.parts.iter().flatten().copied()
    }

    pub(super) fn add(&mut self, value: f64) {
        let place = self.part_of(value).min(self.parts.len().saturating_sub(1));
        self.len += 1;
        let Some(part) = self.parts.get_mut(place) else {
            self.parts.push(vec![value]);
            return;
        };
        let at = part.partition_point(|other| other.total_cmp(&value).is_lt());
        part.insert(at, value);
        if part.len() > PART {
            let upper = part.split_off(PART / 2);
            self.parts.insert(place + 1, upper);
        }
    }

    /// Removes a value, once, if it is there.
    pub(super) fn remove(&mut self, value: f64) {
        let place = self.part_of(value);
        let Some(part) = self.parts.get_mut(place) else { return };
        let at = part.partition_point(|other| other.total_cmp(&value).is_lt());
        if part.get(at).is_some_and(|other| other.total_cmp(&value).is_eq()) {
            part.remove(at);
            self.len -= 1;
            if part.is_empty() {
                self.parts.remove(place);
            }
        }
    }

    /// The first part whose last value is not below this one; their number where there is none.
    fn part_of(&self, value: f64) -> usize {
        self.parts.partition_point(|part| part.last().is_some_and(|last| last.total_cmp(&value).is_lt()))
    }

    /// Bytes that it takes.
    pub(super) fn size(&self) -> usize {
        let values: usize = self.parts.iter().map(Vec::capacity).sum();
        values * size_of::<f64>() + self.parts.capacity() * size_of::<Vec<f64>>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_what_a_sorted_list_is() {
        let (mut sorted, mut list) = (SortedValues::default(), Vec::new());
        let mut state = 7_u64;
        for step in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let value = f64::from((state >> 40) as u32 % 3000) - 1500.0;
            // It grows first, and shrinks then.
            if (state >> 33) % 10 < if step < 12_000 { 7 } else { 3 } {
                sorted.add(value);
                list.push(value);
            } else if let Some(last) = list.len().checked_sub(1) {
                let gone = list.swap_remove((state >> 20) as usize % (last + 1));
                sorted.remove(gone);
            }
            if step % 500 == 0 {
                let mut expected = list.clone();
                expected.sort_unstable_by(f64::total_cmp);
                assert!(sorted.iter().eq(expected.iter().copied()), "{step}");
                let middle = expected.len() / 2;
                assert_eq!((sorted.len(), sorted.get(middle)), (list.len(), expected.get(middle).copied()));
            }
        }
        let before = list.len();
        sorted.remove(9e9);
        assert_eq!((sorted.len(), sorted.get(before)), (before, None));
        assert!(SortedValues::new(list.clone()).iter().eq(sorted.iter()));
        list.into_iter().for_each(|value| sorted.remove(value));
        assert_eq!((sorted.len(), sorted.parts.len()), (0, 0));
    }
}
