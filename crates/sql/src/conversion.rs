//! Traces as files of Parquet.

use crate::database::Database;
use crate::failure::SqlFailure;
use crate::parquet::{BatchWriter, file_name, properties};
use crate::say::note;
use crate::small;
use datafusion::error::DataFusionError;
use futures::StreamExt;
use std::fs::File;
use std::path::Path;
use tempfile::NamedTempFile;

/// The table of calls, for a file by itself: those of one name compress well together.
const CALLS: (&str, &[&str]) = ("slices", &["name", "ts"]);

/// The tables, and by which columns each is sorted.
const TABLES: [(&str, &[&str]); 7] = [
    ("events", &["ts"]),
    CALLS,
    ("states", &["ts"]),
    ("stacks", &["id"]),
    ("threads", &["tid"]),
    ("losses", &["ts"]),
    ("meta", &["key"]),
];

/// Writes the calls of a trace to `out`, if that ends in `.parquet`; else all tables into a directory of that
/// name.
pub async fn convert(database: &Database, out: &Path) -> Result<(), SqlFailure> {
    if out.extension().is_some_and(|suffix| suffix == "parquet") && !out.is_dir() {
        return write(database, CALLS, out).await;
    }
    std::fs::create_dir_all(out).map_err(|error| wrong(out, &error))?;
    for table in TABLES {
        write(database, table, &out.join(file_name(table.0))).await?;
    }
    Ok(())
}

fn wrong(path: &Path, error: &dyn std::fmt::Display) -> SqlFailure {
    SqlFailure::failed(format_args!("{}: {error}", path.display()))
}

fn size(path: &Path) -> u64 {
    path.metadata().map_or(0, |data| data.len())
}

/// Writes a table, and says so. The file gets its name when it is complete.
async fn write(database: &Database, (table, sorted): (&str, &[&str]), path: &Path) -> Result<(), SqlFailure> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = NamedTempFile::new_in(directory).map_err(|error| wrong(path, &error))?;
    let out = file.reopen().map_err(|error| wrong(path, &error))?;
    let rows = rows(database, table, sorted, out)
        .await
        .map_err(|error| wrong(path, &crate::complaint::message(&error)))?;
    make_readable(file.as_file()).map_err(|error| wrong(path, &error))?;
    file.persist(path).map_err(|error| wrong(path, &error.error))?;
    note!("lookback: {rows} {table}, {} bytes in {}", size(path), path.display());
    Ok(())
}

/// As any new file would be, for those whom the umask lets read.
fn make_readable(file: &File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mask = rustix::process::umask(rustix::fs::Mode::empty());
    rustix::process::umask(mask);
    file.set_permissions(std::fs::Permissions::from_mode(0o666 & !mask.bits()))
}

async fn rows(database: &Database, table: &str, sorted: &[&str], out: File) -> Result<u64, DataFusionError> {
    let query = format!("SELECT * FROM {table} ORDER BY {}", sorted.join(", "));
    let mut batches = database.context().sql(&query).await?.execute_stream().await?;
    let schema = batches.schema();
    let notes = database.trace().map(small::notes).unwrap_or_default();
    let mut writer = BatchWriter::new(out, schema.clone(), properties(&schema, sorted, notes))?;
    while let Some(batch) = batches.next().await {
        writer.push(&batch?)?;
    }
    Ok(writer.finish()?)
}
