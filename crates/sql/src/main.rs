//! lookback-sql: what a trace says, asked in SQL.
//!
//! A trace.dat file is a table of its events, which are read as a query wants them. What is made of them, as
//! calls are, is made once, when the first query asks for it, and lies in temporary files of Parquet from
//! then on. Queries read these tables and nothing else.
#![forbid(unsafe_code)]
// They panic where nothing can be written, and end the command with a status of their own: `say`.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod asking;
mod complaint;
mod conversion;
mod database;
mod derived;
mod events;
mod failure;
mod functions;
mod intersect;
mod lacking;
mod loss;
mod output;
mod parquet;
mod parquet_files;
mod pauses;
mod planned;
mod questions;
mod say;
mod shell;
mod small;
mod statements;
mod table;
mod told;
mod trace;

use asking::AnswerStyle;
use clap::Parser;
use database::Database;
use failure::SqlFailure;
use questions::Question;
use say::say;
use sql_arguments::SqlArguments;
use std::io::{IsTerminal, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
use tokio::signal::unix::{SignalKind, signal};

/// The command line.
#[derive(Debug, Parser)]
#[command(name = "lookback-sql", bin_name = "lookback sql", version)]
struct SqlCommandLine {
    #[command(flatten)]
    sql: SqlArguments,

    /// Print errors only
    #[arg(short, long)]
    quiet: bool,
}

/// What is to be done.
enum Task {
    /// Queries, one after the other.
    Answer(Vec<String>),
    /// Queries that are typed.
    Shell,
    /// The traces as files of Parquet.
    Convert(PathBuf),
}

/// The directory of what is spilled, for an end by a signal.
static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();

/// MB of rows that are sorted for a file before some are spilled. More makes it no faster.
const SORTED_IN_MEMORY: u32 = 256;

/// As a shell counts it, which the signal's number is added to.
const BY_SIGNAL: u8 = 128;

fn main() -> ExitCode {
    let SqlCommandLine { sql, quiet } = SqlCommandLine::parse();
    if quiet {
        say::be_quiet();
    }
    if sql.ask.as_deref() == Some("") {
        return printed(&questions::list());
    }
    let (files, task) = match task(&sql) {
        Ok(Some(found)) => found,
        Ok(None) => return ExitCode::SUCCESS,
        Err(failure) => return failure.report(),
    };
    // Workers besides those that compute hear of signals.
    let workers = std::thread::available_parallelism().map_or(1, usize::from) + 2;
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = match builder.worker_threads(workers).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return SqlFailure::failed(error).report(),
    };
    let code = runtime.block_on(async {
        let is_shell = matches!(task, Task::Shell);
        let run = async move {
            // A shell waits here for Control-C, while workers may all be busy; others are waited for.
            match is_shell {
                true => Ok(run(&sql, &files, task).await),
                false => tokio::spawn(async move { run(&sql, &files, task).await }).await,
            }
        };
        tokio::select! {
            done = run => match done {
                Ok(Ok(())) => ExitCode::SUCCESS,
                Ok(Err(failure)) => failure.report(),
                Err(error) => SqlFailure::failed(format_args!("the engine has failed: {error}")).report(),
            },
            number = ended(is_shell) => {
                // Nobody waits for those who work.
                let _ = DIRECTORY.get().map(std::fs::remove_dir_all);
                ExitCode::from(BY_SIGNAL + number)
            }
        }
    });
    runtime.shutdown_background();
    code
}

/// The files, and what is to be done with them. Nothing where all was said.
fn task(sql: &SqlArguments) -> Result<Option<(Vec<PathBuf>, Task)>, SqlFailure> {
    let (files, query) = sql.files_and_query();
    if let Some(out) = &sql.parquet {
        return Ok(Some((files, Task::Convert(out.clone()))));
    }
    if let Some(name) = &sql.ask {
        let question = Question::named(name)?;
        if sql.show_query {
            printed(question.query());
            return Ok(None);
        }
        return Ok(Some((files, Task::Answer(vec![question.query().to_owned()]))));
    }
    if let Some(query) = query {
        return Ok(Some((files, Task::Answer(statements::split(&query)))));
    }
    if std::io::stdin().is_terminal() {
        return Ok(Some((files, Task::Shell)));
    }
    let mut text = String::new();
    std::io::stdin()
        .read_to_string(&mut text)
        .map_err(|error| SqlFailure::failed(format_args!("standard input: {error}")))?;
    Ok(Some((files, Task::Answer(statements::split(&text)))))
}

async fn run(sql: &SqlArguments, files: &[PathBuf], task: Task) -> Result<(), SqlFailure> {
    let most = if sql.parquet.is_some() { SORTED_IN_MEMORY } else { u32::MAX };
    let memory = sql.memory.min(most) as usize * 1024 * 1024;
    let database = Database::open(files, sql.named.as_deref(), memory, |path| {
        let _ = DIRECTORY.set(path.to_owned());
    })
    .await?;
    if let (Some(trace), Some(damage)) = (database.trace(), &sql.damage) {
        trace.note_damage(damage.clone());
    }
    let database = Arc::new(database);
    let style = AnswerStyle { form: sql.form(), is_timed: sql.timing };
    let done = match task {
        Task::Answer(queries) => {
            let mut done = Ok(());
            for query in &queries {
                done = asking::ask(&database, query, style).await;
                if done.is_err() {
                    break;
                }
            }
            done
        }
        Task::Shell => shell::run(&database, style).await,
        Task::Convert(out) => conversion::convert(&database, &out).await,
    };
    let missing = asking::tell_missing(&database);
    done.and(missing)
}

/// The signal that ends the command. A shell's Control-C ends a query only.
async fn ended(is_shell: bool) -> u8 {
    let of = |kind| async move {
        match signal(kind) {
            Ok(mut signals) => signals.recv().await,
            Err(_) => std::future::pending().await,
        }
    };
    let interrupt = async {
        match is_shell {
            true => std::future::pending().await,
            false => of(SignalKind::interrupt()).await,
        }
    };
    tokio::select! {
        _ = interrupt => SignalKind::interrupt().as_raw_value() as u8,
        _ = of(SignalKind::terminate()) => SignalKind::terminate().as_raw_value() as u8,
        _ = of(SignalKind::hangup()) => SignalKind::hangup().as_raw_value() as u8,
    }
}

fn printed(text: &str) -> ExitCode {
    match std::io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            say!("lookback: standard output: {error}");
            ExitCode::from(failure::FAILED)
        }
    }
}
