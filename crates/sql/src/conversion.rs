//! Traces as files of Parquet.

use crate::database::Database;
use crate::derived::{SliceRow, StackRow, StateRow, TableSenders, derive};
use crate::failure::SqlFailure;
use crate::parquet::{self, GroupOrder, file_name, properties};
use crate::say::{note, printable_path};
use crate::small;
use crate::table::{RowReceiver, RowSender, TableRow, row_channel};
use datafusion::error::DataFusionError;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::prelude::col;
use futures::future::join_all;
use std::fs::File;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A table, and by which columns its file is sorted: that of a table which is made, each group of rows.
type SortedTable = (&'static str, GroupOrder);

/// The table of calls, for a file by itself: those of one name compress well together.
const CALLS: SortedTable = ("slices", &["name", "ts"]);

/// What one pass over all records makes.
const DERIVED: [SortedTable; 3] = [CALLS, ("states", &["ts"]), ("stacks", &["id"])];

/// What is there as it is.
const OTHERS: [SortedTable; 4] =
    [("events", &["ts"]), ("threads", &["tid"]), ("losses", &["ts"]), ("meta", &["key"])];

/// Writes the calls of a trace to `out`, if that ends in `.parquet`; else all tables into a directory of that
/// name.
pub async fn convert(database: &Database, out: &Path) -> Result<(), SqlFailure> {
    let is_file = out.extension().is_some_and(|suffix| suffix == "parquet") && !out.is_dir();
    if is_file {
        return write_derived(database, &[TableFile { database, table: CALLS, path: out.into() }]).await;
    }
    std::fs::create_dir_all(out).map_err(|error| wrong(out, &error))?;
    let file = |table: SortedTable| TableFile { database, table, path: out.join(file_name(table.0)) };
    let (others, derived) = (OTHERS.map(file), DERIVED.map(file));
    // Each takes a processor of its own for the most part.
    tokio::try_join!(write_as_they_are(&others), write_derived(database, &derived))?;
    Ok(())
}

async fn write_as_they_are(files: &[TableFile<'_>]) -> Result<(), SqlFailure> {
    for file in files {
        file.write_as_is().await?;
    }
    Ok(())
}

/// Writes tables that are made of all records, as these are read.
async fn write_derived(database: &Database, files: &[TableFile<'_>]) -> Result<(), SqlFailure> {
    let Some(trace) = database.trace() else {
        return write_as_they_are(files).await;
    };
    let (slices, slice_file) = wanted::<SliceRow<'_>>(files);
    let (states, state_file) = wanted::<StateRow>(files);
    let (stacks, stack_file) = wanted::<StackRow>(files);
    let written = [slice_file, state_file, stack_file].into_iter().flatten();
    let written = written.map(|(file, rows)| file.write(rows.into_stream(), file.table.1, &[]));
    let made = derive(trace, TableSenders { slices, states, stacks });
    let (made, written) = tokio::join!(made, join_all(written));
    // A file that can't be written ends the pass, too.
    let written: Vec<WrittenTable> = files
        .iter()
        .zip(written)
        .map(|(file, written)| written.map_err(|error| file.wrong(error)))
        .collect::<Result<_, _>>()?;
    made?;
    files.iter().zip(written).try_for_each(|(file, written)| file.keep(written))
}

type DerivedFile<'a> = (&'a TableFile<'a>, RowReceiver);

/// Where the rows of a table go, and the file that is made of them if it is among those.
fn wanted<'a, R: TableRow>(files: &'a [TableFile<'a>]) -> (RowSender<R::Column>, Option<DerivedFile<'a>>) {
    match files.iter().find(|file| file.table.0 == R::TABLE) {
        Some(file) => {
            let (sender, rows) = row_channel::<R>();
            (sender, Some((file, rows)))
        }
        None => (RowSender::to_nobody::<R>(), None),
    }
}

/// A table that is written, before it has its name.
struct WrittenTable {
    file: NamedTempFile,
    rows: u64,
}

/// The file of a table.
struct TableFile<'a> {
    database: &'a Database,
    table: SortedTable,
    path: PathBuf,
}

impl TableFile<'_> {
    /// Writes the database's own table.
    async fn write_as_is(&self) -> Result<(), SqlFailure> {
        let written = async { self.write(self.sorted().await?, &[], self.table.1).await };
        self.keep(written.await.map_err(|error| self.wrong(error))?)
    }

    /// All rows of the database's own table, in order.
    async fn sorted(&self) -> Result<SendableRecordBatchStream, DataFusionError> {
        let (table, sorted) = self.table;
        let order = sorted.iter().map(|column| col(*column).sort(true, false)).collect();
        self.database.context().table(table).await?.sort(order)?.execute_stream().await
    }

    /// Writes rows, which are sorted by some columns as a whole, or each group of them in an order.
    async fn write(
        &self,
        rows: SendableRecordBatchStream,
        order: GroupOrder,
        sorted: &[&str],
    ) -> Result<WrittenTable, DataFusionError> {
        let directory = self.path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let file = NamedTempFile::new_in(directory.unwrap_or(Path::new(".")))?;
        let (out, properties) = (file.reopen()?, properties(&rows.schema(), sorted));
        // What is damaged is known when all has been read.
        let notes = || self.database.trace().map(|trace| small::notes(trace)).unwrap_or_default();
        let rows = parquet::write(rows, order, properties, notes, out).await?;
        Ok(WrittenTable { file, rows })
    }

    /// Gives the file its name, as it is complete, and says so.
    fn keep(&self, written: WrittenTable) -> Result<(), SqlFailure> {
        let WrittenTable { file, rows } = written;
        let path = &self.path;
        make_readable(file.as_file()).map_err(|error| wrong(path, &error))?;
        file.persist(path).map_err(|error| wrong(path, &error.error))?;
        note!("lookback: {rows} {}, {} bytes in {}", self.table.0, size(path), printable_path(path));
        Ok(())
    }

    fn wrong(&self, error: DataFusionError) -> SqlFailure {
        wrong(&self.path, &crate::complaint::message(&error))
    }
}

fn wrong(path: &Path, error: &dyn std::fmt::Display) -> SqlFailure {
    SqlFailure::failed(format_args!("{}: {error}", printable_path(path)))
}

fn size(path: &Path) -> u64 {
    path.metadata().map_or(0, |data| data.len())
}

/// As any new file would be, for those whom the umask lets read.
fn make_readable(file: &File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mask = rustix::process::umask(rustix::fs::Mode::empty());
    rustix::process::umask(mask);
    file.set_permissions(std::fs::Permissions::from_mode(0o666 & !mask.bits()))
}
