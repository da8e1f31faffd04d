//! The function, and what it returns as a table.

use super::exec::IntersectExec;
use super::sweep::ColumnOrigin;
use crate::planned::planned;
use async_trait::async_trait;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::catalog::{Session, TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::plan_err;
use datafusion::datasource::TableType;
use datafusion::error::Result;
use datafusion::logical_expr::{Expr, LogicalPlan};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::projection::ProjectionExec;
use std::sync::Arc;

/// `intersect(a, b)`, of tables or queries with columns `ts` and `dur`, and perhaps `tid`.
#[derive(Debug)]
pub struct Intersect;

/// Overlaps of two inputs.
#[derive(Debug)]
struct IntersectTable {
    first: LogicalPlan,
    second: LogicalPlan,
    by_thread: bool,
    schema: SchemaRef,
    origins: Arc<[ColumnOrigin]>,
}

impl TableFunctionImpl for Intersect {
    fn call_with_args(&self, args: TableFunctionArgs<'_, '_>) -> Result<Arc<dyn TableProvider>> {
        let [first, second] = args.exprs() else {
            return plan_err!("intersect takes two tables or queries: intersect('slices', 'SELECT ...')");
        };
        let (first, second) = (input(first, args.session())?, input(second, args.session())?);
        let has = |plan: &LogicalPlan, name: &str| plan.schema().as_arrow().index_of(name).is_ok();
        for (plan, place) in [(&first, "first"), (&second, "second")] {
            if !has(plan, "ts") || !has(plan, "dur") {
                return plan_err!("intersect takes intervals: its {place} argument lacks a column ts or dur");
            }
        }
        let by_thread = has(&first, "tid") && has(&second, "tid");
        let (schema, origins) = columns(first.schema().as_arrow(), second.schema().as_arrow(), by_thread);
        Ok(Arc::new(IntersectTable { first, second, by_thread, schema, origins }))
    }
}

/// An argument: the name of a table, or a query.
fn input(argument: &Expr, session: &dyn Session) -> Result<LogicalPlan> {
    let text = match argument {
        Expr::Literal(value, _) => value.try_as_str().flatten().map(str::to_owned),
        Expr::Column(column) => Some(column.flat_name()),
        _ => None,
    };
    let Some(text) = text else {
        return plan_err!("intersect takes names of tables or queries in quotes, and found {argument}");
    };
    let is_query =
        text.trim_start().to_lowercase().starts_with("select") || text.trim_start().starts_with('(');
    let query = if is_query { text } else { format!("SELECT * FROM {text}") };
    planned(&query, session)
}

/// The result's columns: when, how long and of which thread; then all others of the first and of the second,
/// with `b_` before names that are taken.
fn columns(first: &Schema, second: &Schema, by_thread: bool) -> (SchemaRef, Arc<[ColumnOrigin]>) {
    let mut fields =
        vec![Field::new("ts", DataType::Int64, false), Field::new("dur", DataType::Int64, false)];
    let mut origins = vec![ColumnOrigin::Start, ColumnOrigin::Length];
    let is_shared = |name: &str| matches!(name, "ts" | "dur") || by_thread && name == "tid";
    if let Some((place, field)) = first.column_with_name("tid").filter(|_| by_thread) {
        fields.push(field.clone());
        origins.push(ColumnOrigin::First(place));
    }
    let others = |schema: &Schema| -> Vec<(usize, Field)> {
        let fields = schema.fields().iter().enumerate();
        fields
            .filter(|(_, it)| !is_shared(it.name()))
            .map(|(place, it)| (place, it.as_ref().clone()))
            .collect()
    };
    for (place, field) in others(first) {
        fields.push(field);
        origins.push(ColumnOrigin::First(place));
    }
    for (place, field) in others(second) {
        let mut name = field.name().clone();
        while fields.iter().any(|known| *known.name() == name) {
            name.insert_str(0, "b_");
        }
        fields.push(field.with_name(name));
        origins.push(ColumnOrigin::Second(place));
    }
    (Arc::new(Schema::new(fields)), origins.into())
}

#[async_trait]
impl TableProvider for IntersectTable {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::View
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        _limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let first = state.create_physical_plan(&self.first).await?;
        let second = state.create_physical_plan(&self.second).await?;
        let all: Vec<usize> = (0..self.origins.len()).collect();
        let wanted = projection.unwrap_or(&all);
        // At least the time, so that rows can be counted.
        let wanted: &[usize] = if wanted.is_empty() { &[0] } else { wanted };
        let schema: SchemaRef = self.schema.project(wanted)?.into();
        let origins = wanted.iter().map(|place| self.origins[*place]).collect();
        let swept = IntersectExec::new(first, second, self.by_thread, schema, origins);
        match projection.is_some_and(Vec::is_empty) {
            true => {
                let none: Vec<(Arc<dyn PhysicalExpr>, String)> = Vec::new();
                Ok(Arc::new(ProjectionExec::try_new(none, Arc::new(swept))?))
            }
            false => Ok(Arc::new(swept)),
        }
    }
}
