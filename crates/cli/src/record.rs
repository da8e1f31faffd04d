//! `lookback record`.

mod attached;
pub(crate) mod child;
mod job;
mod missing_functions;
pub(crate) mod output;
mod own_session;
pub(crate) mod program;
pub(crate) mod progress;
mod summary;

use crate::arguments::RecordArguments;
use crate::attach::NamedProcess;
use crate::failure::{Done, Failure, code};
use crate::functions_off::FunctionsOffLine;
use crate::interrupt::stop_flag;
use crate::object;
use crate::passed;
use crate::probes::UnrecordedProbe;
use crate::say::say;
use crate::unseen::{self, Watch};
use attached::AttachedProcesses;
use child::Child;
use output::Output;
use own_session::OwnSession;
pub(crate) use own_session::is_abandoned;
use program::Program;
use progress::ProgressLines;
use recording::{Recorder, Version, record_ends};
use std::path::PathBuf;
use std::process::ExitCode;
use summary::Summary;

/// Runs a program and records it, or records processes that run already.
///
/// Whatever can be wrong is found before the program starts; from then on it comes first.
pub(crate) fn run(arguments: &RecordArguments) -> Done {
    arguments.recording.functions.check()?;
    match arguments.pids.as_slice() {
        [] => run_program(arguments),
        _ => run_attached(arguments),
    }
}

fn run_program(arguments: &RecordArguments) -> Done {
    let program = Program::find(&arguments.command)?;
    passed::note_options("record", &arguments.command);
    let mut recording = OwnRecording::begin(arguments)?;
    let child =
        Child::start(&program, recording.session.path(), &recording.object, recording.recorder.entrances())?;
    let recorder = &recording.recorder;
    let (progress, watch) = (&mut recording.progress, &mut recording.watch);
    let tick = |elapsed| {
        progress.tell(elapsed, &recorder.progress());
        watch.tick(recorder.session(), elapsed);
    };
    // Before it is waited for: what has killed it can be known until then.
    let status = child.wait(tick, || drop(record_ends(recorder.session())))?;
    recording.end(&program.name.to_string_lossy())?;
    pass_on(status)
}

/// Records processes that run already, until they end or somebody has that end.
fn run_attached(arguments: &RecordArguments) -> Done {
    let processes = NamedProcess::all(&arguments.pids, false)?;
    let stop = stop_flag()?;
    let mut recording = OwnRecording::begin(arguments)?;
    let recorder = &recording.recorder;
    let attached = AttachedProcesses::attach(recorder.session(), &processes, (recorder.entrances(), &stop))?;
    let (progress, watch) = (&mut recording.progress, &mut recording.watch);
    attached.wait(&stop, arguments.duration, |elapsed| {
        progress.tell(elapsed, &recorder.progress());
        watch.tick(recorder.session(), elapsed);
        // Their ends are recorded as they are found.
        drop(record_ends(recorder.session()));
    })?;
    let is_complete = attached.is_complete();
    attached.detach();
    recording.end(if processes.len() == 1 { "the process" } else { "the processes" })?;
    Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::from(code::FAILED) })
}

/// A recording under way: everything that it needs was there before anybody is recorded.
struct OwnRecording<'a> {
    arguments: &'a RecordArguments,
    version: Version,
    output: Output,
    session: OwnSession,
    object: PathBuf,
    recorder: Recorder,
    progress: ProgressLines,
    watch: Watch,
}

impl<'a> OwnRecording<'a> {
    fn begin(arguments: &'a RecordArguments) -> Done<OwnRecording<'a>> {
        let version = arguments.output.version()?;
        let output = Output::prepare(&arguments.output.file)?;
        let session = OwnSession::prepare(arguments)?;
        let object = object::install()?;
        let recorder = Recorder::start(session.path(), output.directory(), &arguments.kernel.selection())?;
        let (progress, watch) = (ProgressLines::new(), Watch::default());
        Ok(OwnRecording { arguments, version, output, session, object, recorder, progress, watch })
    }

    /// Ends it, writes the file, and says what was recorded of `subject`.
    fn end(self, subject: &str) -> Done<()> {
        let OwnRecording { arguments, version, output, mut session, recorder, progress, watch, .. } = self;
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
        let unrecorded_probes = &UnrecordedProbe::all(recorded.records().session());
        session.end();
        let unmatched = session.unmatched();
        let bar = progress.bar(recorded.events());
        let written =
            output.write(|file| recorded.write_dat(file, version, |events| bar.set_position(events)));
        bar.finish_and_clear();
        let written = written?;
        let (processes, running) = (recorded.processes(), recorded.running());
        Summary {
            file: arguments.output.file.as_path(),
            subject,
            processes,
            running,
            written: &written,
            unseen: &unseen,
            unmatched: &unmatched,
            missing_functions: missing_functions.as_deref(),
            functions_off,
            unrecorded_probes,
            longest,
            without_switches: without_switches.as_deref(),
        }
        .print();
        Ok(())
    }
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
