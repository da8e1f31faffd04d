//! `pct(value, p)`: a percentile, to the last bit the one that DuckDB's `quantile_cont` is.

mod groups;
mod single;
mod sorted_values;
mod values;

use datafusion::arrow::array::{Float64Array, LargeListArray, RecordBatch};
use datafusion::arrow::buffer::OffsetBuffer;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Schema};
use datafusion::common::types::{NativeType, logical_float64};
use datafusion::common::{ScalarValue, plan_err};
use datafusion::error::Result;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::format_state_name;
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, Coercion, ColumnarValue, GroupsAccumulator, Signature,
    TypeSignatureClass, Volatility,
};
use groups::PercentileGroups;
use single::SinglePercentile;
use std::sync::Arc;

const NAME: &str = "pct";

/// The aggregate: of all values, or of those that differ with `DISTINCT`. Numbers of all kinds are taken as
/// floating-point numbers of 64 bits, as DuckDB takes them.
pub(super) fn pct() -> AggregateUDF {
    let number = Coercion::new_implicit(
        TypeSignatureClass::Native(logical_float64()),
        vec![TypeSignatureClass::Numeric],
        NativeType::Float64,
    );
    let signature = Signature::coercible(vec![number.clone(), number], Volatility::Immutable);
    AggregateUDF::new_from_impl(Percentile { signature })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Percentile {
    signature: Signature,
}

/// Which percentile, of which values.
#[derive(Debug, Clone, Copy)]
struct WantedPercentile {
    /// From 0 to 1.
    part: f64,
    is_distinct: bool,
}

impl WantedPercentile {
    fn of(arguments: &AccumulatorArgs<'_>) -> Result<WantedPercentile> {
        let none = RecordBatch::new_empty(Arc::new(Schema::empty()));
        let part = match arguments.exprs.get(1).map(|part| part.evaluate(&none)) {
            Some(Ok(ColumnarValue::Scalar(ScalarValue::Float64(Some(part))))) => part,
            _ => return plan_err!("{NAME} takes a column and a number: {NAME}(dur, 0.99)"),
        };
        match (0.0..=1.0).contains(&part) {
            true => Ok(WantedPercentile { part, is_distinct: arguments.is_distinct }),
            false => plan_err!("{NAME} takes a number from 0 to 1, and found {part}"),
        }
    }
}

/// What the values of groups travel as: lists, with offsets of 64 bits as there may be more than 2^31 values.
fn lists(groups: &[Vec<f64>]) -> LargeListArray {
    let offsets = OffsetBuffer::from_lengths(groups.iter().map(Vec::len));
    LargeListArray::new(value_field(), offsets, Arc::new(Float64Array::from(groups.concat())), None)
}

fn value_field() -> FieldRef {
    Arc::new(Field::new_list_field(DataType::Float64, true))
}

impl AggregateUDFImpl for Percentile {
    fn name(&self) -> &str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _kinds: &[DataType]) -> Result<DataType> {
        Ok(DataType::Float64)
    }

    fn state_fields(&self, arguments: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        let name = format_state_name(arguments.name, NAME);
        Ok(vec![Arc::new(Field::new(name, DataType::LargeList(value_field()), true))])
    }

    fn accumulator(&self, arguments: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(SinglePercentile::new(WantedPercentile::of(&arguments)?)))
    }

    fn create_sliding_accumulator(&self, arguments: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(SinglePercentile::sliding(WantedPercentile::of(&arguments)?)))
    }

    fn groups_accumulator_supported(&self, _arguments: AccumulatorArgs<'_>) -> bool {
        true
    }

    fn create_groups_accumulator(
        &self,
        arguments: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn GroupsAccumulator>> {
        Ok(Box::new(PercentileGroups::new(WantedPercentile::of(&arguments)?)))
    }
}
