//! How long `echo 1 > events/enable` takes where there are many events.

use crate::attach::Live;
use crate::clock::wall_ns;
use crate::report::Report;
use crate::samples::Samples;
use rustix::fs::OFlags;
use session::{Author, Instance, SessionOptions};
use tracefs::Tree;

/// Events that the session knows.
const EVENTS: usize = 2000;
const ROUNDS: usize = 21;

/// What each of them has in addition to the common fields.
const FORMAT: &str =
    "\tfield:u64 value;\toffset:8;\tsize:8;\tsigned:0;\n\nprint fmt: \"value=%llu\", REC->value\n";

/// Measures it.
pub fn measure(report: &mut Report) -> Result<(), String> {
    let live = Live::with(&SessionOptions::default())?;
    add_events(&live.session)?;
    let tree = Tree::new(live.session);
    let mut samples = Samples::default();
    for _ in 0..ROUNDS {
        let start = wall_ns();
        echo(&tree, "1")?;
        samples.push((wall_ns() - start) / 1e6);
        echo(&tree, "0")?;
    }
    report.add("enable_2000_events_ms", Ok(samples.median()));
    Ok(())
}

/// Lets the session know so many events: those of the agent, and others of ten systems.
fn add_events(session: &Instance) -> Result<(), String> {
    for number in session.control().event_ids().count()..EVENTS {
        let added =
            session.control().add_event(&format!("bench{}", number % 10), &format!("event{number}"), FORMAT);
        added.ok_or("no space for the events")?;
    }
    Ok(())
}

/// `echo WORD > events/enable`.
fn echo(tree: &Tree, word: &str) -> Result<(), String> {
    let file = tree.open("events/enable", OFlags::WRONLY | OFlags::TRUNC);
    let written = file.and_then(|mut file| file.write_all(Author::current(), format!("{word}\n").as_bytes()));
    written.map_err(|error| format!("events/enable: {error}"))
}
