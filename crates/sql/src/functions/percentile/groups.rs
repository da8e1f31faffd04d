//! The values of groups.

use super::values::percentile;
use super::{WantedPercentile, lists};
use datafusion::arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Float64Array};
use datafusion::arrow::datatypes::Float64Type;
use datafusion::error::Result;
use datafusion::logical_expr::{EmitTo, GroupsAccumulator};
use std::sync::Arc;

/// Keeps the values of each group until its percentile is asked for: eight bytes each, which the engine
/// counts, so that it spills groups or refuses where that is more than the memory it may have.
#[derive(Debug)]
pub(super) struct PercentileGroups {
    wanted: WantedPercentile,
    groups: Vec<Vec<f64>>,
    /// How many values there is memory for, in all groups. Asked for after each batch, it isn't summed up.
    capacity: usize,
}

impl PercentileGroups {
    pub(super) fn new(wanted: WantedPercentile) -> PercentileGroups {
        PercentileGroups { wanted, groups: Vec::new(), capacity: 0 }
    }

    fn add(&mut self, group: usize, values: &[f64]) {
        if let Some(kept) = self.groups.get_mut(group) {
            let before = kept.capacity();
            kept.extend_from_slice(values);
            self.capacity += kept.capacity() - before;
        }
    }

    fn take(&mut self, taken: EmitTo) -> Vec<Vec<f64>> {
        let groups = taken.take_needed(&mut self.groups);
        self.capacity -= groups.iter().map(Vec::capacity).sum::<usize>();
        groups
    }
}

impl GroupsAccumulator for PercentileGroups {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        groups: &[usize],
        filter: Option<&BooleanArray>,
        all: usize,
    ) -> Result<()> {
        self.groups.resize_with(all, Vec::new);
        let values = values[0].as_primitive::<Float64Type>();
        for (row, (group, value)) in groups.iter().zip(values.values()).enumerate() {
            if is_counted(values, filter, row) {
                self.add(*group, &[*value]);
            }
        }
        Ok(())
    }

    fn merge_batch(&mut self, states: &[ArrayRef], groups: &[usize], all: usize) -> Result<()> {
        self.groups.resize_with(all, Vec::new);
        let lists = states[0].as_list::<i64>();
        for (group, list) in groups.iter().zip(lists.iter()) {
            if let Some(list) = list {
                self.add(*group, list.as_primitive::<Float64Type>().values());
            }
        }
        Ok(())
    }

    fn state(&mut self, taken: EmitTo) -> Result<Vec<ArrayRef>> {
        Ok(vec![Arc::new(lists(&self.take(taken)))])
    }

    fn evaluate(&mut self, taken: EmitTo) -> Result<ArrayRef> {
        let wanted = self.wanted;
        let found = self.take(taken).into_iter().map(|mut values| percentile(&mut values, wanted));
        Ok(Arc::new(found.collect::<Float64Array>()))
    }

    fn convert_to_state(&self, values: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<Vec<ArrayRef>> {
        let values = values[0].as_primitive::<Float64Type>();
        let one = |row| Vec::from_iter(is_counted(values, filter, row).then(|| values.value(row)));
        Ok(vec![Arc::new(lists(&(0..values.len()).map(one).collect::<Vec<_>>()))])
    }

    fn size(&self) -> usize {
        self.capacity * size_of::<f64>() + self.groups.capacity() * size_of::<Vec<f64>>()
    }
}

/// Whether a row has a value that is asked for.
fn is_counted(values: &Float64Array, filter: Option<&BooleanArray>, row: usize) -> bool {
    values.is_valid(row) && filter.is_none_or(|filter| filter.is_valid(row) && filter.value(row))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(values: &[Option<f64>]) -> Vec<ArrayRef> {
        vec![Arc::new(Float64Array::from(values.to_vec()))]
    }

    #[test]
    fn states_of_several_partitions_merge() {
        let wanted = WantedPercentile { part: 0.5, is_distinct: false };
        let mut parts = [PercentileGroups::new(wanted), PercentileGroups::new(wanted)];
        let values = numbers(&[Some(1.0), None, Some(9.0), Some(7.0)]);
        parts[0].update_batch(&values, &[0, 0, 1, 0], None, 2).unwrap();
        let chosen = BooleanArray::from(vec![Some(true), Some(false), None]);
        let values = numbers(&[Some(3.0), Some(100.0), Some(100.0)]);
        parts[1].update_batch(&values, &[0, 0, 1], Some(&chosen), 2).unwrap();
        let mut whole = PercentileGroups::new(wanted);
        for part in &mut parts {
            whole.merge_batch(&part.state(EmitTo::All).unwrap(), &[0, 2], 3).unwrap();
            assert_eq!(part.capacity, 0, "what was taken is no longer held");
        }
        assert!(whole.size() >= 4 * size_of::<f64>());
        let first = whole.evaluate(EmitTo::First(1)).unwrap();
        assert_eq!(first.as_primitive::<Float64Type>().value(0), 3.0);
        let rest = whole.evaluate(EmitTo::All).unwrap();
        assert!(rest.is_null(0), "no value came to this group");
        assert_eq!(rest.as_primitive::<Float64Type>().value(1), 9.0);
        assert_eq!(whole.capacity, 0);
    }
}
