//! `lookback latency`.

use crate::arguments::LatencyArguments;
use crate::failure::{Done, Failure};
use crate::interrupt::InterruptSignal;
use crate::persistent::longest::LongestLatency;
use crate::stdout::{print, written};
use session::{Instance, Pace};
use std::io::{ErrorKind, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// How often it looks for a new maximum.
const LOOKS: Pace = Pace::between(Duration::from_millis(10), Duration::from_millis(100));

/// Shows the longest section that a latency tracer has measured, or each that becomes the longest.
pub(crate) fn latency(arguments: &LatencyArguments) -> Done {
    let session = Arc::new(arguments.instance.open()?);
    if !session.tracer().measures_latency() {
        return Err(no_tracer(&session));
    }
    if arguments.pipe {
        return follow(&session, arguments.json);
    }
    match LongestLatency::of(&session)? {
        Some(longest) => show(&longest, arguments.json),
        None if arguments.json => print("null"),
        None => print(format!("{}: no section has ended yet", session.tracer().name)),
    }
}

/// Says which tracer is current, and what to do.
fn no_tracer(session: &Instance) -> Failure {
    let (option, tracer) = (super::option(session.path()), session.tracer().name);
    let instance = session.name().unwrap_or_else(|| "flight".to_string());
    Failure::failed(format_args!(
        "no latency tracer is current, but {tracer}: `lookback set{option} -B {instance} current_tracer \
         preemptoff` chooses one"
    ))
}

fn show(longest: &LongestLatency, is_json: bool) -> Done {
    print(shown(longest, is_json))
}

fn shown(longest: &LongestLatency, is_json: bool) -> String {
    if is_json { longest.json().to_string() } else { longest.text() }
}

/// Shows each new one until a signal comes, nobody reads any more, or another tracer is chosen.
fn follow(session: &Arc<Instance>, is_json: bool) -> Done {
    let interruption = InterruptSignal::new()?;
    let (mut pace, mut last) = (LOOKS, None);
    while !interruption.has_come() && session.file().exists() && session.tracer().measures_latency() {
        let newest = session.longest_section().map(|found| found.snapshot);
        let is_new = newest.is_some() && newest != last;
        if is_new && let Some(longest) = LongestLatency::of(session)? {
            last = Some(longest.snapshot());
            let result = writeln!(anstream::stdout().lock(), "{}", shown(&longest, is_json));
            if result.as_ref().is_err_and(|error| error.kind() == ErrorKind::BrokenPipe) {
                return Ok(ExitCode::SUCCESS);
            }
            written(result)?;
        }
        std::thread::sleep(pace.after(is_new));
    }
    interruption.end_by_it();
    Ok(ExitCode::SUCCESS)
}
