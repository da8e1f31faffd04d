//! The values of all rows, or of a window.

use super::sorted_values::SortedValues;
use super::values::{percentile, percentile_of_sorted};
use super::{WantedPercentile, lists};
use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::datatypes::Float64Type;
use datafusion::common::{ScalarValue, internal_err};
use datafusion::error::Result;
use datafusion::logical_expr::Accumulator;
use std::sync::Arc;

/// Keeps the values of one group, or of a window, which is asked for a percentile again and again.
#[derive(Debug)]
pub(super) struct SinglePercentile {
    wanted: WantedPercentile,
    values: KeptValues,
}

#[derive(Debug)]
enum KeptValues {
    /// As they have come, for one percentile.
    Unsorted { values: Vec<f64>, is_asked: bool },
    /// Of a window.
    Sorted(SortedValues),
}

impl SinglePercentile {
    pub(super) fn new(wanted: WantedPercentile) -> SinglePercentile {
        SinglePercentile { wanted, values: KeptValues::Unsorted { values: Vec::new(), is_asked: false } }
    }

    /// Of a window that rows leave, too.
    pub(super) fn sliding(wanted: WantedPercentile) -> SinglePercentile {
        SinglePercentile { wanted, values: KeptValues::Sorted(SortedValues::default()) }
    }
}

impl Accumulator for SinglePercentile {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let values = values[0].as_primitive::<Float64Type>();
        match &mut self.values {
            KeptValues::Sorted(sorted) => values.iter().flatten().for_each(|value| sorted.add(value)),
            KeptValues::Unsorted { values: kept, .. } => match values.null_count() {
                0 => kept.extend_from_slice(values.values()),
                _ => kept.extend(values.iter().flatten()),
            },
        }
        Ok(())
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        states[0].as_list::<i64>().iter().flatten().try_for_each(|list| self.update_batch(&[list]))
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let values = match &mut self.values {
            KeptValues::Unsorted { values, .. } => std::mem::take(values),
            KeptValues::Sorted(values) => std::mem::take(values).iter().collect(),
        };
        Ok(vec![ScalarValue::LargeList(Arc::new(lists(&[values])))])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        // A window that grows is asked again and again.
        if let KeptValues::Unsorted { values, is_asked: true } = &mut self.values {
            self.values = KeptValues::Sorted(SortedValues::new(std::mem::take(values)));
        }
        let found = match &mut self.values {
            KeptValues::Unsorted { values, is_asked } => {
                *is_asked = true;
                percentile(values, self.wanted)
            }
            KeptValues::Sorted(values) => percentile_of_sorted(values, self.wanted),
        };
        Ok(ScalarValue::Float64(found))
    }

    /// Takes the rows out that a window has left.
    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let KeptValues::Sorted(sorted) = &mut self.values else {
            return internal_err!("rows don't leave a window that slides nowhere");
        };
        values[0].as_primitive::<Float64Type>().iter().flatten().for_each(|value| sorted.remove(value));
        Ok(())
    }

    fn supports_retract_batch(&self) -> bool {
        matches!(self.values, KeptValues::Sorted(_))
    }

    fn size(&self) -> usize {
        let values = match &self.values {
            KeptValues::Unsorted { values, .. } => values.capacity() * size_of::<f64>(),
            KeptValues::Sorted(values) => values.size(),
        };
        size_of_val(self) + values
    }
}
