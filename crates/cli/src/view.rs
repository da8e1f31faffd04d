//! `lookback view`: a trace as a timeline in the browser.

mod address;
mod browser;
mod fetching;
mod focus;
mod interface;
mod request;
mod server;
mod viewed;

use crate::arguments::TimelineArguments;
use crate::convert;
use crate::failure::{Done, Failure};
use crate::number::{bytes, count};
use crate::report::Problem;
use crate::say::{note, say};
use crate::stdout;
use address::{PageAddress, PageToken};
use focus::Focus;
use interface::InterfaceFiles;
use server::{ViewServer, ViewedFiles};
use std::fs::File;
use std::process::ExitCode;
use std::time::Duration;
use viewed::ViewedTrace;

/// Shows a trace in the browser, or fetches what shows it.
pub(crate) fn run(arguments: &TimelineArguments) -> Done {
    if arguments.fetch_ui {
        return fetching::fetch();
    }
    // Before the trace is converted, which may take a while.
    let interface = match arguments.online {
        true => None,
        false => Some(InterfaceFiles::find()?),
    };
    let server = ViewServer::listen(if interface.is_some() { 0 } else { address::PUBLIC_PORT })?;
    let (trace, focus, damage) = converted(arguments)?;
    let token = PageToken::new()?;
    let address = PageAddress { port: server.port(), token: &token, is_public: interface.is_none() };
    let page = address.page(&focus);
    focus.lines.iter().for_each(|line| note!("lookback: {line}"));
    let is_opened = !arguments.no_browser && browser::open(&page);
    let place =
        if is_opened { "open in the browser, at this address" } else { "at this address, for a browser" };
    note!("lookback: the timeline is {place}; Control-C ends it");
    stdout::print(&page)?;
    let linger = Duration::from_secs(arguments.linger);
    server.serve(ViewedFiles::new(trace, interface, token), linger)?;
    match damage {
        Some(failure) => Err(failure),
        None => Ok(ExitCode::SUCCESS),
    }
}

/// The trace as Perfetto reads it, what to look at first, and what could not be read of it.
fn converted(arguments: &TimelineArguments) -> Done<(File, Focus, Option<Failure>)> {
    let failed = |error: std::io::Error| Failure::failed(format_args!("no temporary file: {error}"));
    let file = tempfile::tempfile().map_err(failed)?;
    let out = file.try_clone().map_err(failed)?;
    let (mut focus, mut events) = (Focus::default(), 0);
    let is_snapshot = arguments.source.snapshot.snapshot.is_some();
    let read = convert::read(&arguments.source, |surveyed, feed| {
        let mut viewed = ViewedTrace::new(out, surveyed);
        let fed = convert::watch(&mut viewed, surveyed, feed);
        focus = viewed.focus(is_snapshot, surveyed.trace);
        events = fed?;
        Ok(())
    });
    let damage = match read {
        Ok(()) => None,
        Err(Problem::Output(error)) => return Err(failed(error)),
        // What could be read is shown.
        Err(Problem::Failed(failure)) if focus.is_known() => Some(failure),
        Err(Problem::Failed(failure)) => return Err(failure),
    };
    if let Some(failure) = &damage {
        say!("lookback: {}; what can be read is shown", failure.message());
    }
    let size = file.metadata().map_err(failed)?.len();
    note!("lookback: {}, {} for the browser", count(events, "event", "events"), bytes(size));
    Ok((file, focus, damage))
}
