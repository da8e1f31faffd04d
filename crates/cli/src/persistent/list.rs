//! `lookback list`.

use crate::arguments::ListArguments;
use crate::attach::AttachProspect;
use crate::failure::{Done, Failure};
use crate::json::Json;
use crate::number::{bytes, count, duration};
use crate::persistent::attached::AttachedProcess;
use crate::persistent::saving::look_after;
use crate::persistent::threads::ThreadList;
use crate::persistent::{events_on, filtered, memory, option, pending, system_calls, usdt};
use crate::stdout::print;
use crate::unseen::{READS_TREE, UnattachedProcess};
use anstyle::Style;
use session::{FunctionRule, Instance, SessionsDirectory, TraceableFunction};
use std::collections::HashSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use trace_data::text::printable;

/// Lists processes, or threads, or events, or sessions.
pub(crate) fn list(arguments: &ListArguments) -> Done {
    if arguments.sessions {
        return sessions(arguments.json);
    }
    if let Some(files) = &arguments.usdt {
        return usdt::list(files, || arguments.which.open(), arguments.json);
    }
    if let Some(files) = &arguments.syscalls {
        return system_calls::list(files, || arguments.which.open(), arguments.json);
    }
    let session = arguments.which.open()?;
    if arguments.events {
        return events(&session, arguments.json);
    }
    if let Some(rule) = &arguments.functions {
        return functions(&session, rule, arguments);
    }
    look_after(&session)?;
    if arguments.threads {
        let threads = ThreadList::new(&session);
        return if arguments.json { print(threads.json()) } else { print(threads.text().trim_end()) };
    }
    let (attached, strangers) = participants(&session);
    let prospect = |stranger: &UnattachedProcess| {
        let is_asked = arguments.why && stranger.is_here;
        is_asked.then(|| AttachProspect::of(&session, stranger.pid)).flatten()
    };
    if arguments.json {
        let json = |stranger: &UnattachedProcess| {
            stranger.json(prospect(stranger).as_ref().map(AttachProspect::json))
        };
        return print(Json::Object(vec![
            ("session", Json::text(Some(session.path().display()))),
            ("attached", Json::List(attached.iter().map(AttachedProcess::json).collect())),
            ("not_attached", Json::List(strangers.iter().map(json).collect())),
        ]));
    }
    print((table(&session, &attached) + &not_attached(&strangers, prospect)).trim_end())
}

/// Lists functions that can be traced, by the files that they are in.
fn functions(session: &Instance, rule: &FunctionRule, arguments: &ListArguments) -> Done {
    let mut all = session.session().functions_with_sites();
    all.extend(session.session().unbuilt_named(rule));
    let shown = |function: &&TraceableFunction| {
        function.fits(rule) || function.names.is_empty() && rule.pattern == "*"
    };
    let found: Vec<&TraceableFunction> = all.iter().filter(shown).collect();
    if arguments.json {
        let object = |function: &&TraceableFunction| {
            Json::Object(vec![
                ("function", Json::Text(function.name())),
                ("symbol", Json::text(function.names.first().map(|name| &name.symbol))),
                ("object", Json::text(Some(&function.object))),
                ("address", Json::Number(function.address)),
                ("traced_by", Json::text(function.traced_by)),
                ("not_traced_because", Json::text(function.obstacle.as_ref())),
            ])
        };
        return print(Json::Object(vec![
            ("session", Json::text(Some(session.path().display()))),
            ("functions", Json::List(found.iter().map(object).collect())),
        ]));
    }
    if found.is_empty() {
        return Err(Failure::failed(match all.len() {
            0 if rule.pattern == "*" => "no program that has run was built for tracing functions; \
                  `lookback list -f PATTERN` shows those of other programs that a pattern fits"
                .to_string(),
            0 => format!("no program that has run has a function that is called {rule}"),
            count => format!("none of {count} functions is called {rule}"),
        }));
    }
    let lines = found.iter().map(|function| {
        let why = match (&function.obstacle, function.traced_by) {
            (Some(why), _) => format!("  ({why})"),
            (None, Some(traced_by)) if arguments.why => format!("  ({traced_by})"),
            _ => String::new(),
        };
        format!("{} [{}]{why}\n", printable(&function.name()), printable(&function.object))
    });
    print(lines.collect::<String>().trim_end())
}

/// The processes that are attached, and those that are not although they should be.
fn participants(session: &Instance) -> (Vec<AttachedProcess>, Vec<UnattachedProcess>) {
    let mut attached = AttachedProcess::all(session);
    let known: HashSet<u32> = attached.iter().filter_map(AttachedProcess::here).collect();
    let (mut strangers, seen): (Vec<_>, Vec<_>) =
        UnattachedProcess::all(session).into_iter().partition(|stranger| stranger.why.is_some());
    UnattachedProcess::add_told(&mut strangers, session);
    // Those that have executed what can't be traced have an entry still.
    attached.retain(|process| strangers.iter().all(|stranger| Some(stranger.pid) != process.here()));
    // Those that were forked and have recorded nothing since have none yet.
    let here = session::pid_namespace();
    let new = seen.into_iter().filter(|stranger| !known.contains(&stranger.pid));
    attached.extend(new.map(|UnattachedProcess { pid, comm, exe, .. }| AttachedProcess {
        pid,
        comm,
        exe,
        age: None,
        is_elsewhere: false,
        namespace: here,
        pid_here: None,
        confined: None,
        is_left_out: false,
        in_part: None,
        traced_functions: 0,
        functions_off: None,
        pending: None,
    }));
    attached.sort_by_key(|process| process.pid);
    (attached, strangers)
}

fn table(session: &Instance, attached: &[AttachedProcess]) -> String {
    let bold = Style::new().bold();
    let on = events_on(session);
    let known = session.control().event_ids().count();
    let option = option(session.path());
    let mut text = format!(
        "{bold}events{bold:#}  {on} of {known} enabled{}; `lookback list --events{option}` shows them\n",
        filtered(session)
    );
    let who = count(attached.len() as u64, "process", "processes");
    let _ = writeln!(text, "{bold}attached{bold:#}  {who}");
    if !attached.is_empty() {
        let _ = writeln!(text, "{:>8}  {:<15}  {:>8}  PROGRAM", "PID", "COMM", "SINCE");
    }
    for process in attached {
        let age = process.age.map_or_else(|| "-".to_string(), duration);
        let exe = printable(process.exe.as_deref().unwrap_or("?"));
        let comm = printable(&process.comm);
        let elsewhere = match process.pid_here {
            Some(pid) => format!("  (in another pid namespace, {pid} here)"),
            None if process.is_elsewhere => "  (in another pid namespace)".to_owned(),
            None => String::new(),
        };
        let confined =
            process.confined.map(|reason| format!("  ({})", reason.describe())).unwrap_or_default();
        let left_out =
            if process.is_left_out { format!("  (not recorded: {READS_TREE})") } else { String::new() };
        let in_part = process.in_part.as_ref().map(|why| format!("  (in part: {})", printable(why)));
        let pending = process.pending.as_ref().map(|why| format!("  (functions pending: {why})"));
        let off = process.functions_off.as_ref().map(|why| format!("  (functions off: {})", printable(why)));
        let notes = [in_part, pending, off].map(Option::unwrap_or_default).concat();
        let notes = [&*elsewhere, &confined, &left_out, &notes].concat();
        let _ = writeln!(text, "{:>8}  {comm:<15}  {age:>8}  {exe}{notes}", process.pid);
    }
    let mut namespaces: Vec<u64> = attached.iter().map(|process| process.namespace).collect();
    namespaces.sort_unstable();
    namespaces.dedup();
    if namespaces.len() > 1 {
        let _ =
            writeln!(text, "several pid namespaces: events of processes with equal PIDs can't be told apart");
    }
    if attached.iter().any(|process| process.pending.is_some()) {
        let advice = pending::advice(session);
        let _ = writeln!(text, "pending: until the next call that is wrapped; {advice} interrupts them");
    }
    text
}

/// Those that are not attached, and whether they could be, where that is asked.
fn not_attached(
    strangers: &[UnattachedProcess],
    prospect: impl Fn(&UnattachedProcess) -> Option<AttachProspect>,
) -> String {
    let (bold, mut text) = (Style::new().bold(), String::new());
    if !strangers.is_empty() {
        let who = count(strangers.len() as u64, "process", "processes");
        let _ = writeln!(text, "{bold}not attached{bold:#}  {who}");
        let _ = writeln!(text, "{:>8}  {:<15}  BECAUSE", "PID", "COMM");
    }
    for stranger in strangers {
        let why = printable(stranger.why.as_deref().unwrap_or_default());
        let prospect = prospect(stranger).map(|prospect| format!("  ({})", printable(&prospect.text())));
        let (comm, prospect) = (printable(&stranger.comm), prospect.unwrap_or_default());
        let _ = writeln!(text, "{:>8}  {comm:<15}  {why}{prospect}", stranger.pid);
    }
    text
}

fn events(session: &Instance, json: bool) -> Done {
    let rules = session.rules();
    if json {
        let event = |event: session::EventInfo| {
            Json::Object(vec![
                ("id", Json::Number(event.id.into())),
                ("system", Json::Text(event.system)),
                ("name", Json::Text(event.name)),
                ("class", Json::text(event.class)),
                ("enabled", Json::Bool(event.enabled)),
                ("filter", Json::text(event.filter)),
            ])
        };
        return print(Json::Object(vec![
            ("events", Json::List(session.events().map(event).collect())),
            ("rules", Json::List(rules.lines().map(|rule| Json::Text(rule.to_string())).collect())),
        ]));
    }
    let mut text = String::new();
    for event in session.events() {
        let name = format!("{}:{}", event.system, event.name);
        let class = event.class.map_or_else(String::new, |class| format!("@{class}"));
        let state = if event.enabled { "on" } else { "off" };
        let filter = event.filter.map_or_else(String::new, |filter| format!("  if {}", printable(&filter)));
        let _ = writeln!(text, "{name:<32} {state:<3}  {}", format!("{class:<8}{filter}").trim_end());
    }
    for rule in rules.lines() {
        let state = if rule.starts_with('+') { "on" } else { "off" };
        let _ = writeln!(text, "{:<32} {state:<3}  in programs to come", &rule[1..]);
    }
    print(text.trim_end())
}

/// The directories where sessions are found: the user's, and those of groups that he may look into.
fn places() -> Done<Vec<PathBuf>> {
    let mut found = SessionsDirectory::of_user()?.sessions();
    let shared = std::fs::read_dir("/dev/shm").into_iter().flatten().flatten().map(|entry| entry.path());
    for path in shared {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let group = name.strip_prefix("lookback-group-").and_then(|group| group.parse().ok());
        if let Some(place) = group.and_then(|group| SessionsDirectory::of_group(group).ok()) {
            found.extend(place.sessions());
        }
    }
    Ok(found)
}

fn sessions(json: bool) -> Done {
    let rows = places()?.into_iter().map(|path| SessionRow::new(&path));
    let rows: Vec<SessionRow> = rows.collect();
    if json {
        return print(Json::List(rows.iter().map(SessionRow::json).collect()));
    }
    if rows.is_empty() {
        return print("no session; `lookback start` makes one");
    }
    let mut text =
        format!("{:<40} {:<9} {:>9} {:>9}  MEMORY\n", "SESSION", "STATE", "EVENTS ON", "PROCESSES");
    for SessionRow { path, found } in &rows {
        let path = path.display();
        let _ = match found {
            Ok(found) => {
                let (state, memory) = (found.state(), bytes(found.memory));
                writeln!(text, "{path:<40} {state:<9} {:>9} {:>9}  {memory}", found.events, found.processes)
            }
            Err(reason) => writeln!(text, "{path:<40} {reason}"),
        };
    }
    print(text.trim_end())
}

/// A session in a list.
struct SessionRow {
    path: PathBuf,
    found: Result<SessionSummary, String>,
}

struct SessionSummary {
    is_on: bool,
    events: usize,
    processes: usize,
    memory: u64,
}

impl SessionRow {
    fn new(path: &Path) -> SessionRow {
        let found = Instance::open(path).map_err(|error| error.to_string()).map(|session| SessionSummary {
            is_on: !session.buffer().control().is_off(),
            events: events_on(&session),
            processes: session.control().processes().filter(|process| process.end_time == 0).count(),
            memory: memory(&session),
        });
        SessionRow { path: path.into(), found }
    }

    fn json(&self) -> Json {
        let path = ("session", Json::text(Some(self.path.display())));
        Json::Object(match &self.found {
            Ok(found) => vec![
                path,
                ("tracing_on", Json::Bool(found.is_on)),
                ("events_on", Json::Number(found.events as u64)),
                ("processes", Json::Number(found.processes as u64)),
                ("memory_bytes", Json::Number(found.memory)),
            ],
            Err(reason) => vec![path, ("unusable", Json::text(Some(reason)))],
        })
    }
}

impl SessionSummary {
    fn state(&self) -> &'static str {
        if self.is_on { "recording" } else { "stopped" }
    }
}
