//! `lost_in(from, to)`: how many events are missing between two times.

use super::scalar::{numbers, of_arrays};
use crate::loss::Loss;
use crate::trace::AskedTrace;
use datafusion::arrow::array::Int64Array;
use datafusion::arrow::datatypes::DataType;
use datafusion::logical_expr::{ScalarUDF, Volatility, create_udf};
use std::sync::Arc;

/// Of this trace; nobody knows where there is none.
pub(super) fn lost_in(trace: Option<Arc<AskedTrace>>) -> ScalarUDF {
    let function = of_arrays(move |arguments| {
        let (starts, ends) = (numbers(&arguments[0])?, numbers(&arguments[1])?);
        let count = |(from, to): (Option<i64>, Option<i64>)| {
            Some(Loss::count_between(&trace.as_ref()?.losses, from?, to?))
        };
        Ok(Arc::new(starts.into_iter().zip(ends).map(count).collect::<Int64Array>()))
    });
    create_udf("lost_in", vec![DataType::Int64; 2], DataType::Int64, Volatility::Immutable, function)
}
