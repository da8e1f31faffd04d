//! The values of all rows, or of a window.

use super::values::percentile;
use super::{WantedPercentile, lists};
use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::datatypes::Float64Type;
use datafusion::common::ScalarValue;
use datafusion::error::Result;
use datafusion::logical_expr::Accumulator;
use std::sync::Arc;

/// Keeps the values of one group.
#[derive(Debug)]
pub(super) struct SinglePercentile {
    wanted: WantedPercentile,
    values: Vec<f64>,
}

impl SinglePercentile {
    pub(super) fn new(wanted: WantedPercentile) -> SinglePercentile {
        SinglePercentile { wanted, values: Vec::new() }
    }
}

impl Accumulator for SinglePercentile {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let values = values[0].as_primitive::<Float64Type>();
        match values.null_count() {
            0 => self.values.extend_from_slice(values.values()),
            _ => self.values.extend(values.iter().flatten()),
        }
        Ok(())
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        states[0].as_list::<i64>().iter().flatten().try_for_each(|list| self.update_batch(&[list]))
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let values = std::mem::take(&mut self.values);
        Ok(vec![ScalarValue::LargeList(Arc::new(lists(&[values])))])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        Ok(ScalarValue::Float64(percentile(&mut self.values, self.wanted)))
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.values.capacity() * size_of::<f64>()
    }
}
