//! The table as the engine knows it.

use super::filter::EventFilter;
use super::row::EventRow;
use super::scan::EventScan;
use crate::table::{TableRow, schema_of};
use crate::trace::AskedTrace;
use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::datasource::TableType;
use datafusion::error::Result;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown};
use datafusion::physical_expr::expressions::col;
use datafusion::physical_expr::{LexOrdering, PhysicalSortExpr};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};
use std::sync::Arc;

/// The records of a trace: a partition for each CPU, in the order of time.
#[derive(Debug)]
pub struct EventProvider {
    trace: Arc<AskedTrace>,
    schema: SchemaRef,
}

impl EventProvider {
    /// Of a trace.
    pub fn new(trace: Arc<AskedTrace>) -> EventProvider {
        EventProvider { trace, schema: schema_of::<EventRow<'_>>() }
    }
}

#[async_trait]
impl TableProvider for EventProvider {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        let support = |filter: &&Expr| match EventFilter::understands(filter) {
            true => TableProviderFilterPushDown::Exact,
            false => TableProviderFilterPushDown::Unsupported,
        };
        Ok(filters.iter().map(support).collect())
    }

    async fn scan(
        &self,
        _state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let all: Vec<usize> = (0..EventRow::COLUMNS.len()).collect();
        let projection: Arc<[usize]> = projection.unwrap_or(&all).as_slice().into();
        let schema: SchemaRef = self.schema.project(&projection)?.into();
        let filter = Arc::new(EventFilter::new(filters));
        let streams = self.trace.cpus.iter().enumerate().filter(|(_, cpu)| filter.wants_cpu(**cpu));
        let scan = |(stream, _)| -> Arc<dyn PartitionStream> {
            Arc::new(EventScan {
                trace: Arc::clone(&self.trace),
                stream,
                filter: Arc::clone(&filter),
                projection: Arc::clone(&projection),
                schema: schema.clone(),
            })
        };
        let partitions: Vec<_> = streams.map(scan).collect();
        let by_time = col("ts", &schema).ok().map(PhysicalSortExpr::new_default);
        let order = by_time.and_then(|by_time| LexOrdering::new([by_time]));
        let scanned = StreamingTableExec::try_new(schema, partitions, None, order, false, limit)?;
        Ok(Arc::new(scanned))
    }
}
