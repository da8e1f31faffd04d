//! The rows of a group, sorted.

use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Int64Type};
use datafusion::arrow::error::ArrowError;
use foldhash::HashMap;

/// The columns that the rows of each group are sorted by; as they come, if there are none.
pub type GroupOrder = &'static [&'static str];

/// A row: which batch it is in, and where there.
pub(super) type RowPlace = (usize, usize);

/// The rows of all batches by these columns, the first one first; rows that are alike stay in order.
///
/// # Errors
///
/// Where there is no such column, or it has neither strings nor numbers of 64 bits.
pub(super) fn sorted_places(batches: &[RecordBatch], columns: &[&str]) -> Result<Vec<RowPlace>, ArrowError> {
    let ranks = columns.iter().map(|column| Ranks::of(batches, column)).collect::<Result<Vec<_>, _>>()?;
    let (by, then) = match &ranks[..] {
        [by] => (by, None),
        [by, then] => (by, Some(then)),
        _ => return Err(ArrowError::NotYetImplemented(format!("{} columns to sort by", columns.len()))),
    };
    let places = batches
        .iter()
        .enumerate()
        .flat_map(|(batch, rows)| (0..rows.num_rows()).map(move |row| (batch, row)));
    // What is compared lies together.
    let mut rows: Vec<_> =
        places.map(|place| (by.at(place), then.map_or(0, |then| then.at(place)), place)).collect();
    rows.sort_unstable();
    Ok(rows.into_iter().map(|(_, _, place)| place).collect())
}

/// What the rows of a column are compared by.
struct Ranks(Vec<Vec<i64>>);

impl Ranks {
    fn of(batches: &[RecordBatch], column: &str) -> Result<Ranks, ArrowError> {
        let missing = || ArrowError::SchemaError(format!("no column {column}"));
        let column_of = |batch: &RecordBatch| batch.column_by_name(column).cloned().ok_or_else(missing);
        let columns = batches.iter().map(column_of).collect::<Result<Vec<_>, _>>()?;
        match columns.first().map(|column| column.data_type()) {
            Some(DataType::Int64) => {
                let values = |column: &ArrayRef| column.as_primitive::<Int64Type>().values().to_vec();
                Ok(Ranks(columns.iter().map(values).collect()))
            }
            Some(DataType::Utf8) => Ok(Ranks::of_strings(&columns)),
            other => Err(ArrowError::NotYetImplemented(format!("sorting by {other:?}"))),
        }
    }

    /// Few strings are in many rows: each is compared once.
    fn of_strings(columns: &[ArrayRef]) -> Ranks {
        let strings = || columns.iter().map(|column| column.as_string::<i32>());
        let known = strings().flat_map(|column| column.iter().flatten());
        let mut ranks: HashMap<&str, i64> = known.map(|string| (string, 0)).collect();
        let mut sorted: Vec<&str> = ranks.keys().copied().collect();
        sorted.sort_unstable();
        ranks.extend(sorted.into_iter().zip(0..));
        let rank =
            |string: Option<&str>| string.and_then(|string| ranks.get(string)).map_or(-1, |rank| *rank);
        Ranks(strings().map(|column| column.iter().map(rank).collect()).collect())
    }

    fn at(&self, (batch, row): RowPlace) -> i64 {
        self.0[batch][row]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use datafusion::arrow::array::{Int64Array, StringArray};
    use datafusion::arrow::datatypes::{Field, Schema};
    use std::sync::Arc;

    fn batch(rows: &[(&str, i64, i64)]) -> RecordBatch {
        let field = |name, kind| Field::new(name, kind, true);
        let fields =
            [field("name", DataType::Utf8), field("ts", DataType::Int64), field("place", DataType::Int64)];
        let names = StringArray::from_iter_values(rows.iter().map(|row| row.0));
        let [times, places] = [|row: &(&str, i64, i64)| row.1, |row: &(&str, i64, i64)| row.2]
            .map(|value| Arc::new(Int64Array::from_iter_values(rows.iter().map(value))) as ArrayRef);
        let schema = Arc::new(Schema::new(fields.to_vec()));
        RecordBatch::try_new(schema, vec![Arc::new(names), times, places]).unwrap()
    }

    fn places(batches: &[RecordBatch], columns: &[&str]) -> Vec<i64> {
        let place = |(batch, row): RowPlace| batches[batch].column(2).as_primitive::<Int64Type>().value(row);
        sorted_places(batches, columns).unwrap().into_iter().map(place).collect()
    }

    #[test]
    fn rows_are_sorted_by_one_column_or_two() {
        let batches = [batch(&[("write", 5, 0), ("read", 7, 1), ("read", -2, 2)]), batch(&[("read", 7, 3)])];
        assert_eq!(places(&batches, &["name", "ts"]), [2, 1, 3, 0]);
        assert_eq!(places(&batches, &["ts"]), [2, 0, 1, 3]);
        assert_eq!(places(&batches, &["name"]), [1, 2, 3, 0]);
    }

    #[test]
    fn what_it_cannot_be_sorted_by_is_said() {
        let batches = [batch(&[("read", 1, 0)])];
        assert!(sorted_places(&batches, &["nothing"]).unwrap_err().to_string().contains("no column nothing"));
        assert!(sorted_places(&batches, &[]).is_err());
    }
}
