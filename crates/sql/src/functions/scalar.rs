//! Functions of single values.

use datafusion::arrow::array::{Array, ArrayRef, AsArray, StringArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Int64Type};
use datafusion::error::Result;
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionImplementation};
use std::sync::Arc;

/// Has a function of arrays take columns and constants.
pub(super) fn of_arrays(
    function: impl Fn(&[ArrayRef]) -> Result<ArrayRef> + Send + Sync + 'static,
) -> ScalarFunctionImplementation {
    Arc::new(move |arguments: &[ColumnarValue]| {
        let is_constant = arguments.iter().all(|argument| matches!(argument, ColumnarValue::Scalar(_)));
        let found = function(&ColumnarValue::values_to_arrays(arguments)?)?;
        match is_constant {
            true => Ok(ColumnarValue::Scalar(datafusion::common::ScalarValue::try_from_array(&found, 0)?)),
            false => Ok(ColumnarValue::Array(found)),
        }
    })
}

/// The numbers of an array.
pub(super) fn numbers(array: &ArrayRef) -> Result<Vec<Option<i64>>> {
    let array = cast(array, &DataType::Int64)?;
    Ok(array.as_primitive::<Int64Type>().iter().collect())
}

/// The strings of an array.
pub(super) fn texts(array: &ArrayRef) -> Result<StringArray> {
    Ok(cast(array, &DataType::Utf8)?.as_string::<i32>().clone())
}

/// The string in a row, if there is one.
pub(super) fn text(texts: &StringArray, row: usize) -> Option<&str> {
    texts.is_valid(row).then(|| texts.value(row))
}
