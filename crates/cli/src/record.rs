//! `lookback record`.

pub(crate) mod child;
mod job;
mod missing_functions;
pub(crate) mod output;
mod own_session;
pub(crate) mod program;
pub(crate) mod progress;
mod summary;

use crate::arguments::RecordArguments;
use crate::failure::{Done, Failure};
use crate::functions_off::FunctionsOffLine;
use crate::object;
use crate::passed;
use crate::say::say;
use crate::unseen::{self, Watch};
use child::Child;
use output::Output;
use own_session::OwnSession;
pub(crate) use own_session::is_abandoned;
use program::Program;
use progress::ProgressLines;
use recording::{Recorder, record_ends};
use std::process::ExitCode;
use summary::Summary;

/// Runs a program and records it.
///
/// Whatever can be wrong is found before the program starts; from then on it comes first.
pub(crate) fn run(arguments: &RecordArguments) -> Done {
    arguments.recording.functions.check()?;
    let program = Program::find(&arguments.command)?;
    passed::note_options("record", &arguments.command);
    let version = arguments.output.version()?;
    let output = Output::prepare(&arguments.output.file)?;
    let mut session = OwnSession::prepare(arguments)?;
    let object = object::install()?;
    let recorder = Recorder::start(session.path(), output.directory())?;
    let mut progress = ProgressLines::new();
    let child = Child::start(&program, session.path(), &object, recorder.entrance())?;
    let mut watch = Watch::default();
    let tick = |elapsed| {
        progress.tell(elapsed, &recorder.progress());
        watch.tick(recorder.session(), elapsed);
    };
    // Before it is waited for: what has killed it can be known until then.
    let status = child.wait(tick, || drop(record_ends(recorder.session())))?;
    let looked = watch.end(recorder.session());
    let without_switches = recorder.without_switches().map(str::to_owned);
    // In this order: the end of what was killed is recorded last.
    let mut recorded = recorder.finish()?;
    let unseen = unseen::of_recording(recorded.records().session(), recorded.records().tables(), looked);
    recorded.set_unseen(unseen.clone());
    if let Some(why) = recorded.cut_short() {
        say!("lookback: {why}; later events were not recorded");
    }
    let missing_functions = session.missing_functions();
    let longest = session.longest();
    let functions_off = &FunctionsOffLine::all(recorded.records().session());
    session.end();
    let unmatched = session.unmatched();
    let bar = progress.bar(recorded.events());
    let written = output.write(|file| recorded.write_dat(file, version, |events| bar.set_position(events)));
    bar.finish_and_clear();
    let written = written?;
    let (processes, running) = (recorded.processes(), recorded.running());
    let file = arguments.output.file.as_path();
    let (program, written, unseen, unmatched) = (&program, &written, &unseen, &unmatched);
    Summary {
        file,
        program,
        processes,
        running,
        written,
        unseen,
        unmatched,
        missing_functions: missing_functions.as_deref(),
        functions_off,
        longest,
        without_switches: without_switches.as_deref(),
    }
    .print();
    drop((session, recorded));
    pass_on(status)
}

/// Ends as the program did: with its exit code, or by its signal.
pub(crate) fn pass_on(status: std::process::ExitStatus) -> Done {
    use rustix::process::{Resource, Rlimit, setrlimit};
    use signal_hook::low_level;
    use std::os::unix::process::ExitStatusExt;
    if let Some(signal) = status.signal() {
        // The core dump of interest is the program's.
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
        let _ = low_level::emulate_default_handler(signal);
        // That knows no signals for real-time programs; nobody here handles them.
        let _ = low_level::raise(signal);
        return Err(Failure::failed(format_args!("the program was ended by signal {signal}")));
    }
    Ok(ExitCode::from(status.code().unwrap_or(0) as u8))
}
