//! Transcripts of the kernel's own files for functions: the same commands give the same here.
//!
//! A transcript has the kernel's answers, from Linux 6.18, with events that there are here in place of the
//! kernel's. `$ ` is before a command, `! ` before the number of its error, and everything else is what it
//! has printed.

use crate::common::*;

/// Functions with the names of those in the transcripts.
const FUNCTIONS: [&str; 13] = [
    "vfs_open",
    "vfs_readv",
    "vfs_read",
    "vfs_write",
    "vfs_rmdir",
    "vfs_unlink",
    "vfs_get_link",
    "vfs_symlink",
    "vfs_link",
    "vfs_readlink",
    "do_exit",
    "mb_cache_count",
    "mb_cache_create",
];

/// A session in which a program with these functions has run.
struct Kernel {
    scratch: Scratch,
    place: String,
}

impl Kernel {
    fn new() -> Kernel {
        let scratch = Scratch::new();
        let define =
            |name: &str| format!("__attribute__((noinline)) void {name}(void) {{ __asm__(\"\"); }}\n");
        let functions: String = FUNCTIONS.map(define).concat();
        let source = scratch.write("kernel.c", functions + "int main(void) { return 0; }\n");
        let program = scratch.path("kernel");
        let mut compile = scratch.command("gcc");
        run(compile.args(["-O1", "-fpatchable-function-entry=5", "-o"]).arg(&program).arg(&source)).success();
        let place = scratch.outside("session").to_str().unwrap().to_string();
        run(&mut scratch.lookback(&["start", "-q", "--session", &place, "-e", "sched_process_exit"]))
            .success();
        run(&mut scratch.lookback(&["run", "--session", &place, program.to_str().unwrap()])).success();
        Kernel { scratch, place }
    }

    /// What a file has.
    fn get(&self, file: &str) -> String {
        let outcome = run(&mut self.scratch.lookback(&["get", "--session", &self.place, file])).success();
        // Here all functions are in files that have names.
        let without_object = |line: &str| line.split(" [").next().unwrap_or_default().to_string() + "\n";
        outcome.stdout.lines().map(without_object).collect()
    }

    /// What a write to a file says: `! 22 EINVAL`.
    fn set(&self, file: &str, text: &str, appends: bool) -> String {
        let append = if appends { &["-a"][..] } else { &[] };
        let mut command = self.scratch.lookback(&["set", "-q", "--session", &self.place]);
        let outcome = run(command.args(append).args(["--", file, text]));
        match outcome.stderr.split_once("(os error ") {
            Some((_, number)) => format!("! {}\n", number.split(')').next().unwrap_or_default()),
            None => outcome.success().stdout,
        }
    }

    /// What a command of a transcript says.
    fn answer(&self, command: &str) -> String {
        let words: Vec<&str> = command.split(' ').collect();
        match words[..] {
            ["cat", ref files @ ..] => files.iter().map(|file| self.get(file)).collect(),
            ["grep", ":", file] => self.lines(file, |line| line.contains(':')),
            ["grep", "-c", "^v", file] => {
                format!("{}\n", self.lines(file, |line| line.starts_with('v')).lines().count())
            }
            ["echo", ref text @ .., into, file] => {
                self.set(file, text.join(" ").trim_matches('\''), into == ">>")
            }
            _ => panic!("{command:?} is in a transcript"),
        }
    }

    fn lines(&self, file: &str, is_shown: impl Fn(&str) -> bool) -> String {
        let content = self.get(file);
        content.lines().filter(|line| is_shown(line)).flat_map(|line| [line, "\n"]).collect()
    }

    /// Compares every answer of a transcript.
    fn play(&self, transcript: &str) {
        let mut number = 0;
        for step in transcript.split("$ ").skip(1) {
            let (command, expected) = step.split_once('\n').unwrap();
            let expected = sorted(expected);
            assert_eq!(sorted(&self.answer(command)), expected, "step {number}: {command}");
            number += 1;
        }
        assert!(number > 10);
    }
}

/// Without what differs: names of errors, and the order of functions that have the same command, which is
/// that of a hash in the kernel.
fn sorted(answer: &str) -> Vec<String> {
    let mut lines: Vec<String> = answer.lines().map(without_name).collect();
    let command = |line: &str| line.split_once(':').map(|(_, command)| command.to_string());
    lines.chunk_by_mut(|one, other| command(one) == command(other)).for_each(<[String]>::sort);
    lines
}

/// `! 22` for `! 22 EINVAL`.
fn without_name(line: &str) -> String {
    match line.strip_prefix("! ").and_then(|error| error.split(' ').next()) {
        Some(number) => format!("! {number}"),
        None => line.to_string(),
    }
}

#[test]
fn commands_of_functions_come_as_in_the_kernel() {
    Kernel::new().play(include_str!("transcripts/filter-commands.txt"));
}

#[test]
fn commands_of_functions_go_as_in_the_kernel() {
    Kernel::new().play(include_str!("transcripts/filter-command-removals.txt"));
}

#[test]
fn what_is_wrong_is_refused_as_in_the_kernel() {
    Kernel::new().play(include_str!("transcripts/errors.txt"));
}
