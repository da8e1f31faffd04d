//! Functions that make much of a number: refused where that is more than the memory has.

use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{
    DataType, Int64Type, IntervalMonthDayNanoType, IntervalUnit, TimeUnit, TimestampNanosecondType,
};
use datafusion::common::plan_err;
use datafusion::error::Result;
use datafusion::execution::FunctionRegistry;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use datafusion::prelude::SessionContext;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The functions, and how many values each makes of a row.
const FUNCTIONS: [(&str, ValueCount); 5] = [
    ("range", in_range),
    ("generate_series", in_range),
    ("array_repeat", repeated),
    ("array_resize", repeated),
    ("repeat", letters),
];

/// How many values a row's list has. Nothing where an argument is null, or of another kind.
type ValueCount = fn(&[ArrayRef], usize) -> Option<i128>;

/// What a value takes.
const VALUE: usize = size_of::<i64>();

/// Has an engine refuse lists that take more bytes than these: it makes each at once, and doesn't count it.
pub(super) fn register(context: &SessionContext, bytes: usize) -> Result<()> {
    for (name, count) in FUNCTIONS {
        let inner = context.udf(name)?;
        let mut signature = inner.signature().clone();
        // Else the engine makes it when it plans, and then copies it for each row.
        signature.volatility = Volatility::Volatile;
        context.register_udf(ScalarUDF::from(SizedList { inner, signature, count, most: bytes / VALUE }));
    }
    Ok(())
}

/// A function that makes lists, with how long they may be.
#[derive(Debug)]
struct SizedList {
    inner: Arc<ScalarUDF>,
    signature: Signature,
    count: ValueCount,
    most: usize,
}

impl PartialEq for SizedList {
    fn eq(&self, other: &SizedList) -> bool {
        (&self.inner, self.most) == (&other.inner, other.most)
    }
}

impl Eq for SizedList {}

impl Hash for SizedList {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.inner, self.most).hash(state);
    }
}

impl ScalarUDFImpl for SizedList {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn aliases(&self) -> &[String] {
        self.inner.aliases()
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        self.inner.return_type(arguments)
    }

    fn coerce_types(&self, arguments: &[DataType]) -> Result<Vec<DataType>> {
        self.inner.coerce_types(arguments)
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let is_constant = arguments.args.iter().all(|argument| matches!(argument, ColumnarValue::Scalar(_)));
        let values = ColumnarValue::values_to_arrays(&arguments.args)?;
        let rows = if is_constant { 1 } else { arguments.number_rows };
        let count = |row| (self.count)(&values, row).unwrap_or(0).max(0);
        let copies = if is_constant { arguments.number_rows.max(1) as i128 } else { 1 };
        let total = (0..rows).map(count).fold(0, i128::saturating_add).saturating_mul(copies);
        if total > self.most as i128 {
            return plan_err!(
                "{}() would make {total} values at once, and the memory suffices for {}: raise --memory, \
                 or have rows of a table, FROM generate_series(1, 1000), instead of a list",
                self.name(),
                self.most
            );
        }
        self.inner.invoke_with_args(arguments)
    }
}

/// Numbers, days or times from one to another, by a step.
fn in_range(arguments: &[ArrayRef], row: usize) -> Option<i128> {
    let (start, stop) = match arguments {
        [stop] => (0, number(stop, row)?),
        [start, stop, ..] => (number(start, row)?, number(stop, row)?),
        [] => return None,
    };
    let step = arguments.get(2).map_or(Some(1), |step| number(step, row))?;
    // A wrong step is the function's own to complain of.
    Some((stop - start).checked_div(step)?.saturating_add(1))
}

/// What is in the second argument.
fn repeated(arguments: &[ArrayRef], row: usize) -> Option<i128> {
    number(arguments.get(1)?, row)
}

/// A text, so many times.
fn letters(arguments: &[ArrayRef], row: usize) -> Option<i128> {
    let text = cast(arguments.first()?, &DataType::Utf8).ok()?;
    let text = text.as_string::<i32>();
    let bytes = text.is_valid(row).then(|| text.value(row).len())?;
    let times = number(arguments.get(1)?, row)?;
    Some(times.saturating_mul(bytes as i128) / VALUE as i128)
}

/// A number; of a time, and of what is between two, the nanoseconds.
fn number(array: &ArrayRef, row: usize) -> Option<i128> {
    const DAY: i128 = 24 * 60 * 60 * 1_000_000_000;
    if array.is_null(row) {
        return None;
    }
    match array.data_type() {
        DataType::Interval(_) => {
            let kind = DataType::Interval(IntervalUnit::MonthDayNano);
            let length = cast(array, &kind).ok()?.as_primitive::<IntervalMonthDayNanoType>().value(row);
            // No month is shorter.
            let days = i128::from(length.months) * 28 + i128::from(length.days);
            Some(days * DAY + i128::from(length.nanoseconds))
        }
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => {
            let kind = DataType::Timestamp(TimeUnit::Nanosecond, None);
            let time = cast(array, &kind).ok()?;
            Some(time.as_primitive::<TimestampNanosecondType>().value(row).into())
        }
        _ => {
            let value = cast(array, &DataType::Int64).ok()?;
            value.is_valid(row).then(|| value.as_primitive::<Int64Type>().value(row).into())
        }
    }
}
