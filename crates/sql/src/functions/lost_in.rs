//! `lost_in(from, to)` and `lost_in(from, to, file)`: how many events are missing between two times.

use super::scalar::{numbers, of_arrays, text, texts};
use crate::loss::{KnownLosses, Loss};
use datafusion::arrow::array::{Array, Int64Array};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::exec_err;
use datafusion::error::Result;
use datafusion::logical_expr::{ScalarUDF, Signature, SimpleScalarUDF, TypeSignature, Volatility};
use std::sync::Arc;

/// The losses of a file, with the name of its schema.
pub type LossesOfFile = (String, KnownLosses);

/// Of these files, the first of which is meant where none is named.
pub(super) fn lost_in(files: Vec<LossesOfFile>) -> ScalarUDF {
    let function = of_arrays(move |arguments| {
        let (starts, ends) = (numbers(&arguments[0])?, numbers(&arguments[1])?);
        let names = arguments.get(2).map(texts).transpose()?;
        let count = |(row, (from, to)): (usize, (Option<i64>, Option<i64>))| -> Result<Option<i64>> {
            let name = match &names {
                Some(names) if names.is_null(row) => return Ok(None),
                Some(names) => text(names, row),
                None => None,
            };
            let losses = find(&files, name)?;
            Ok(losses.zip(from.zip(to)).map(|(losses, (from, to))| Loss::count_between(losses, from, to)))
        };
        let counts = starts.into_iter().zip(ends).enumerate().map(count);
        Ok(Arc::new(counts.collect::<Result<Int64Array>>()?))
    });
    let times = vec![DataType::Int64; 2];
    let named = [times.as_slice(), &[DataType::Utf8]].concat();
    let signature = Signature::one_of(
        vec![TypeSignature::Exact(times), TypeSignature::Exact(named)],
        Volatility::Immutable,
    );
    SimpleScalarUDF::new_with_signature("lost_in", signature, DataType::Int64, function).into()
}

/// The losses of a file: the first one's without a name.
fn find<'a>(files: &'a [LossesOfFile], name: Option<&str>) -> Result<Option<&'a [Loss]>> {
    let Some(name) = name else {
        return Ok(files.first().and_then(|(_, losses)| losses.as_deref()));
    };
    match files.iter().find(|(schema, _)| schema == name) {
        Some((_, losses)) => Ok(losses.as_deref()),
        None => {
            let known: Vec<&str> = files.iter().map(|(schema, _)| schema.as_str()).collect();
            exec_err!("no file is called {name}: expected one of {}", known.join(", "))
        }
    }
}
