//! Tables that are files of Parquet: one, or all of a directory.

use crate::derived::listed;
use crate::failure::SqlFailure;
use crate::table::NamedTables;
use datafusion::catalog::TableProvider;
use datafusion::parquet::arrow::parquet_to_arrow_schema;
use datafusion::parquet::file::reader::{FileReader, SerializedFileReader};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

const SUFFIX: &str = "parquet";

/// Whether a path leads to tables in Parquet.
pub fn are_at(path: &Path) -> bool {
    path.is_dir() || path.extension().is_some_and(|suffix| suffix == SUFFIX)
}

/// The tables: each is called as its file says, and the one of a single file `slices`.
pub fn tables(path: &Path) -> Result<NamedTables, SqlFailure> {
    if !path.is_dir() {
        return Ok(vec![("slices".into(), table(path)?)]);
    }
    let wrong =
        |error: &dyn std::fmt::Display| SqlFailure::failed(format_args!("{}: {error}", path.display()));
    let mut found = NamedTables::new();
    for entry in std::fs::read_dir(path).map_err(|error| wrong(&error))? {
        let file = entry.map_err(|error| wrong(&error))?.path();
        if file.extension().is_some_and(|suffix| suffix == SUFFIX)
            && let Some(name) = file.file_stem()
        {
            found.push((name.to_string_lossy().into_owned(), table(&file)?));
        }
    }
    if found.is_empty() {
        return Err(wrong(&"no tables in Parquet are there"));
    }
    Ok(found)
}

fn table(path: &Path) -> Result<Arc<dyn TableProvider>, SqlFailure> {
    let wrong = |error: &dyn std::error::Error| {
        SqlFailure::failed(format_args!("{}: {}", path.display(), SqlFailure::with_causes(error)))
    };
    let file = File::open(path).map_err(|error| wrong(&error))?;
    let reader = SerializedFileReader::new(file).map_err(|error| wrong(&error))?;
    let metadata = reader.metadata().file_metadata();
    let schema = parquet_to_arrow_schema(metadata.schema_descr(), metadata.key_value_metadata())
        .map_err(|error| wrong(&error))?;
    let path = std::path::absolute(path).map_err(|error| wrong(&error))?;
    Ok(Arc::new(listed(&path, Arc::new(schema)).map_err(|error| wrong(&error))?))
}
