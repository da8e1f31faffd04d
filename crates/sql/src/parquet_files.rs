//! Tables that are files of Parquet: one, or all of a directory.

use crate::derived::listed;
use crate::failure::SqlFailure;
use crate::loss::{KnownLosses, Loss};
use crate::parquet::file_name;
use crate::say::printable_path;
use crate::small::{self, NOTE};
use crate::table::{NamedTables, TableRow};
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

const SUFFIX: &str = "parquet";

/// Whether a path leads to tables in Parquet.
pub fn are_at(path: &Path) -> bool {
    path.is_dir() || path.extension().is_some_and(|suffix| suffix == SUFFIX)
}

/// Tables, and what their files say about the trace that they were made of.
pub struct ParquetTables {
    /// Each is called as its file says, and the one of a single file `slices`.
    pub tables: NamedTables,
    /// Facts about the trace.
    pub notes: BTreeMap<String, String>,
    /// What the trace has lost, if there is a table of that.
    pub losses: KnownLosses,
}

/// The tables of a file or of a directory, which the engine finds through links in `links`.
pub fn tables(path: &Path, links: &Path) -> Result<ParquetTables, SqlFailure> {
    let mut found = ParquetTables { tables: NamedTables::new(), notes: BTreeMap::new(), losses: None };
    if !path.is_dir() {
        found.add("slices", path, links)?;
        return Ok(found);
    }
    for entry in std::fs::read_dir(path).map_err(|error| wrong(path, &error))? {
        let file = entry.map_err(|error| wrong(path, &error))?.path();
        if file.extension().is_some_and(|suffix| suffix == SUFFIX)
            && let Some(name) = file.file_stem()
        {
            found.add(&name.to_string_lossy(), &file, links)?;
        }
    }
    match found.tables.is_empty() {
        true => {
            Err(SqlFailure::failed(format_args!("{}: no tables in Parquet are there", printable_path(path))))
        }
        false => Ok(found),
    }
}

impl ParquetTables {
    fn add(&mut self, name: &str, path: &Path, links: &Path) -> Result<(), SqlFailure> {
        let file = File::open(path).map_err(|error| wrong(path, &error))?;
        let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| wrong(path, &error))?;
        let schema = Arc::clone(builder.schema());
        let notes = builder.metadata().file_metadata().key_value_metadata().into_iter().flatten();
        self.notes.extend(
            notes.filter_map(|note| Some((note.key.strip_prefix(NOTE)?.to_owned(), note.value.clone()?))),
        );
        if name == Loss::TABLE {
            let mut losses = Vec::new();
            for batch in builder.build().map_err(|error| wrong(path, &error))? {
                let batch = batch.map_err(|error| wrong(path, &error))?;
                losses.extend(small::losses_of(&batch).map_err(|error| wrong(path, &error))?);
            }
            self.losses = Some(losses.into());
        }
        let absolute = std::path::absolute(path).map_err(|error| wrong(path, &error))?;
        // The engine's paths have no control characters.
        let link = links.join(file_name(&self.tables.len().to_string()));
        std::os::unix::fs::symlink(absolute, &link).map_err(|error| wrong(path, &error))?;
        let table = listed(&link, plain(&schema)).map_err(|error| wrong(path, &error))?;
        self.tables.push((name.to_owned(), Arc::new(table)));
        Ok(())
    }
}

/// Columns alone: notes are no part of a table's type.
fn plain(schema: &Schema) -> SchemaRef {
    Arc::new(Schema::new(schema.fields().clone()))
}

fn wrong(path: &Path, error: &dyn std::error::Error) -> SqlFailure {
    SqlFailure::failed(format_args!("{}: {}", printable_path(path), SqlFailure::with_causes(error)))
}
