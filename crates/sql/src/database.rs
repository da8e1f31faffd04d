//! The traces that are asked, as tables of an engine that reads nothing else.

use crate::derived::{Derivation, DerivedTable, SliceRow, StackRow, StateRow};
use crate::events::EventProvider;
use crate::failure::SqlFailure;
use crate::functions;
use crate::lacking::Lacking;
use crate::loss::KnownLosses;
use crate::parquet_files::{self, ParquetTables};
use crate::pauses::PausingSteps;
use crate::say::printable_path;
use crate::small;
use crate::table::NamedTables;
use crate::trace::AskedTrace;
use datafusion::catalog::{MemorySchemaProvider, SchemaProvider, TableProvider};
use datafusion::common::internal_err;
use datafusion::config::ConfigOptions;
use datafusion::error::DataFusionError;
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::memory_pool::{FairSpillPool, TrackConsumersPool};
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::prelude::{SessionConfig, SessionContext};
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// Traces and the engine that is asked about them.
pub struct Database {
    context: SessionContext,
    files: Vec<AskedFile>,
    /// Those of the first trace.
    tables: NamedTables,
    /// What is spilled, and what is made of traces.
    directory: TempDir,
}

/// What all schemas are in.
const CATALOG: &str = "trace";

/// A file that is asked.
enum AskedFile {
    Trace(Arc<AskedTrace>),
    /// Tables in Parquet: what they lack.
    Parquet(Lacking),
}

/// What is set aside of the memory for batches on their way, which nobody counts.
const UNCOUNTED: usize = 4;

/// What a sort sets aside for merging, as a part of the memory.
const SET_ASIDE: usize = 32;

/// Who holds most of the memory is named where there is too little.
const NAMED_HOLDERS: NonZeroUsize = NonZeroUsize::new(3).unwrap();

impl Database {
    /// Opens traces. Names without a schema are tables of the first one; each has a schema of its own, by its
    /// file's name. The first is called `name` if there is one. The engine has so many bytes of memory, and
    /// spills what needs more.
    /// `made` is told where what is spilled is: whoever ends without dropping the database removes it.
    pub async fn open(
        paths: &[PathBuf],
        name: Option<&str>,
        memory: usize,
        made: impl FnOnce(&Path),
    ) -> Result<Database, SqlFailure> {
        let directory = tempfile::Builder::new().prefix("lookback-sql.").tempdir()?;
        made(directory.path());
        let context = engine(directory.path(), memory).map_err(SqlFailure::from_engine)?;
        let (files, tables) = (Vec::new(), NamedTables::new());
        let mut database = Database { context, files, tables, directory };
        let mut losses = Vec::new();
        for (place, path) in paths.iter().enumerate() {
            let (tables, lost) = database.add(place, path, name.filter(|_| place == 0))?;
            if place == 0 {
                database.tables.clone_from(&tables);
            }
            let schema = database.register(place, path, tables).map_err(SqlFailure::from_engine)?;
            losses.push((schema, lost));
        }
        functions::register(&database.context, losses, memory / UNCOUNTED)
            .map_err(SqlFailure::from_engine)?;
        Ok(database)
    }

    /// The engine.
    pub fn context(&self) -> &SessionContext {
        &self.context
    }

    /// The first file, if that is a trace.
    pub fn trace(&self) -> Option<&Arc<AskedTrace>> {
        match self.files.first() {
            Some(AskedFile::Trace(trace)) => Some(trace),
            _ => None,
        }
    }

    /// What the files lack, as far as they have been read.
    pub fn lacking(&self) -> Vec<Lacking> {
        let of = |file: &AskedFile| match file {
            AskedFile::Trace(trace) => Lacking::of_trace(trace),
            AskedFile::Parquet(lacking) => lacking.clone(),
        };
        self.files.iter().map(of).collect()
    }

    /// The names of tables and columns.
    pub fn names(&self) -> BTreeSet<String> {
        self.tables
            .iter()
            .flat_map(|(name, table)| {
                let schema = table.schema();
                let columns: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
                std::iter::once(name.clone()).chain(columns)
            })
            .collect()
    }

    /// Opens a file: its tables, and what it has lost if that is known.
    fn add(
        &mut self,
        place: usize,
        path: &Path,
        name: Option<&str>,
    ) -> Result<(NamedTables, KnownLosses), SqlFailure> {
        let directory = self.directory.path().join(format!("file-{place}"));
        std::fs::create_dir(&directory)?;
        if parquet_files::are_at(path) {
            let ParquetTables { tables, notes, losses } = parquet_files::tables(path, &directory)?;
            self.files.push(AskedFile::Parquet(Lacking::of_notes(&printable_path(path), &notes)));
            return Ok((tables, losses));
        }
        let trace = Arc::new(AskedTrace::open(path, name)?);
        let derivation = Arc::new(Derivation::new(Arc::clone(&trace), directory));
        let small = |table: Result<_, DataFusionError>| -> Result<Arc<dyn TableProvider>, SqlFailure> {
            Ok(Arc::new(table.map_err(SqlFailure::from_engine)?))
        };
        let tables: NamedTables = vec![
            ("events".into(), Arc::new(EventProvider::new(Arc::clone(&trace)))),
            ("slices".into(), Arc::new(DerivedTable::new::<SliceRow<'_>>(&derivation))),
            ("states".into(), Arc::new(DerivedTable::new::<StateRow>(&derivation))),
            ("stacks".into(), Arc::new(DerivedTable::new::<StackRow>(&derivation))),
            ("threads".into(), small(small::threads(&trace))?),
            ("losses".into(), small(small::losses(&trace))?),
            ("meta".into(), small(small::meta(&trace))?),
        ];
        let losses = Arc::clone(&trace.losses);
        self.files.push(AskedFile::Trace(trace));
        Ok((tables, Some(losses)))
    }

    /// Has the engine know tables. The name of their schema.
    fn register(&self, place: usize, path: &Path, tables: NamedTables) -> Result<String, DataFusionError> {
        let own = Arc::new(MemorySchemaProvider::new());
        for (name, table) in tables {
            if place == 0 {
                self.context.register_table(name.as_str(), Arc::clone(&table))?;
            }
            own.register_table(name, table)?;
        }
        let Some(catalog) = self.context.catalog(CATALOG) else { return internal_err!("{CATALOG} is gone") };
        let name = schema_name(path, &catalog.schema_names());
        catalog.register_schema(&name, own)?;
        Ok(name)
    }
}

fn engine(directory: &Path, memory: usize) -> Result<SessionContext, DataFusionError> {
    let mut options = ConfigOptions::new();
    // Errors point at the place.
    options.sql_parser.collect_spans = true;
    options.execution.parquet.pushdown_filters = true;
    // What each sort sets aside to merge what it has spilled: of little memory, a little part.
    let set_aside = options.execution.sort_spill_reservation_bytes;
    options.execution.sort_spill_reservation_bytes = set_aside.min(memory / SET_ASIDE);
    options.catalog.information_schema = true;
    let config = SessionConfig::from(options).with_default_catalog_and_schema(CATALOG, "main");
    let pool = FairSpillPool::new(memory - memory / UNCOUNTED);
    let spilled = DiskManagerMode::Directories(vec![directory.into()]);
    let runtime = RuntimeEnvBuilder::new()
        .with_memory_pool(Arc::new(TrackConsumersPool::new(pool, NAMED_HOLDERS)))
        .with_disk_manager_builder(DiskManagerBuilder::default().with_mode(spilled))
        .build_arc()?;
    let state = SessionStateBuilder::new_with_default_features()
        .with_config(config)
        .with_runtime_env(runtime)
        .with_physical_optimizer_rule(Arc::new(PausingSteps))
        .build();
    Ok(SessionContext::new_with_state(state))
}

/// What the tables of a file are called: its name without the suffix, as far as that needs no quotes.
fn schema_name(path: &Path, taken: &[String]) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
    let mut name: String = stem.chars().map(plain).collect();
    if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        name.insert_str(0, "t_");
    }
    let is_taken = |name: &str| taken.iter().any(|other| other == name);
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    std::iter::once(name.clone()).chain(numbered).find(|name| !is_taken(name)).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_are_named_by_files() {
        let taken = ["main".to_owned(), "good".to_owned()];
        let name = |path: &str| schema_name(Path::new(path), &taken);
        assert_eq!(["a/Bad.dat", "good.dat", "7-'x.dat"].map(name), ["bad", "good_2", "t_7__x"]);
    }
}
