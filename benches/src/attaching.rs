//! How long `lookback attach` takes, and how long it stops a thread of a program for that.

use crate::attach::Live;
use crate::clock::wall_ns;
use crate::program::{EndedChild, ProgramDirectory};
use crate::report::Report;
use crate::samples::Samples;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

/// How many processes are attached, one after the other.
const PROCESSES: usize = 15;

/// Adds the rows: by the command next to this one.
pub fn measure(report: &mut Report, programs: &ProgramDirectory) {
    match attached(programs) {
        Ok([whole, stopped]) => {
            report.add("attach_ms", Ok(whole.median() / 1e6));
            report.add("stopped_us", Ok(stopped.median() / 1e3));
        }
        Err(why) => report.add("attach_ms", Err(why)),
    }
}

/// What the whole command took, and how long a thread was stopped, in ns.
fn attached(programs: &ProgramDirectory) -> Result<[Samples; 2], String> {
    let lookback = std::env::current_exe().map_err(|error| error.to_string())?.with_file_name("lookback");
    let program = programs.compile("running", &["-pthread"])?;
    let session = Live::new(&["@file"])?;
    let mut samples = [const { Samples::new() }; 2];
    for _ in 0..PROCESSES {
        let running = start(&program)?;
        let mut attach = Command::new(&lookback);
        attach.arg("attach").arg("--session").arg(session.path()).arg(running.0.id().to_string());
        let start = wall_ns();
        let output = attach.output().map_err(|error| format!("{}: {error}", lookback.display()))?;
        let whole = wall_ns() - start;
        let said = String::from_utf8_lossy(&output.stderr);
        let stopped = output.status.success().then(|| stood_still(&said)).flatten();
        let stopped = stopped.ok_or_else(|| said.trim().to_string())?;
        samples.iter_mut().zip([whole, stopped]).for_each(|(samples, sample)| samples.push(sample));
    }
    Ok(samples)
}

/// What the command says how long a thread stood still, in ns.
fn stood_still(said: &str) -> Option<f64> {
    let (_, duration) = said.trim().rsplit_once(" stood still for ")?;
    let (number, unit) = duration.split_once(' ')?;
    let factor = match unit {
        "ns" => 1.0,
        "us" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        _ => return None,
    };
    Some(number.parse::<f64>().ok()? * factor)
}

/// Starts the program, and waits until it runs.
fn start(program: &Path) -> Result<EndedChild, String> {
    let child = Command::new(program).stdout(Stdio::piped()).spawn();
    let mut running = EndedChild(child.map_err(|error| format!("{}: {error}", program.display()))?);
    let output = running.0.stdout.take().ok_or("no pipe")?;
    BufReader::new(output).read_line(&mut String::new()).map_err(|error| error.to_string())?;
    Ok(running)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_words_are_read() {
        let said = |duration| {
            stood_still(&format!(
                "lookback: running (77) is attached; its thread 77 stood still for {duration}\n"
            ))
        };
        assert_eq!((said("1.5 ms"), said("812 us"), said("long")), (Some(1.5e6), Some(812e3), None));
    }
}
