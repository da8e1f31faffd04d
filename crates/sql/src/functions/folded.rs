//! `folded(frames)`: a stack as tools for flame graphs read it.

use super::scalar::of_arrays;
use datafusion::arrow::array::{Array, AsArray, StringArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field};
use datafusion::logical_expr::{ScalarUDF, Volatility, create_udf};
use std::sync::Arc;

/// Functions, outermost first, with semicolons between them.
pub(super) fn folded() -> ScalarUDF {
    let kind = DataType::List(Arc::new(Field::new("item", DataType::Utf8, true)));
    let wanted = kind.clone();
    let function = of_arrays(move |arguments| {
        let stacks = cast(&arguments[0], &wanted)?;
        let fold = |frames: Option<Arc<dyn Array>>| {
            let frames = frames?;
            let mut names: Vec<&str> = frames.as_string::<i32>().iter().flatten().collect();
            names.reverse();
            // One that has a semicolon would be two.
            Some(names.iter().map(|name| name.replace(';', ":")).collect::<Vec<_>>().join(";"))
        };
        Ok(Arc::new(stacks.as_list::<i32>().iter().map(fold).collect::<StringArray>()))
    });
    create_udf("folded", vec![kind], DataType::Utf8, Volatility::Immutable, function)
}
