//! Commands of functions: what happens when one is called that has a command, whether functions are traced or
//! not.

use crate::common::*;

/// Calls `middle` N times, which calls `leaf` twice; slowly if there is a second argument.
const PROGRAM: &str = "
#include <stdlib.h>
#include <unistd.h>
__attribute__((noinline)) int leaf(int x) { return x * 3 + 1; }
__attribute__((noinline)) int middle(int x) { return leaf(x) + leaf(x + 1); }
int main(int count, char **words)
{
	volatile long sum = 0;
	for (int i = 0; i < atoi(words[1]); i++) {
		sum += middle(i);
		if (count > 2)
			usleep(1000);
	}
	return 0;
}
";

/// A session, and the program.
struct Commands {
    scratch: Scratch,
    session: String,
    program: String,
}

impl Commands {
    #[track_caller]
    fn new(options: &[&str]) -> Commands {
        let scratch = Scratch::new();
        let program = compile(&scratch, "calls", PROGRAM, &["-O2", "-fpatchable-function-entry=5"]);
        let text = |path: std::path::PathBuf| path.into_os_string().into_string().unwrap();
        let session = text(scratch.outside("session"));
        let start = ["start", "-q", "--session", &session, "-e", "sched_process_exit"];
        run(scratch.lookback(&start).args(options)).success();
        Commands { scratch, session, program: text(program) }
    }

    #[track_caller]
    fn set(&self, file: &str, value: &str) {
        let mut set =
            self.scratch.lookback(&["set", "-q", "-a", "--session", &self.session, "--", file, value]);
        run(&mut set).success();
    }

    #[track_caller]
    fn get(&self, file: &str) -> String {
        run(&mut self.scratch.lookback(&["get", "--session", &self.session, file])).success().stdout
    }

    /// The events in a file, without what they begin with.
    #[track_caller]
    fn events(&self, file: &str) -> Vec<String> {
        let content = self.get(file);
        let lines = content.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        lines.map(|line| line.rsplit_once(": ").map_or(line, |(_, event)| event).to_owned()).collect()
    }

    fn running(&self, words: &[&str]) -> std::process::Command {
        self.scratch.lookback(&[&["run", "--session", &self.session, &self.program], words].concat())
    }

    #[track_caller]
    fn run(&self, words: &[&str]) {
        run(&mut self.running(words)).success();
    }
}

#[test]
fn a_function_switches_tracing() {
    let commands = Commands::new(&[]);
    commands.set("set_ftrace_filter", "leaf:traceoff:1");
    commands.run(&["1"]);
    assert_eq!(commands.get("tracing_on"), "0\n");
    assert_eq!(commands.get("set_ftrace_filter"), "#### all functions enabled ####\nleaf:traceoff:count=0\n");
    commands.set("tracing_on", "1");
    commands.run(&["3"]);
    assert_eq!(commands.get("tracing_on"), "1\n", "it has done so as often as it may");
    commands.set("set_ftrace_filter", "m*:traceon");
    commands.set("tracing_on", "0");
    commands.run(&["1"]);
    assert_eq!(commands.get("tracing_on"), "1\n");
    commands.set("set_ftrace_filter", "!*:traceon");
    commands.set("tracing_on", "0");
    commands.run(&["1"]);
    assert_eq!(commands.get("tracing_on"), "0\n");
}

#[test]
fn a_function_has_stacks_recorded() {
    let commands = Commands::new(&[]);
    commands.set("set_ftrace_filter", "leaf:stacktrace:3");
    commands.run(&["4"]);
    let content = commands.get("trace");
    assert_eq!(content.matches("<stack trace>\n => leaf\n => middle\n => main\n").count(), 3, "{content}");
    assert!(!content.contains("<-middle"), "functions are not traced");
}

#[test]
fn a_function_takes_snapshots() {
    let commands = Commands::new(&["-p", "function", "-l", "leaf"]);
    commands.set("set_ftrace_filter", "middle:snapshot:2");
    commands.run(&["4"]);
    assert_eq!(commands.events("snapshot"), ["leaf <-middle"; 2], "before the second call of middle");
    let after = commands.events("trace");
    assert_eq!(after[..6], ["leaf <-middle"; 6], "the list is that of before");
    assert!(after.len() == 7 && after[6].starts_with("comm=calls"), "{after:?}");
}

#[test]
fn a_function_enables_and_disables_events() {
    let commands = Commands::new(&[]);
    let enable = "events/libc/usleep/enable";
    commands.set("set_ftrace_filter", "middle:enable_event:libc:usleep:1");
    assert_eq!(commands.get(enable), "0*\n");
    commands.run(&["2", "slowly"]);
    assert_eq!(commands.get(enable), "1*\n");
    let events = commands.events("trace");
    assert_eq!(events.iter().filter(|event| event.starts_with("usec=1000")).count(), 2, "{events:?}");
    commands.set(enable, "1");
    commands.set("set_ftrace_filter", "leaf:disable_event:libc:usleep");
    commands.run(&["1"]);
    assert_eq!(commands.get(enable), "0*\n");
    commands.set("set_ftrace_filter", "!leaf:disable_event:libc:usleep");
    commands.set("set_ftrace_filter", "!middle:enable_event:libc:usleep:0");
    assert_eq!(commands.get(enable), "0\n");
}

#[test]
fn programs_that_run_follow_and_instances_have_their_own() {
    let commands = Commands::new(&[]);
    let make = ["start", "-q", "--session", &commands.session, "-B", "other", "-e", "sched_process_exit"];
    run(&mut commands.scratch.lookback(&make)).success();
    let running = start(&mut commands.running(&["100000", "slowly"]));
    // It is there once it has an event.
    commands.set("instances/other/events/libc/usleep/enable", "1");
    running.wait_until(|| !commands.events("instances/other/trace").is_empty());
    commands.set("instances/other/set_ftrace_filter", "leaf:traceoff");
    running.wait_until(|| commands.get("instances/other/tracing_on") == "0\n");
    assert_eq!(commands.get("tracing_on"), "1\n");
    commands.set("instances/other/set_ftrace_filter", "!leaf:traceoff");
    commands.set("instances/other/tracing_on", "1");
    running.signal(rustix::process::Signal::TERM);
    running.wait();
}

#[test]
fn what_is_no_command_is_refused() {
    let commands = Commands::new(&[]);
    commands.run(&["1"]);
    for word in ["leaf:nosuch", "leaf:dump:x", "leaf:cpudump", "leaf:traceoff:x", "nosuch:traceoff"] {
        let set = ["set", "--session", &commands.session, "set_ftrace_filter", word];
        run(&mut commands.scratch.lookback(&set)).failure(125, &["Invalid argument"]);
    }
    assert_eq!(commands.get("set_ftrace_filter"), "#### all functions enabled ####\n");
}
