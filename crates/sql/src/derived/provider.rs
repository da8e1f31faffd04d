//! The tables as the engine knows them: made when the first of them is asked for.

use super::pass::derive;
use super::recorder::TableSenders;
use super::{SliceRow, StackRow, StateRow};
use crate::failure::SqlFailure;
use crate::parquet::{FileNotes, file_name, properties, write};
use crate::table::{RowReceiver, TableRow, row_channel, schema_of};
use crate::trace::AskedTrace;
use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::plan_err;
use datafusion::datasource::TableType;
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl};
use datafusion::error::Result;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown};
use datafusion::physical_plan::ExecutionPlan;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::OnceCell;
use url::Url;

/// The tables that are made of a trace, in a directory of their own.
#[derive(Debug)]
pub struct Derivation {
    trace: Arc<AskedTrace>,
    directory: PathBuf,
    is_made: OnceCell<()>,
}

impl Derivation {
    /// Of a trace. The directory is there, and is no other trace's.
    pub fn new(trace: Arc<AskedTrace>, directory: PathBuf) -> Derivation {
        Derivation { trace, directory, is_made: OnceCell::new() }
    }

    /// Makes the tables, once.
    async fn make(&self) -> Result<(), SqlFailure> {
        self.is_made.get_or_try_init(|| self.write()).await?;
        Ok(())
    }

    async fn write(&self) -> Result<(), SqlFailure> {
        let (slices, slice_rows) = row_channel::<SliceRow<'_>>();
        let (states, state_rows) = row_channel::<StateRow>();
        let (stacks, stack_rows) = row_channel::<StackRow>();
        let (made, slices, states, stacks) = tokio::join!(
            derive(&self.trace, TableSenders { slices, states, stacks }),
            self.write_table(SliceRow::TABLE, slice_rows),
            self.write_table(StateRow::TABLE, state_rows),
            self.write_table(StackRow::TABLE, stack_rows),
        );
        // A table that can't be written ends the pass, too.
        slices.and(states).and(stacks).map_err(SqlFailure::from_engine)?;
        made
    }

    async fn write_table(&self, table: &str, rows: RowReceiver) -> Result<()> {
        let file = File::create(self.directory.join(file_name(table)))?;
        let rows = rows.into_stream();
        let properties = properties(&rows.schema(), &[]);
        write(rows, &[], properties, FileNotes::new, file).await.map(drop)
    }
}

/// One of them.
#[derive(Debug)]
pub struct DerivedTable {
    derivation: Arc<Derivation>,
    schema: SchemaRef,
    path: PathBuf,
}

impl DerivedTable {
    /// The table of these rows.
    pub fn new<R: TableRow>(derivation: &Arc<Derivation>) -> DerivedTable {
        let path = derivation.directory.join(file_name(R::TABLE));
        DerivedTable { derivation: Arc::clone(derivation), schema: schema_of::<R>(), path }
    }
}

/// A file of Parquet as a table.
pub fn listed(path: &Path, schema: SchemaRef) -> Result<ListingTable> {
    let Ok(url) = Url::from_file_path(path) else {
        return plan_err!("{} is no absolute path", path.display());
    };
    let url = ListingTableUrl::try_new(url, None)?;
    let options = ListingOptions::new(Arc::new(ParquetFormat::default()));
    ListingTable::try_new(ListingTableConfig::new(url).with_listing_options(options).with_schema(schema))
}

#[async_trait]
impl TableProvider for DerivedTable {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        Ok(vec![TableProviderFilterPushDown::Inexact; filters.len()])
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.derivation.make().await?;
        listed(&self.path, self.schema.clone())?.scan(state, projection, filters, limit).await
    }
}
