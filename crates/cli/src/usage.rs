//! How the command line is read: the help, and what is said of arguments that nobody knows.

use crate::arguments::CommandLine;
use crate::failure::{Failure, code};
use crate::say::say;
use crate::stdout::written;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory, Error, FromArgMatches};
use std::ffi::OsString;
use std::fmt::Write;
use std::num::ParseIntError;
use std::process::ExitCode;

/// The tasks, in the order in which the help shows them.
const GROUPS: [(&str, &[&str]); 5] = [
    (
        "Record a program, and look at it",
        &["record", "report", "explain", "view", "diff", "sql", "convert", "flame", "events"],
    ),
    (
        "Record in a persistent session",
        &["start", "run", "attach", "detach", "stop", "list", "stat", "delete", "install"],
    ),
    (
        "Read its events, and change what it records",
        &["show", "snapshot", "snapshots", "latency", "extract", "persist", "set", "probe", "clear", "reset"],
    ),
    ("Use its control tree, the kernel's tracefs", &["get", "cat", "ls", "mount", "umount", "exec"]),
    ("More", &["help", "version", "completions"]),
];

/// Reads the command line. Where that doesn't say what to do, the help was shown, or what is wrong.
pub(crate) fn parse() -> Result<CommandLine, ExitCode> {
    let mut command = command();
    let parsed = command.try_get_matches_from_mut(words());
    parsed.and_then(|matches| CommandLine::from_arg_matches(&matches)).map_err(|error| show(error, &command))
}

/// The words of the command line. `help --help` is `help help`, which clap doesn't know.
fn words() -> Vec<OsString> {
    let mut words: Vec<OsString> = std::env::args_os().collect();
    if let [_, task, option] = words.as_mut_slice()
        && task == "help"
        && (option == "--help" || option == "-h")
    {
        *option = "help".into();
    }
    words
}

/// The command, with a help that fits a screen; its man page has all of it.
fn command() -> Command {
    let mut command = CommandLine::command().long_about(None).after_long_help(None);
    command.build();
    let mut command = command.mut_subcommand("help", |help| help.about("Show all options of a task"));
    let header = *command.get_styles().get_header();
    let mut help = format!("{{about}}.\n\n{header}Usage:{header:#} lookback TASK [OPTIONS]\n");
    for (title, tasks) in GROUPS {
        let _ = writeln!(help, "{header}{title}:{header:#}");
        for task in tasks.iter().filter_map(|name| command.find_subcommand(name)) {
            let _ = writeln!(
                help,
                "  {:<11}  {}",
                task.get_name(),
                task.get_about().cloned().unwrap_or_default()
            );
        }
    }
    let _ = write!(
        help,
        "{header}Options:{header:#}\n{{options}}\n\
         Exit status: the program's; 125 failure, 126 not executable, 127 not found"
    );
    command = command.help_template(help);
    command
}

/// Shows the help, or what is wrong with the arguments.
fn show(error: Error, command: &Command) -> ExitCode {
    if !error.use_stderr() {
        return written(error.print()).unwrap_or_else(|failure| failure.report());
    }
    let words: Vec<String> = std::env::args().skip(1).collect();
    let task = || words.iter().find_map(|word| command.find_subcommand(word));
    let failure = unknown_task(&error, command)
        .or_else(|| misplaced(&error, &words, command))
        .or_else(|| detached(&error, &words, task()?));
    if let Some(failure) = failure {
        return failure.report();
    }
    let mut text =
        error.render().ansi().to_string().replacen("error:", "lookback:", 1).replace("\n\n\n", "\n\n");
    if let Some(reason) = std::error::Error::source(&error).filter(|reason| reason.is::<ParseIntError>()) {
        text = text.replacen(&reason.to_string(), "expected an integer", 1);
    }
    say!("{}", text.trim_end());
    ExitCode::from(code::FAILED)
}

/// What is said where there is no task, or one that doesn't exist.
fn unknown_task(error: &Error, command: &Command) -> Option<Failure> {
    let is_shown = |name: &&String| command.find_subcommand(name).is_some_and(|task| !task.is_hide_set());
    let named = |kind| match error.get(kind) {
        Some(ContextValue::String(name)) => vec![name],
        Some(ContextValue::Strings(names)) => names.iter().collect(),
        _ => Vec::new(),
    };
    match error.kind() {
        ErrorKind::MissingSubcommand => Some(Failure::failed("expected a task: `lookback help` shows them")),
        ErrorKind::InvalidSubcommand => {
            let similar: Vec<&str> = named(ContextKind::SuggestedSubcommand)
                .into_iter()
                .filter(is_shown)
                .map(String::as_str)
                .collect();
            let similar = match similar.is_empty() {
                true => String::new(),
                false => format!("; similar: {}", similar.join(", ")),
            };
            let name = named(ContextKind::InvalidSubcommand).into_iter().next()?;
            Some(Failure::failed(format_args!(
                "no task is called {name}{similar}; `lookback help` shows all"
            )))
        }
        _ => None,
    }
}

/// What is said of a value that follows an option with a blank where it has to follow a `=`.
fn detached(error: &Error, words: &[String], task: &Command) -> Option<Failure> {
    let Some(ContextValue::String(value)) = error.get(ContextKind::InvalidArg) else { return None };
    let place = words.iter().position(|word| word == value)?;
    let option = words.get(place.checked_sub(1)?)?;
    let mut attached = task.get_arguments().filter(|argument| argument.is_require_equals_set());
    let name = attached.find_map(|argument| {
        let is_it = argument.get_short().is_some_and(|letter| *option == format!("-{letter}"));
        argument.get_long().filter(|name| is_it || *option == format!("--{name}"))
    })?;
    Some(Failure::failed(format_args!("the value of {option} follows a `=`: expected --{name}={value}")))
}

/// What is said of a task's option that precedes the task.
fn misplaced(error: &Error, words: &[String], command: &Command) -> Option<Failure> {
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else { return None };
    let is_task = |word: &String| command.find_subcommand(word).is_some();
    let place = words.iter().position(is_task);
    let mut before = words[..place.unwrap_or(words.len())].iter();
    let task = place.map(|place| words[place].as_str());
    let takes_it = |task: &Command| {
        let mut known = task.get_arguments().filter(|argument| !argument.is_hide_set());
        known.any(|argument| {
            let long = argument.get_long().map(|name| format!("--{name}"));
            let short = argument.get_short().map(|letter| format!("-{letter}"));
            long.as_ref() == Some(option) || short.as_ref() == Some(option)
        })
    };
    let mut tasks =
        command.get_subcommands().filter(|known| task.is_none_or(|task| known.get_name() == task));
    (before.any(|word| word.starts_with(option)) && tasks.any(takes_it)).then(|| {
        let task = task.unwrap_or("TASK");
        Failure::failed(format_args!(
            "{option} is an option of the task: expected `lookback {task} {option} ...`"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A task, and all that are part of it.
    fn all(task: Command, name: &str) -> Vec<(String, Command)> {
        let parts = task.get_subcommands().cloned().collect::<Vec<_>>();
        let of_part = |part: Command| {
            let name = format!("{name} {}", part.get_name());
            all(part, &name)
        };
        let parts = parts.into_iter().flat_map(of_part);
        std::iter::once((name.to_owned(), task.clone())).chain(parts).collect()
    }

    fn every() -> Vec<(String, Command)> {
        let mut command = CommandLine::command();
        command.build();
        all(command, "lookback")
    }

    #[test]
    fn the_short_help_is_a_screenful() {
        let lines = |task: Command| task.term_width(80).render_help().to_string().lines().count();
        let long = every().into_iter().map(|(name, task)| (name, lines(task)));
        assert_eq!(long.filter(|(_, lines)| *lines > 50).collect::<Vec<_>>(), []);
    }

    #[test]
    fn what_stands_below_the_options_needs_no_wrapping() {
        let of_task = |(name, task): (String, Command)| {
            let below = task.get_after_long_help().map(ToString::to_string).unwrap_or_default();
            let wide = |line: &&str| line.chars().count() > 80;
            below.lines().filter(wide).map(|line| format!("{name}: {line}")).collect::<Vec<_>>()
        };
        assert_eq!(every().into_iter().flat_map(of_task).collect::<Vec<_>>(), [""; 0]);
    }
}
