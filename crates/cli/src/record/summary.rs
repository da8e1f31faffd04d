//! What is said at the end of a recording.

use crate::duration::duration;
use crate::functions_off::FunctionsOffLine;
use crate::number::{bytes, count, grouped};
use crate::probes::UnrecordedProbe;
use crate::say::note;
use crate::unseen;
use anstyle::{AnsiColor, Style};
use recording::Written;
use std::path::Path;
use trace_data::dat::UnseenProcess;
use trace_data::text::printable;

/// How many of the most frequent events are named.
const BUSIEST: usize = 4;

/// A recording, in a few lines.
#[derive(Debug)]
pub(crate) struct Summary<'a> {
    pub(crate) file: &'a Path,
    /// The program, or the processes.
    pub(crate) subject: &'a str,
    pub(crate) processes: usize,
    pub(crate) running: usize,
    pub(crate) written: &'a Written,
    /// The processes that were not recorded, or in part.
    pub(crate) unseen: &'a [UnseenProcess],
    /// What was to be recorded, but no program has such an event.
    pub(crate) unmatched: &'a [String],
    /// What to say of functions that were to be traced, and couldn't be.
    pub(crate) missing_functions: Option<&'a str>,
    /// The processes that have traced no functions any more, as something was wrong.
    pub(crate) functions_off: &'a [FunctionsOffLine],
    /// Probes that were not recorded in some.
    pub(crate) unrecorded_probes: &'a [UnrecordedProbe],
    /// A latency tracer, and the longest section that it has measured, in ns.
    pub(crate) longest: Option<(&'static str, u64)>,
    /// Which events of which thread runs were not recorded although they are enabled, and why.
    pub(crate) without_switches: Option<&'a str>,
}

impl Summary<'_> {
    /// Prints it on standard error.
    pub(crate) fn print(&self) {
        let (dim, bold) = (Style::new().dimmed(), Style::new().bold());
        let written = self.written;
        let lost = self.lost();
        let warning = if lost.is_empty() { Style::new() } else { AnsiColor::Yellow.on_default().bold() };
        let lost_total = written.lost + written.dropped.iter().map(|(_, count)| count).sum::<u64>();
        note!(
            "{bold}lookback:{bold:#} {}, {}, {} in {}, {warning}{} lost{warning:#}",
            count(self.processes as u64, "process", "processes"),
            count(written.events, "event", "events"),
            bytes(written.bytes),
            self.file.display(),
            grouped(lost_total),
        );
        for line in lost {
            note!("  {warning}lost{warning:#}     {line}");
        }
        unseen::tell(self.unseen);
        if self.running > 0 {
            let who = count(self.running as u64, "process that is", "processes that are");
            note!("  {dim}running{dim:#}  {who} still running, and no longer recorded");
        }
        for (path, why) in &written.nameless {
            let path = printable(&path.to_string_lossy()).into_owned();
            note!("  {dim}names{dim:#}    {path} {}: its functions have none", why.describe());
        }
        for selection in self.unmatched {
            note!("  {dim}missing{dim:#}  {selection}: no program that ran has such an event");
        }
        for refusal in &written.refusals {
            note!("  {dim}missing{dim:#}  {}", printable(refusal));
        }
        for process in self.functions_off {
            note!("  {dim}missing{dim:#}  functions {}", process.text());
        }
        for probe in self.unrecorded_probes {
            note!("  {dim}missing{dim:#}  {}", probe.text());
        }
        if let Some(why) = self.without_switches {
            note!("  {dim}missing{dim:#}  {why}");
        }
        if let Some(why) = self.missing_functions {
            note!("  {dim}missing{dim:#}  functions: {}", printable(why));
        }
        match self.longest {
            None => {}
            Some((tracer, 0)) => note!("  {dim}longest{dim:#}  {tracer}: there was no section"),
            Some((tracer, longest)) => note!("  {dim}longest{dim:#}  {tracer}: {}", duration(longest)),
        }
        if !written.counts.is_empty() {
            note!("  {dim}busiest{dim:#}  {}", self.busiest());
        }
        self.print_next(dim);
    }

    fn busiest(&self) -> String {
        let named = self.written.counts.iter().take(BUSIEST);
        named.map(|(name, count)| format!("{name} {}", grouped(*count))).collect::<Vec<_>>().join(", ")
    }

    /// What was lost, why, and what helps.
    fn lost(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let of_kernel = self.written.lost_of_kernel;
        let own = self.written.lost - of_kernel;
        for (lost, whose, option) in [(own, "", "-e"), (of_kernel, " of the kernel's", "--kernel")] {
            if lost > 0 {
                let (event, events) = (format!("event{whose} was"), format!("events{whose} were"));
                lines.push(format!(
                    "{} overwritten before they could be saved: larger buffers (-b KB) or fewer events \
                     ({option}) help",
                    count(lost, &event, &events),
                ));
            }
        }
        for (reason, number) in &self.written.dropped {
            lines.push(format!("{}: {reason}", count(*number, "event", "events")));
        }
        for (what, number) in &self.written.refused {
            lines.push(format!("{} {what}: the session's tables were full", grouped(*number)));
        }
        lines
    }

    fn print_next(&self, dim: Style) {
        if self.written.events == 0 {
            let subject = self.subject;
            note!(
                "  {dim}nothing{dim:#}  was recorded: {subject} made none of the enabled calls; LOOKBACK_DEBUG=1 in its environment says whether it was attached"
            );
            return;
        }
        let file = if self.file == Path::new("trace.dat") {
            String::new()
        } else {
            format!(" {}", quoted(self.file))
        };
        let other = if file.is_empty() { String::new() } else { format!(" -i{file}") };
        note!(
            "  {dim}next{dim:#}     lookback report{file} | less      trace-cmd report{other}      kernelshark{other}"
        );
    }
}

/// A path as it can be typed.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+,".contains(letter);
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}
