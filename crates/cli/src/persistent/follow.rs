//! `lookback show -p`.

use crate::failure::{Done, Failure};
use crate::interrupt::InterruptSignal;
use crate::persistent::session_text::SessionText;
use query::Choice;
use reading::{Contents, Reader, layout};
use recording::Obituary;
use session::{Instance, Pace};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use trace_data::text::Layout;

/// How often it looks at the buffers.
const LOOKS: Pace = Pace::between(Duration::from_millis(10), Duration::from_millis(100));

/// How often it is looked for processes that were killed, to record their end.
const ENDS: Duration = Duration::from_millis(500);

/// Records that are printed at once, and at the end.
const BATCH: usize = 4096;
const LAST_BATCH: usize = 1 << 16;

/// Takes events out of a session and shows them, until a signal ends it, or recording is stopped and
/// everything was shown.
pub(super) fn follow(session: &Arc<Instance>, cpu: Option<u32>, choice: &Choice) -> Done {
    let _lock = session.lock_reader()?;
    let interruption = InterruptSignal::new()?;
    let followed = show_until(session, cpu, choice, &interruption);
    // What was consumed has been shown.
    interruption.end_by_it();
    followed
}

fn show_until(
    session: &Arc<Instance>,
    cpu: Option<u32>,
    choice: &Choice,
    interruption: &InterruptSignal,
) -> Done {
    let reader = Reader::new(session.clone());
    // Records of writers without rseq may be of other CPUs: those are left where they are.
    let mut reader = if cpu.is_some() { reader.without_lanes() } else { reader };
    // A second mapping: who writes has one of its own.
    let obituary = Obituary::new(session.again()?.into_buffer(), session);
    let mut text = SessionText::new(session, choice, None, Vec::new())?.of_pipe();
    let (mut pace, mut has_read, mut ends_due) = (LOOKS, false, Instant::now());
    let mut print = |most| {
        let batch = reader.batch(Contents::Live, cpu, most);
        session.session().check_whole()?;
        let goes_on = batch.records.len() == most;
        let is_read = text.print(&batch, Layout { annotate: false, ..layout(session) }, goes_on)?;
        Ok::<_, Failure>((batch.records.len(), is_read))
    };
    while !interruption.has_come() {
        // Before the look: what was recorded until then is seen by it.
        let is_over = session.buffer().control().is_off() && has_read || !session.file().exists();
        if Instant::now() >= ends_due {
            obituary.look(session);
            ends_due = Instant::now() + ENDS;
        }
        let (count, is_read) = print(BATCH)?;
        if !is_read || count == 0 && is_over {
            return Ok(ExitCode::SUCCESS);
        }
        has_read |= count > 0;
        let pause = pace.after(count > 0);
        if count < BATCH {
            std::thread::sleep(pause);
        }
    }
    // What was consumed and not printed yet is among them.
    print(LAST_BATCH)?;
    Ok(ExitCode::SUCCESS)
}
