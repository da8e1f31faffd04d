//! SQL over a recording, next to DuckDB, and its tables as Parquet.

use crate::report::Report;
use crate::samples::Samples;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Instant;

/// How often each is measured.
const ROUNDS: usize = 5;

/// What is measured.
const NAMES: [&str; 7] = [
    "sql_real_s",
    "intersect_1M_x_1M_s",
    "p99_32M_slices_vs_duckdb",
    "parquet_bytes_per_event",
    "parquet_bytes_per_call",
    "parquet_Mevents_per_s",
    "parquet_tables_Mevents_per_s",
];

/// Has the tables be made, which the first query waits for.
const LOAD: &str = "SELECT count(*) FROM slices";

/// What people ask: top calls, errors, a window of 10 ms, pairs of events, and percentiles.
const REAL: [&str; 5] = [
    "SELECT name, count(*), sum(dur) FROM slices GROUP BY name ORDER BY 3 DESC LIMIT 20",
    "SELECT name, error, path, count(*) FROM slices WHERE error IS NOT NULL GROUP BY 1, 2, 3 ORDER BY 4 DESC LIMIT 20",
    "SELECT name, count(*) FROM slices \
     WHERE ts - (SELECT (min(ts) + max(ts)) / 2 FROM slices) BETWEEN 0 AND 10000000 GROUP BY name",
    "SELECT name, count(*), sum(next - ts) FROM \
     (SELECT name, ts, lead(ts) OVER (PARTITION BY tid ORDER BY ts) AS next FROM events) GROUP BY name",
    "SELECT name, pct(dur, 0.99) FROM slices GROUP BY name",
];

/// A million intervals of four threads with as many others: each overlaps with one or two.
const INTERSECT: &str = "SELECT count(*), sum(dur) FROM intersect(\
     'SELECT value * 10 AS ts, 8 AS dur, value % 4 AS tid FROM generate_series(1, 1000000)', \
     'SELECT value * 10 + 3 AS ts, 30 AS dur, value % 4 AS tid FROM generate_series(1, 1000000)')";

/// Slices as a fleet has them: 200 calls, with lengths of all sizes.
const MANY: &str = "import sys, duckdb; duckdb.connect().execute(\"COPY \
     (SELECT 'call_' || (i % 200) AS name, (hash(i) % 10000000)::BIGINT AS dur FROM range(32000000) AS t(i)) \
     TO '\" + sys.argv[1] + \"' (COMPRESSION zstd, ROW_GROUP_SIZE 131072)\")";

const PERCENTILE: &str = "SELECT name, pct(dur, 0.99) FROM slices GROUP BY name ORDER BY name";

/// How long DuckDB takes for that, in a process of its own.
const DUCKDB: &str = "import sys, time, duckdb
database = duckdb.connect()
database.execute('SET enable_progress_bar = false')
start = time.perf_counter()
database.execute(f\"SELECT name, quantile_cont(dur, 0.99) FROM '{sys.argv[1]}' GROUP BY name ORDER BY name\").fetchall()
print(time.perf_counter() - start)";

/// Megabytes, as DuckDB has by itself: of percentiles all values are kept.
const MEMORY: &str = "4096";

/// Adds what is measured of a recording with so many events.
pub fn measure(report: &mut Report, lookback: &Path, trace: &Path, events: f64) {
    let measured = Asked::find(lookback, trace).and_then(|asked| {
        let parquet = asked.parquet(events)?;
        let many = asked.percentiles();
        let [real, overlaps] = [asked.real()?, asked.overlaps()?];
        let [per_event, per_call, calls, tables] = parquet.map(Ok);
        Ok([Ok(real), Ok(overlaps), many, per_event, per_call, calls, tables])
    });
    match measured {
        Ok(values) => NAMES.into_iter().zip(values).for_each(|(name, value)| report.add(name, value)),
        Err(reason) => NAMES.into_iter().for_each(|name| report.add(name, Err(reason.clone()))),
    }
}

/// What asks a recording.
struct Asked<'a> {
    lookback: &'a Path,
    sql: PathBuf,
    python: PathBuf,
    trace: &'a Path,
    directory: tempfile::TempDir,
}

impl<'a> Asked<'a> {
    fn find(lookback: &'a Path, trace: &'a Path) -> Result<Asked<'a>, String> {
        let target = lookback.ancestors().nth(2).ok_or("no target directory")?;
        let sql = target.join("sql/release/lookback-sql");
        if !sql.exists() {
            return Err("lookback-sql is not built: cargo xtask bench views builds it".to_owned());
        }
        let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
        Ok(Asked { lookback, sql, python: target.join("python/bin/python"), trace, directory })
    }

    fn real(&self) -> Result<f64, String> {
        let queries: Vec<&str> = std::iter::once(LOAD).chain(REAL).collect();
        self.median(|| Ok(self.seconds(self.trace, &queries)?.iter().skip(1).sum()))
    }

    fn overlaps(&self) -> Result<f64, String> {
        self.median(|| Ok(self.seconds(self.trace, &[INTERSECT])?.iter().sum()))
    }

    /// How many times as long as DuckDB it takes, in turns.
    fn percentiles(&self) -> Result<f64, String> {
        let tables = self.directory.path().join("many");
        std::fs::create_dir(&tables).map_err(|error| error.to_string())?;
        let slices = tables.join("slices.parquet");
        let duckdb = |script: &str| text(Command::new(&self.python).args(["-c", script]).arg(&slices), None);
        duckdb(MANY).map_err(|error| format!("DuckDB is missing, which ./setup installs: {error}"))?;
        let (mut ours, mut theirs) = (Samples::new(), Samples::new());
        for _ in 0..ROUNDS {
            ours.push(self.seconds(&tables, &[PERCENTILE])?.iter().sum());
            theirs.push(duckdb(DUCKDB)?.trim().parse().map_err(|error| format!("DuckDB: {error}"))?);
        }
        std::fs::remove_file(&slices).map_err(|error| error.to_string())?;
        Ok(ours.ratio_to(&theirs))
    }

    /// Bytes per event and per call, and events in a microsecond: as a file of calls, and as all tables.
    fn parquet(&self, events: f64) -> Result<[f64; 4], String> {
        let [tables, file] = ["tables", "calls.parquet"].map(|name| self.directory.path().join(name));
        let size =
            |path: PathBuf| path.metadata().map(|data| data.len() as f64).map_err(|error| error.to_string());
        let of_calls = self.median(|| self.convert(&[], &file))?;
        let of_tables = self.median(|| self.convert(&["--format", "parquet"], &tables))?;
        let calls = text(Command::new(&self.sql).args(["-q", "--csv"]).arg(self.trace).arg(LOAD), None)?;
        let calls: f64 =
            calls.lines().nth(1).and_then(|count| count.parse().ok()).ok_or("no count of calls")?;
        let [per_event, per_call] = [size(tables.join("events.parquet"))? / events, size(file)? / calls];
        Ok([per_event, per_call, events / of_calls / 1e6, events / of_tables / 1e6])
    }

    /// How long it takes to write a recording as Parquet.
    fn convert(&self, words: &[&str], out: &Path) -> Result<f64, String> {
        let mut command = Command::new(self.lookback);
        command.args(["convert", "-q"]).args(words).arg(self.trace).arg("-o").arg(out);
        let start = Instant::now();
        text(command.env("PATH", self.path()), None)?;
        Ok(start.elapsed().as_secs_f64())
    }

    /// Where `lookback` looks for the program.
    fn path(&self) -> OsString {
        let own = self.sql.parent().unwrap_or(Path::new("")).as_os_str().to_owned();
        let others = std::env::var_os("PATH").unwrap_or_default();
        [own, others].join(std::ffi::OsStr::new(":"))
    }

    fn median(&self, measure: impl Fn() -> Result<f64, String>) -> Result<f64, String> {
        let mut samples = Samples::new();
        for _ in 0..ROUNDS {
            samples.push(measure()?);
        }
        Ok(samples.median())
    }

    /// How long each query takes, in one process.
    fn seconds(&self, trace: &Path, queries: &[&str]) -> Result<Vec<f64>, String> {
        let mut command = Command::new(&self.sql);
        command.args(["-q", "--csv", "--timing", "--memory", MEMORY]).arg(trace);
        let said =
            String::from_utf8_lossy(&run(&mut command, Some(&queries.join(";\n")))?.stderr).into_owned();
        let seconds = |line: &str| line.strip_prefix("lookback: ")?.strip_suffix(" s")?.parse().ok();
        let found: Vec<f64> = said.lines().filter_map(seconds).collect();
        match found.len() == queries.len() {
            true => Ok(found),
            false => Err(format!("{command:?}: {said}")),
        }
    }
}

fn text(command: &mut Command, input: Option<&str>) -> Result<String, String> {
    Ok(String::from_utf8_lossy(&run(command, input)?.stdout).into_owned())
}

/// Runs a command that has to succeed, with this on its standard input.
fn run(command: &mut Command, input: Option<&str>) -> Result<Output, String> {
    let wrong = |error: std::io::Error| error.to_string();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(wrong)?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(input.unwrap_or_default().as_bytes()).map_err(wrong)?;
    }
    let output = child.wait_with_output().map_err(wrong)?;
    match output.status.success() {
        true => Ok(output),
        false => Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr))),
    }
}
