//! Records of `log`.

use crate::errors::keep_record;
use crate::text::Texts;
use log::{Level, Log, Metadata, Record, SetLoggerError};
use std::fmt::Write;
use tracepoint::wants_snapshots_of_log;

tracepoint::trace_event! {
    fn log:error(target: &str, message: &str, line: u32) => "[{target}] {message}";
    fn log:warn(target: &str, message: &str, line: u32) => "[{target}] {message}";
    fn log:info(target: &str, message: &str, line: u32) => "[{target}] {message}";
    fn log:debug(target: &str, message: &str, line: u32) => "[{target}] {message}";
    fn log:trace(target: &str, message: &str, line: u32) => "[{target}] {message}";
}

/// A logger that records: an event for each level, `log:error` to `log:trace`, which are switched by their
/// names. Programs that log elsewhere, too, hand records on to it from their own logger.
///
/// ```
/// tracing_layer::Logger.install().unwrap();
/// log::warn!("{} left", "1 KB");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Logger;

impl Logger {
    /// Makes it the program's logger, for all levels: each costs little while its event is off.
    pub fn install(self) -> Result<(), SetLoggerError> {
        log::set_logger(&Logger)?;
        log::set_max_level(log::LevelFilter::Trace);
        Ok(())
    }
}

impl Log for Logger {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        match metadata.level() {
            Level::Error => error::is_enabled() || wants_snapshots_of_log(),
            Level::Warn => warn::is_enabled(),
            Level::Info => info::is_enabled(),
            Level::Debug => debug::is_enabled(),
            Level::Trace => trace::is_enabled(),
        }
    }

    fn log(&self, record: &Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let mut text = Texts::new();
        // What has no space is cut off.
        let _ = text.write_fmt(*record.args());
        let (target, message, line) = (record.target(), text.get(0, text.end()), record.line().unwrap_or(0));
        match record.level() {
            Level::Error => {
                error(target, message, line);
                keep_record(target, message);
            }
            Level::Warn => warn(target, message, line),
            Level::Info => info(target, message, line),
            Level::Debug => debug(target, message, line),
            Level::Trace => trace(target, message, line),
        }
    }

    fn flush(&self) {}
}
