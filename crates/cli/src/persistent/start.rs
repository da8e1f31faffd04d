//! `lookback start`.

use crate::accounts;
use crate::arguments::{BudgetOption, RecordingArguments, StartArguments};
use crate::failure::{Done, Failure};
use crate::number::{bytes, count, grouped};
use crate::persistent::pending::follow;
use crate::persistent::saving::look_after;
use crate::persistent::{events_on, memory};
use crate::probes::define_enabled;
use crate::say::note;
use anstyle::Style;
use events::{EventType, switch};
use session::{
    DEFAULT_KB, EnabledEvents, Error, ErrorRule, ErrorSet, FilteredSelection, Instance, Lasting,
    MOST_INSTANCES, PidFilter, Saving, Selection, Session, SessionOptions, SessionsDirectory, TraceClock,
    TraceOption, fitting_kb, lasting,
};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use trace_data::text::printable;

/// Snapshots that can be kept when nothing else is said: as many as in the kernel.
const SNAPSHOTS: u32 = 1;

/// The errors that take snapshots when nothing else is said.
const DEFAULT_ERRORS: ErrorSet = ErrorSet::SIGNAL
    .with(ErrorSet::PANIC)
    .with(ErrorSet::ABORT)
    .with(ErrorSet::ASSERT)
    .with(ErrorSet::TERMINATE);

/// Makes a session, or switches one on.
pub(crate) fn start(arguments: &StartArguments) -> Done {
    arguments.recording.functions.check()?;
    let group = arguments.group.as_deref().map(group_id).transpose()?;
    let rules = error_rules(arguments)?;
    let path = path(arguments, group)?;
    let session = match Instance::open(&path) {
        Ok(session) => {
            let session = enable(instance(session, arguments)?, group, arguments)?;
            let errors = arguments.snapshot_on.map_or_else(|| session.errors(), |list| list.0);
            choose_snapshots(&session, arguments, errors, rules.as_deref())?;
            choose_budget(&session, arguments)?;
            session
        }
        Err(Error::NoSession { .. }) if arguments.instance.is_recording() => {
            make(&path, group, arguments, rules.as_deref())?
        }
        Err(error) => return Err(error.into()),
    };
    tell(&session);
    match arguments.recording.functions.tracer {
        Some(_) => Ok(follow(&session, 0, arguments.now)?),
        None => Ok(ExitCode::SUCCESS),
    }
}

/// Where the session is: by its name in the user's directory or the group's, or at a path.
fn path(arguments: &StartArguments, group: Option<u32>) -> Done<PathBuf> {
    let path = arguments.instance.which.path()?;
    let Some(group) = group else { return Ok(path) };
    let own = SessionsDirectory::of_user();
    match own.as_ref().map(|own| path.strip_prefix(own.path())) {
        Ok(Ok(name)) => Ok(SessionsDirectory::of_group(group)?.path().join(name)),
        _ => Ok(path),
    }
}

/// A new session, with what is wanted on.
fn make(
    path: &Path,
    group: Option<u32>,
    arguments: &StartArguments,
    rules: Option<&[ErrorRule]>,
) -> Done<Instance> {
    let snapshots = arguments.snapshots.unwrap_or(SNAPSHOTS);
    let default = if snapshots > 0 { DEFAULT_ERRORS } else { ErrorSet::NONE };
    let errors = arguments.snapshot_on.map_or(default, |list| list.0);
    if snapshots == 0 && (errors != ErrorSet::NONE || rules.is_some_and(|rules| !rules.is_empty())) {
        return Err(Failure::failed(
            "errors take snapshots only where there is space for one: --snapshots is 0",
        ));
    }
    let buffer_kb = match arguments.recording.buffer_size {
        Some(kb) => kb,
        None => fitting_kb(path, DEFAULT_KB, snapshots)?,
    };
    let clock = arguments.recording.clock.unwrap_or(TraceClock::Mono);
    let instances = MOST_INSTANCES;
    let options =
        SessionOptions { buffer_kb, snapshots, instances, group, clock, ..SessionOptions::default() };
    let session = Session::create(path, &options)?;
    let set = define_enabled(&session, &arguments.recording.probes);
    let set = set.and_then(|()| {
        arguments.recording.wanted_events().iter().try_for_each(|wanted| enable_or_warn(&session, wanted))
    });
    let set = set.and_then(|()| set_triggers(&session, &arguments.recording).map(drop));
    let set = set.and_then(|()| choose_threads(&session, arguments));
    let set = set.and_then(|()| choose_snapshots(&session, arguments, errors, rules));
    let set = set.and_then(|()| choose_budget(&session, arguments));
    let set = set.and_then(|()| arguments.recording.apply_stack_options(&session));
    let set = set.and_then(|()| arguments.recording.functions.apply(&session));
    if set.is_err() {
        let _ = Session::remove(path);
    }
    set.map(|()| session)
}

/// The instance that is meant, which is made if need be.
fn instance(session: Instance, arguments: &StartArguments) -> Done<Instance> {
    let Some(name) = &arguments.instance.name else { return Ok(session) };
    match session.session().open_named(name) {
        Err(Error::NoInstance { .. }) => Ok(session.session().create_instance(name)?),
        found => Ok(found?),
    }
}

/// One that is there goes on; where events are named, with these alone.
fn enable(session: Instance, group: Option<u32>, arguments: &StartArguments) -> Done<Instance> {
    let found = session.file().metadata().ok();
    let shared_with = found.filter(|found| found.mode() & 0o060 == 0o060).map(|found| found.gid());
    let fixed = [
        ("-b", arguments.recording.buffer_size.is_some()),
        ("-C", arguments.recording.clock.is_some_and(|clock| clock != session.trace_clock())),
        ("--snapshots", arguments.snapshots.is_some()),
        ("--group", group.is_some() && group != shared_with),
    ];
    if let Some((option, _)) = fixed.into_iter().find(|(_, is_other)| *is_other) {
        return Err(Failure::failed(format_args!(
            "{} exists already, with buffers of its own: leave out {option}, or `lookback delete` it first",
            session.path().display()
        )));
    }
    session.forget_dead_reader();
    look_after(&session)?;
    for event in &arguments.recording.events {
        session.check_enable(event)?;
    }
    for (event, text) in arguments.recording.triggers.iter() {
        session.check_triggers(&arguments.recording.events[event].selection, text)?;
    }
    if !arguments.recording.events.is_empty() {
        session.set_all_off()?;
    }
    define_enabled(&session, &arguments.recording.probes)?;
    for event in &arguments.recording.events {
        enable_or_warn(&session, event)?;
    }
    set_triggers(&session, &arguments.recording)?;
    choose_threads(&session, arguments)?;
    arguments.recording.apply_stack_options(&session)?;
    arguments.recording.functions.apply(&session)?;
    session.buffer().set_tracing(true);
    Ok(session)
}

/// How many errors of which calls take snapshots, where anything is to be said of that.
fn error_rules(arguments: &StartArguments) -> Done<Option<Vec<ErrorRule>>> {
    if arguments.errors.is_empty() {
        return Ok(None);
    }
    let rules = arguments.errors.iter().filter(|text| *text != "none").map(|text| text.parse());
    rules.collect::<Result<_, _>>().map(Some).map_err(|bad| bad_rule(Error::BadErrorRule(bad)))
}

/// Says what recording may cost, where anything is to be said of that.
fn choose_budget(session: &Instance, arguments: &StartArguments) -> Done<()> {
    Ok(arguments.budget.map_or(Ok(()), |BudgetOption(budget)| session.set_budget(budget))?)
}

fn bad_rule(error: Error) -> Failure {
    match error {
        Error::BadErrorRule(bad) => Failure::failed(format_args!("--errors:\n{bad}")),
        error => error.into(),
    }
}

/// Says what takes snapshots and has memory for one, and where they are saved.
fn choose_snapshots(
    session: &Instance,
    arguments: &StartArguments,
    errors: ErrorSet,
    rules: Option<&[ErrorRule]>,
) -> Done<()> {
    session.set_errors(errors)?;
    rules.map_or(Ok(()), |rules| session.set_error_rules(rules)).map_err(bad_rule)?;
    choose_saving(session, arguments)
}

/// Says where snapshots are saved as files, where anything is to be said of that.
fn choose_saving(session: &Instance, arguments: &StartArguments) -> Done<()> {
    let directory = arguments.save_to.as_deref().map(std::path::absolute).transpose();
    let directory = directory.map_err(|error| Failure::failed(format_args!("--save-to: {error}")))?;
    if let Some(directory) = &directory {
        let made = Saving::make_directory(directory);
        made.map_err(|error| Failure::failed(format_args!("{}: {error}", directory.display())))?;
    }
    if directory.is_none() && arguments.save_size.is_none() {
        return Ok(());
    }
    Ok(session.set_saving(|saving| {
        saving.directory = directory.or(saving.directory.take());
        saving.most_mb = arguments.save_size.unwrap_or(saving.most_mb);
    })?)
}

/// Sets whose events alone are recorded, and whose functions alone are traced.
fn choose_threads(session: &Instance, arguments: &StartArguments) -> Done<()> {
    if !arguments.pids.is_empty() {
        for (filter, fork) in
            [(PidFilter::Only, TraceOption::EventFork), (PidFilter::FunctionOnly, TraceOption::FunctionFork)]
        {
            session.set_option(fork, arguments.children)?;
            session.clear_pids(filter)?;
            session.add_pids(filter, &arguments.pids)?;
        }
        arguments.pids.iter().for_each(|pid| tell_if_unattached(session, *pid));
    }
    Ok(())
}

/// Says that nothing is recorded of a thread: the filter attaches nobody.
fn tell_if_unattached(session: &Instance, pid: u32) {
    let Ok(status) = std::fs::read_to_string(format!("/proc/{pid}/status")) else {
        note!("lookback: no process or thread has PID {pid} now");
        return;
    };
    let field =
        |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().trim();
    let tgid = field("Tgid:").parse().unwrap_or(pid);
    if !session.control().knows_process(tgid) {
        let (comm, option) = (printable(field("Name:")), super::option(session.path()));
        note!(
            "lookback: {comm}-{pid} is not attached, so nothing of it is recorded: a program is attached when it \
             starts, by `lookback run{option} -- CMD`"
        );
    }
}

/// Sets each trigger for the events before it. Which have it, with its text; after an error none has any.
pub(crate) fn set_triggers(session: &Instance, wanted: &RecordingArguments) -> Done<Vec<(Vec<u16>, String)>> {
    let mut set: Vec<(Vec<u16>, String)> = Vec::new();
    for (event, text) in wanted.triggers.iter() {
        match session.set_triggers(&wanted.events[event].selection, text) {
            Ok(ids) => set.push((ids, text.to_string())),
            Err(error) => {
                set.iter().for_each(|(ids, text)| session.remove_triggers(ids, text));
                return Err(error.into());
            }
        }
    }
    Ok(set)
}

/// Enables events, and says where there are none yet, where some can't take a filter, and which of them are
/// recorded elsewhere only.
pub(super) fn enable_or_warn(session: &Instance, wanted: &FilteredSelection) -> Done<()> {
    let EnabledEvents { events, others } = session.enable(wanted)?;
    if events == 0 {
        tell_of_none(&wanted.selection, "on");
    }
    if others > 0 {
        let (events, others) = (count(events as u64, "event", "events"), grouped(others as u64));
        note!("lookback: {events} enabled; {others} don't have the filter's fields, and stay as they were");
    }
    let is_wanted =
        |event: &&EventType| wanted.selection.matches(event.system, event.name, Some(switch::CLASS));
    let names: Vec<&str> = switch::ALL.iter().filter(is_wanted).map(|event| event.name).collect();
    if !names.is_empty() {
        note!("lookback: {}: only `lookback record` and `persist` have which thread runs", names.join(", "));
    }
    Ok(())
}

/// Says that there are no such events yet.
pub(super) fn tell_of_none(selection: &Selection, state: &str) {
    let text = selection.text();
    note!("lookback: no program has added events called {text} yet; new ones are {state}");
}

/// The number of a group.
fn group_id(name: &str) -> Done<u32> {
    accounts::group_id(name).ok_or_else(|| {
        Failure::failed(format_args!("no group {name} in /etc/group: name an existing one, or give its id"))
    })
}

fn tell(session: &Instance) {
    let (dim, bold) = (Style::new().dimmed(), Style::new().bold());
    let buffer = session.buffer();
    let (cpus, kb) = size(session);
    let option = super::option(session.path());
    let instance = session.name().map(|name| format!(" -B {name}")).unwrap_or_default();
    note!(
        "{bold}lookback:{bold:#} {} enabled, {kb} KB for each of {}, space for {}",
        count(events_on(session) as u64, "event", "events"),
        count(cpus, "CPU", "CPUs"),
        count(u64::from(buffer.geometry().rings - 1), "snapshot", "snapshots"),
    );
    note!(
        "  {dim}memory{dim:#}  {} now, {} with all snapshots, in {}",
        bytes(memory(session)),
        bytes(session.most_bytes()),
        session.path().display(),
    );
    let stays = match lasting(session.path()) {
        Lasting::Boot => "until `lookback delete`, or the next boot",
        Lasting::Logout => {
            "until your last logout (systemd-logind); `loginctl enable-linger` keeps it longer"
        }
        Lasting::Disk => "until `lookback delete`; it is on a disk, for which programs may have to wait",
    };
    note!("  {dim}stays{dim:#}   {stays}");
    if let Some(budget) = session.budget().filter(|_| session.name().is_none()) {
        note!("  {dim}budget{dim:#}  {budget} % of each CPU for recording; what costs more is left out");
    }
    note!(
        "  {dim}next{dim:#}    lookback run{option} -- CMD      lookback show{option}{instance}      lookback stat{option}{instance}"
    );
}

/// How many CPUs have buffers, and of how many KB.
pub(super) fn size(session: &Instance) -> (u64, u64) {
    let buffer = session.buffer();
    let sizes: Vec<u64> =
        (0..buffer.geometry().cpus).map(|cpu| buffer.capacity(cpu)).filter(|size| *size > 0).collect();
    (sizes.len() as u64, sizes.first().map_or(0, |size| size / 1024))
}
