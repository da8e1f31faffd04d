//! How the command line is read: the help, and what is said of arguments that nobody knows.

use crate::arguments::CommandLine;
use crate::failure::{Failure, code};
use crate::say::say;
use crate::stdout::written;
use clap::error::{ContextKind, ContextValue};
use clap::{Command, CommandFactory, Error, FromArgMatches};
use std::ffi::OsString;
use std::fmt::Write;
use std::process::ExitCode;

/// The tasks, in the order in which the help shows them.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Record a program", &["record", "report", "events"]),
    ("Record in a persistent session", &["start", "run", "stop", "list", "stat", "delete", "install"]),
    ("Read its events", &["show", "snapshot", "extract"]),
    ("Change it", &["set", "clear", "reset"]),
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
    let mut command = CommandLine::command().long_about(None).after_help(None);
    command.build();
    let mut command = command.mut_subcommand("help", |help| help.about("Show all options of a task"));
    let header = *command.get_styles().get_header();
    let mut help = format!("{{about}}.\n\n{header}Usage:{header:#} lookback TASK [OPTIONS]\n\n");
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
fn show(mut error: Error, command: &Command) -> ExitCode {
    if !error.use_stderr() {
        return written(error.print()).unwrap_or_else(|failure| failure.report());
    }
    if let Some(failure) = misplaced(&error, command) {
        return failure.report();
    }
    forget_hidden(&mut error, command);
    let text = error.render().ansi().to_string().replacen("error:", "lookback:", 1).replace("\n\n\n", "\n\n");
    say!("{}", text.trim_end());
    ExitCode::from(code::FAILED)
}

/// What is said of a task's option that precedes the task.
fn misplaced(error: &Error, command: &Command) -> Option<Failure> {
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else { return None };
    let words: Vec<String> = std::env::args().skip(1).collect();
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

/// Leaves out suggestions that no help shows.
fn forget_hidden(error: &mut Error, command: &Command) {
    let Some(ContextValue::Strings(names)) = error.remove(ContextKind::SuggestedSubcommand) else { return };
    let is_shown = |name: &String| command.find_subcommand(name).is_some_and(|task| !task.is_hide_set());
    let shown: Vec<String> = names.into_iter().filter(is_shown).collect();
    if !shown.is_empty() {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(shown));
    }
}
