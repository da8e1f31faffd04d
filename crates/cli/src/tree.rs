//! `lookback get`, `cat`, `ls`, and `set` of a file: the control tree without a mount.

use crate::arguments::{ChangeArguments, FileArguments, InstanceArguments, LsArguments};
use crate::failure::{Done, Failure};
use crate::say::note;
use rustix::fs::OFlags;
use rustix::io::Errno;
use session::{Author, BadTrigger, Command, ErrorSet, FLIGHT, Pace};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::process::ExitCode;
use tracefs::{Handle, Node, Tree};

/// Bytes of one read.
const READ: usize = 1 << 16;

/// The tree that is meant: a session's, or an instance's.
pub(crate) fn tree(instance: &InstanceArguments) -> Done<Tree> {
    let session = instance.open()?;
    Ok(if instance.name.is_some() { Tree::of_instance(session) } else { Tree::new(session) })
}

/// Shows what a file has now.
pub(crate) fn get(arguments: &FileArguments) -> Done {
    let tree = tree(&arguments.instance)?;
    let mut file = open(&tree, &arguments.path, OFlags::RDONLY | OFlags::NONBLOCK)?;
    loop {
        match file.read(READ) {
            Ok(bytes) if bytes.is_empty() => return Ok(ExitCode::SUCCESS),
            Ok(bytes) if !print(&bytes)? => return Ok(ExitCode::SUCCESS),
            Ok(_) => {}
            Err(Errno::AGAIN) => return Ok(ExitCode::SUCCESS),
            Err(error) => return Err(failed(&arguments.path, error)),
        }
    }
}

/// Shows what a file has and goes on with what comes.
pub(crate) fn cat(arguments: &FileArguments) -> Done {
    let tree = tree(&arguments.instance)?;
    let mut file = open(&tree, &arguments.path, OFlags::RDONLY)?;
    loop {
        match file.read(READ) {
            Ok(bytes) if bytes.is_empty() => return Ok(ExitCode::SUCCESS),
            Ok(bytes) if !print(&bytes)? => return Ok(ExitCode::SUCCESS),
            Ok(_) => {}
            Err(Errno::AGAIN) => {
                let mut pace = Pace::default();
                while !file.is_unblocked() {
                    std::thread::sleep(pace.after(false));
                }
            }
            Err(error) => return Err(failed(&arguments.path, error)),
        }
    }
}

/// Writes to a file.
pub(crate) fn write(tree: &Tree, change: &ChangeArguments, append: bool) -> Done<()> {
    let more = if append { OFlags::APPEND } else { OFlags::TRUNC };
    let value = value(change)?;
    let had_top = tree.instance().session().has_top();
    let mut file = open(tree, &change.what, OFlags::WRONLY | OFlags::CREATE | more)?;
    let log = get_text(tree, "error_log");
    let written = file.write_all(Author::current(), &value);
    written.map_err(|error| refused(tree, &change.what, &value, log, error))?;
    if tree.instance().session().has_top() && !had_top {
        let what = &change.what;
        note!(
            "lookback: the recording stays as it was, in the instance {FLIGHT}: `lookback set -B {FLIGHT} {what}` \
             changes that; files without -B are of a buffer of their own from now on, which `lookback get trace` \
             shows"
        );
    }
    Ok(())
}

/// What is to be written.
fn value(change: &ChangeArguments) -> Done<Vec<u8>> {
    if change.value == "-" {
        let mut input = Vec::new();
        let read = std::io::stdin().read_to_end(&mut input);
        read.map_err(|error| Failure::failed(format_args!("standard input: {error}")))?;
        return Ok(input);
    }
    Ok([change.value.as_bytes(), b"\n"].concat())
}

/// Lists a directory.
pub(crate) fn ls(arguments: &LsArguments) -> Done {
    let tree = tree(&arguments.instance)?;
    let path = &arguments.path;
    let names = match tree.find(path).map_err(|error| failed(path, error))? {
        Node::File(_) => vec![path.clone()],
        Node::Directory(directory) => directory.names(),
    };
    let line = |name: &String| match tree.find(&format!("{path}/{name}")) {
        Ok(Node::Directory(_)) => format!("{name}/\n"),
        _ => format!("{name}\n"),
    };
    print(names.iter().map(line).collect::<String>().as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn open(tree: &Tree, path: &str, flags: OFlags) -> Done<Handle> {
    tree.open(path, flags).map_err(|error| match error {
        // The kernel's word for a name that doesn't exist, where it is to be written.
        Errno::ACCESS => failed(path, Errno::NOENT),
        error => failed(path, error),
    })
}

/// What the kernel says of what was written, and what is wrong with it: `log` is `error_log` before.
fn refused(tree: &Tree, path: &str, value: &[u8], log: Option<String>, error: Errno) -> Failure {
    if let Some(now) = get_text(tree, "error_log").filter(|now| log.as_ref() != Some(now)) {
        let lines: Vec<&str> = now.lines().collect();
        let said = lines[lines.len().saturating_sub(3)..].join("\n");
        // Without the time.
        let said = said.split_once("] ").map_or(said.as_str(), |(_, said)| said);
        return Failure::failed(format_args!("{path}: {error}\n{said}"));
    }
    match expected(tree, path, value).filter(|_| error == Errno::INVAL) {
        Some(expected) => Failure::failed(format_args!("{path}: {error}; expected {}", expected.trim_end())),
        None => failed(path, error),
    }
}

/// What a control file takes.
fn expected(tree: &Tree, path: &str, value: &[u8]) -> Option<String> {
    let one_of = |file: &str| Some(format!("one of {}", get_text(tree, file)?));
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let text = match name {
        "current_tracer" => return one_of("available_tracers"),
        "trace_clock" => return one_of(name),
        "trigger" => return wrong_trigger(&String::from_utf8_lossy(value)),
        "enable" | "tracing_on" | "function_profile_enabled" => "0 or 1",
        _ if directory.ends_with("options") => "0 or 1",
        "trace_options" => "the name of an option, which `lookback ls options` shows, or no before it",
        "snapshot_on" => {
            let names = ErrorSet::NAMES.map(|(known, _)| known).join(", ");
            return Some(format!("none, or some of {names}, with commas"));
        }
        "snapshot_save_to" => "the path of a directory from / on, or nothing",
        "snapshot_save_size_mb" => "a number of MB from 1 on",
        "budget_percent" => "percent from 0.0001 to 100, or 0 for no limit",
        "buffer_size_kb" => "a number of KB",
        "buffer_percent" => "0 to 100",
        "tracing_cpumask" => "a mask of CPUs in hexadecimal",
        "set_event" => "SYSTEM:EVENT, SYSTEM:* or EVENT, which `lookback events` shows, or ! before it",
        "set_event_pid" | "set_event_notrace_pid" => "numbers of threads",
        _ => return None,
    };
    Some(text.to_string())
}

/// What is wrong with the text of a trigger, in which an event may be named that doesn't exist.
fn wrong_trigger(text: &str) -> Option<String> {
    let wrong = match Command::parse(text.trim()) {
        Err(wrong) => wrong,
        Ok(command) => {
            let target = command.target.map(|_| BadTrigger::NoEvent);
            command.count.err().or(command.filter.err()).or(target)?
        }
    };
    Some(wrong.to_string().replacen("expected ", "", 1))
}

/// The text of a control file of the tree.
fn get_text(tree: &Tree, path: &str) -> Option<String> {
    let text = tree.open(path, OFlags::RDONLY).ok()?.read(READ).ok()?;
    Some(String::from_utf8_lossy(&text).trim_end().to_string())
}

/// What the kernel says, and where to look.
fn failed(path: &str, error: Errno) -> Failure {
    let hint = match error {
        Errno::BUSY if path.ends_with("buffer_size_kb") => "; `lookback set snapshot 0` frees memory",
        Errno::NOENT | Errno::NOTDIR | Errno::ISDIR => "; `lookback ls` shows those that exist",
        Errno::BUSY if path.ends_with("current_tracer") => {
            "; another instance has a latency tracer, or all snapshots are of errors, or another process reads trace_pipe"
        }
        Errno::BUSY if path.contains("snapshot") => "; a latency tracer has it, or another process reads it",
        Errno::BUSY => "; another process reads it",
        Errno::NOMEM => "; the session was made for less: `lookback start -b KB --snapshots N`",
        Errno::BADF => "; recording is stopped, here or on this CPU",
        _ => "",
    };
    Failure::failed(format_args!("{path}: {error}{hint}"))
}

/// Prints bytes as they are. False when nobody wants any more.
fn print(bytes: &[u8]) -> Done<bool> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::failed(format_args!("standard output: {error}"))),
    }
}
