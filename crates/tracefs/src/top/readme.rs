//! `README`: the files, each with what it is for.

use super::FILES;
use crate::listed::Listed;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;
use session::{ACTIONS, TRACERS};
use std::fmt::Write;

/// A line for every file, and for nothing that doesn't exist: programs look here for what they can use.
#[derive(Clone, Default)]
struct Readme;

pub(super) const LISTED: Listed = Listed::of::<Readme>("README", "this text");

/// What stands after the files.
const DIRECTORIES: &str = "
  options/\t\t- the same as trace_options, a file for each
  per_cpu/cpuN/\t\t- the files of one CPU:
\tbuffer_size_kb\t- KB of its buffer
\tstats\t\t- what has become of its events
\tsnapshot\t- its snapshot; echo 1 takes one of this CPU alone
\tsnapshot_raw\t- its snapshot as pages, each given once
\ttrace\t\t- its events
\ttrace_pipe\t- its events, each given once
\ttrace_pipe_raw\t- its events as pages, each given once
  trace_stat/functionN\t- how often functions were called on a CPU, and how long they took
  ktrace/\t\t- tracepoints of programs with formats of printf:
\tenabled\t\t- 0 stops them all; each keeps whether it is enabled
\tinfo\t\t- names, formats and ids, and whether they are enabled
\toverflow\t- how many events were overwritten before they were read
\treset\t\t- 1 clears the buffer
\tevents/NAME\t- 0 or 1 disables or enables one
\tbuffers/cpuN\t- the records of a CPU, for a program that consumes them
  instances/\t\t- mkdir makes one more buffer, with a tree of its own; rmdir removes it
  events/\t\t- the events: a directory for each system
\theader_page\t- the layout of pages
\theader_event\t- the layout of what stands before each event
\tenable\t\t- 0 or 1 disables or enables all events
\tSYSTEM/enable\t- 0 or 1 disables or enables all of a system; reads X when some are enabled
\tSYSTEM/filter\t- takes a filter for the events of the system that have its fields
\tSYSTEM/EVENT/enable - 0 or 1 disables or enables the event
\tSYSTEM/EVENT/filter - what is recorded of it: FIELD OPERATOR VALUE, && || ! and parentheses
\tSYSTEM/EVENT/format - its fields, and how they are printed
\tSYSTEM/EVENT/id\t- the number in its records
\tSYSTEM/EVENT/trigger - what is done when it happens, at once, be it enabled or not
\t    Format: <trigger>[:count][ if <filter>]
\t    trigger: {actions}
\t    ! before it takes it away
";

/// What definitions of probes are, in the kernel's words.
const PROBES: &str = "\
\t  accepts: event-definitions (one definition per line)
\t   Format: p[:[<group>/][<event>]] <place> [<args>]
\t           r[:[<group>/][<event>]] <place> [<args>]
\t           -:[<group>/][<event>]
\t    place (uprobe): <path>:<offset>[%return][(ref_ctr_offset)]
\t                    <path>:<symbol>[+<offset>][%return][(ref_ctr_offset)]
\t     args: <name>=fetcharg[:type]
\t fetcharg: %<register>, @<address>, @+<offset>,
\t           $stack<index>, $stack, $retval, $comm, $arg<N>,
\t           +|-[u]<offset>(<fetcharg>), \\imm-value, \\\"imm-string\"
\t     type: s8/16/32/64, u8/16/32/64, x8/16/32/64, char, string, ustring,
\t           b<bit-width>@<bit-offset>/<container-size>, <type>\\[<array-size>\\]
";

impl TextFile for Readme {
    const MODE: u32 = 0o440;

    /// It may be longer than a page.
    const IS_KEPT: bool = true;

    fn show(&self, _array: &TraceArray) -> Result<String, Errno> {
        let mut text = String::from(
            "tracing mini-HOWTO:\n\n\
             # echo 0 > tracing_on : disables tracing at once\n\
             # echo 1 > tracing_on : enables it again\n\n \
             Important files:\n",
        );
        for file in FILES {
            let _ = writeln!(text, "  {:<20}\t- {}", file.name, file.help.replace("{tracers}", &tracers()));
            if file.name == "uprobe_events" {
                text.push_str(PROBES);
            }
        }
        text.push_str(&DIRECTORIES.replace("{actions}", &actions()));
        Ok(text)
    }
}

/// The actions of triggers, those with a target in a line of their own.
fn actions() -> String {
    let of = |has_target: bool, form: &str| {
        let actions = ACTIONS.iter().filter(move |action| action.has_target == has_target);
        actions.map(|action| format!("{}{form}", action.name)).collect::<Vec<_>>().join(", ")
    };
    format!("{},\n\t             {}", of(false, ""), of(true, ":<system>:<event>"))
}

/// The tracers, each with what it does.
fn tracers() -> String {
    let each: Vec<String> = TRACERS.iter().map(|tracer| format!("{} {}", tracer.name, tracer.help)).collect();
    each.join(", ")
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree};

    /// What programs look for, of features that don't exist.
    const ABSENT: &[&str] = &["synthetic", "kprobe", "hist", "onchange", "symstr", "maxactive"];

    #[test]
    fn nothing_is_claimed_that_does_not_exist() {
        let (_directory, tree) = tree();
        let text = read(&tree, "README");
        assert!(ABSENT.iter().all(|word| !text.contains(word)), "{text}");
        assert!(text.contains("\n  trace_marker        \t- "));
        assert!(
            text.contains(" nop leaves recording to the events\n")
                && text.contains(" function records calls ")
        );
        assert!(text.contains(", stacktrace,\n\t             enable_event:<system>:<event>, disable_event:"));
    }
}
