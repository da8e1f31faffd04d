//! Which records a query wants, as far as that is seen before they are decoded.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};
use foldhash::HashSet;
use trace_data::event::EventTable;
use trace_data::record::Record;

/// Which records are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct EventFilter {
    /// Only these events.
    names: Option<HashSet<String>>,
    systems: Option<HashSet<String>>,
    tids: Option<HashSet<i64>>,
    cpus: Option<HashSet<i64>>,
    from: Option<i64>,
    to: Option<i64>,
}

/// A condition that is understood.
#[derive(Debug, PartialEq, Eq)]
enum UnderstoodCondition {
    /// The column has one of these values.
    Values(String, Vec<ScalarValue>),
    /// The time is in this range.
    Times(Option<i64>, Option<i64>),
}

impl EventFilter {
    /// Whether a condition is understood, so that it need not be evaluated again.
    pub(super) fn understands(condition: &Expr) -> bool {
        EventFilter::default().add(condition)
    }

    /// Wants what fulfills all of these conditions, as far as they are understood.
    pub(super) fn new(conditions: &[Expr]) -> EventFilter {
        let mut filter = EventFilter::default();
        for condition in conditions {
            filter.add(condition);
        }
        filter
    }

    /// Whether it is understood.
    fn add(&mut self, condition: &Expr) -> bool {
        let Some(condition) = understood(condition) else { return false };
        match condition {
            UnderstoodCondition::Times(from, to) => {
                self.from = self.from.max(from);
                self.to = self.to.into_iter().chain(to).min();
                true
            }
            UnderstoodCondition::Values(column, values) => match column.as_str() {
                "name" => restrict(&mut self.names, texts(&values)),
                "system" => restrict(&mut self.systems, texts(&values)),
                "tid" => restrict(&mut self.tids, numbers(&values)),
                "cpu" => restrict(&mut self.cpus, numbers(&values)),
                _ => false,
            },
        }
    }

    /// Whether a CPU has any.
    pub(super) fn wants_cpu(&self, cpu: u32) -> bool {
        self.cpus.as_ref().is_none_or(|cpus| cpus.contains(&i64::from(cpu)))
    }

    /// Whether later records of a CPU than those of this time are wanted.
    pub(super) fn ends_before(&self, time: u64) -> bool {
        self.to.is_some_and(|to| (time as i64) > to)
    }

    /// Whether a record is wanted, of which `ids` has the wanted events.
    pub(super) fn wants(&self, record: &Record<'_>, ids: Option<&HashSet<u16>>) -> bool {
        ids.is_none_or(|ids| ids.contains(&record.id()))
            && self.tids.as_ref().is_none_or(|tids| tids.contains(&i64::from(record.pid())))
            && self.from.is_none_or(|from| record.time as i64 >= from)
    }

    /// The ids of the wanted events; none where all are.
    pub(super) fn ids(&self, events: &EventTable) -> Option<HashSet<u16>> {
        if self.names.is_none() && self.systems.is_none() {
            return None;
        }
        let has = |names: &Option<HashSet<String>>, name: &str| {
            names.as_ref().is_none_or(|names| names.contains(name))
        };
        let formats = events.iter().map(|event| event.format());
        let wanted = formats.filter(|it| has(&self.names, &it.name) && has(&self.systems, &it.system));
        Some(wanted.map(|format| format.id).collect())
    }
}

/// Only values of both sets are wanted from now on.
fn restrict<T: Eq + std::hash::Hash>(wanted: &mut Option<HashSet<T>>, more: Option<HashSet<T>>) -> bool {
    let Some(mut more) = more else { return false };
    if let Some(before) = wanted {
        more.retain(|value| before.contains(value));
    }
    *wanted = Some(more);
    true
}

fn texts(values: &[ScalarValue]) -> Option<HashSet<String>> {
    values.iter().map(|value| Some(value.try_as_str()??.to_owned())).collect()
}

fn numbers(values: &[ScalarValue]) -> Option<HashSet<i64>> {
    values.iter().map(number).collect()
}

fn number(value: &ScalarValue) -> Option<i64> {
    match value.cast_to(&DataType::Int64).ok()? {
        ScalarValue::Int64(number) if value.data_type().is_integer() => number,
        _ => None,
    }
}

fn understood(condition: &Expr) -> Option<UnderstoodCondition> {
    match condition {
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Or, right }) => {
            match (understood(left)?, understood(right)?) {
                (UnderstoodCondition::Values(one, mut values), UnderstoodCondition::Values(other, more))
                    if one == other =>
                {
                    values.extend(more);
                    Some(UnderstoodCondition::Values(one, values))
                }
                _ => None,
            }
        }
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::And, right }) => {
            match (understood(left)?, understood(right)?) {
                (UnderstoodCondition::Times(from, to), UnderstoodCondition::Times(later, earlier)) => {
                    let to = to.into_iter().chain(earlier).min();
                    Some(UnderstoodCondition::Times(from.max(later), to))
                }
                _ => None,
            }
        }
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => match (&**left, &**right) {
            (Expr::Column(column), Expr::Literal(value, _)) => compared(&column.name, *op, value),
            (Expr::Literal(value, _), Expr::Column(column)) => compared(&column.name, op.swap()?, value),
            _ => None,
        },
        Expr::Between(between) if !between.negated => match (&*between.expr, &*between.low, &*between.high) {
            (Expr::Column(column), Expr::Literal(low, _), Expr::Literal(high, _)) if column.name == "ts" => {
                Some(UnderstoodCondition::Times(Some(number(low)?), Some(number(high)?)))
            }
            _ => None,
        },
        Expr::InList(list) if !list.negated => {
            let Expr::Column(column) = &*list.expr else { return None };
            let literal = |value: &Expr| match value {
                Expr::Literal(value, _) => Some(value.clone()),
                _ => None,
            };
            let values = list.list.iter().map(literal).collect::<Option<_>>()?;
            Some(UnderstoodCondition::Values(column.name.clone(), values))
        }
        _ => None,
    }
}

fn compared(column: &str, operator: Operator, value: &ScalarValue) -> Option<UnderstoodCondition> {
    if column != "ts" {
        let is_equal = operator == Operator::Eq;
        return is_equal.then(|| UnderstoodCondition::Values(column.to_owned(), vec![value.clone()]));
    }
    let time = number(value)?;
    let (from, to) = match operator {
        Operator::Eq => (Some(time), Some(time)),
        Operator::Gt => (Some(time.checked_add(1)?), None),
        Operator::GtEq => (Some(time), None),
        Operator::Lt => (None, Some(time.checked_sub(1)?)),
        Operator::LtEq => (None, Some(time)),
        _ => return None,
    };
    Some(UnderstoodCondition::Times(from, to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use datafusion::prelude::{col, lit};

    fn filter(conditions: &[Expr]) -> EventFilter {
        assert!(conditions.iter().all(EventFilter::understands), "{conditions:?}");
        EventFilter::new(conditions)
    }

    #[test]
    fn conditions_are_met_together() {
        let wanted = filter(&[
            col("ts").gt(lit(10_i64)),
            col("ts").lt_eq(lit(90_i64)),
            lit(20_i64).lt_eq(col("ts")),
            col("name").eq(lit("read")).or(col("name").eq(lit("write"))),
            col("name").in_list(vec![lit("read"), lit("open")], false),
            col("cpu").eq(lit(1_i32)),
        ]);
        assert_eq!((wanted.from, wanted.to), (Some(20), Some(90)));
        assert_eq!(wanted.names, Some(HashSet::from_iter(["read".to_owned()])));
        assert!(wanted.wants_cpu(1) && !wanted.wants_cpu(0));
        assert!(wanted.ends_before(91) && !wanted.ends_before(90));
    }

    #[test]
    fn others_are_left_to_the_engine() {
        for condition in [
            col("name").like(lit("read%")),
            col("name").not_eq(lit("read")),
            col("ret").gt(lit(1_i64)),
            col("ts").gt(lit(1.5)),
            col("ts").eq(lit(1_i64)).or(col("cpu").eq(lit(1_i32))),
            col("tid").eq(col("pid")),
        ] {
            assert!(!EventFilter::understands(&condition), "{condition}");
        }
    }
}
