//! `lookback show -p`.

use crate::failure::{Done, Failure};
use abi::page::DEFAULT_SIZE;
use query::{Choice, Chooser, TimeReference};
use recording::{Batch, Follower};
use session::Session;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::low_level::emulate_default_handler;
use std::io::{ErrorKind, StdoutLock};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use trace_data::dat::Metadata;
use trace_data::event::{Event, EventTable};
use trace_data::format::Format;
use trace_data::info::TraceInfo;
use trace_data::print::Dialect;
use trace_data::text::{Layout, TextWriter, is_nanoseconds};

/// The shortest time between two looks at the buffers, while there are events, and the longest. Nobody would
/// wake us: programs that are traced make no system call for it.
const LOOKS: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(100));

/// Takes events out of a session and shows them, until a signal ends it, or recording is stopped and
/// everything was shown.
pub(super) fn follow(session: &Arc<Session>, cpu: Option<u32>, choice: &Choice) -> Done {
    let _lock = session.lock_reader()?;
    let signal = Arc::new(AtomicUsize::new(0));
    for number in [SIGINT, SIGTERM] {
        flag::register_usize(number, signal.clone(), number as usize).map_err(Failure::failed)?;
    }
    let followed = show_until(session, cpu, choice, &signal);
    let number = signal.load(Relaxed) as i32;
    if number != 0 {
        // As a program that does nothing about it. What was consumed has been shown.
        let _ = emulate_default_handler(number);
    }
    followed
}

fn show_until(session: &Arc<Session>, cpu: Option<u32>, choice: &Choice, signal: &AtomicUsize) -> Done {
    let mut follower = Follower::new(session, cpu, &std::env::temp_dir())?;
    let mut text = Text::new(session, choice)?;
    let (mut pause, mut has_read) = (LOOKS.0, false);
    while signal.load(Relaxed) == 0 {
        // Before the look: what was recorded until then is seen by it.
        let is_over = session.buffer().control().is_off() && has_read || !session.file().exists();
        let batch = follower.take();
        session.check_whole()?;
        match batch? {
            Some(batch) => {
                if !text.print(&batch)? {
                    return Ok(ExitCode::SUCCESS);
                }
                (pause, has_read) = (LOOKS.0, true);
            }
            None if is_over => return Ok(ExitCode::SUCCESS),
            None => pause = (pause * 2).min(LOOKS.1),
        }
        std::thread::sleep(pause);
    }
    text.print(&follower.rest())?;
    Ok(ExitCode::SUCCESS)
}

/// The text of what is followed.
struct Text<'a> {
    session: &'a Session,
    choice: &'a Choice,
    /// How many events the session knew.
    known: usize,
    metadata: Metadata,
    events: EventTable,
    chooser: Chooser,
    out: StdoutLock<'static>,
}

impl<'a> Text<'a> {
    fn new(session: &'a Session, choice: &'a Choice) -> Done<Text<'a>> {
        let events = events(session)?;
        let chooser = Chooser::new(choice, &events, TimeReference::default())?;
        let known = session.control().event_ids().count();
        let metadata = Metadata::new(DEFAULT_SIZE as u32);
        Ok(Text { session, choice, known, metadata, events, chooser, out: std::io::stdout().lock() })
    }

    /// Prints events. False when nobody reads them any more.
    fn print(&mut self, batch: &Batch) -> Done<bool> {
        let known = self.session.control().event_ids().count();
        if known != self.known {
            // A program has brought some.
            self.events = events(self.session)?;
            self.chooser = Chooser::new(self.choice, &self.events, TimeReference::default())?;
            self.known = known;
        }
        let nanoseconds = is_nanoseconds(self.session.trace_clock().name());
        let layout = Layout { nanoseconds, escape: true, ..Layout::default() };
        let mut text = TextWriter::new(&mut self.out, &self.events, batch, &batch.symbols, layout);
        let (metadata, events, symbols) = (&self.metadata, &self.events, &batch.symbols);
        let trace = TraceInfo { metadata, events, tasks: batch, symbols, nanoseconds };
        let mut shown = batch.records().filter(|record| self.chooser.contains(record, &trace));
        match shown.try_for_each(|record| text.event(&record)).and_then(|()| text.flush()) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
            Err(error) => Err(Failure::failed(format_args!("standard output: {error}"))),
        }
    }
}

/// The events of a session, ready to be printed.
fn events(session: &Session) -> Done<EventTable> {
    let event = |info: session::EventInfo| {
        let format = Format::parse(&info.system, &info.format)
            .map_err(|error| Failure::failed(format_args!("{}:{}: {error}", info.system, info.name)))?;
        Ok(Event::new(format, Dialect::Kernel))
    };
    session.events().map(event).collect()
}
