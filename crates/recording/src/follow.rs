//! Following a session: what is recorded is taken out a little later, and is ready to be shown.

use crate::Error;
use crate::addresses::Addresses;
use crate::drain::Drain;
use crate::moments::Moments;
use crate::obituary::Obituary;
use crate::recorded::Recorded;
use crate::tables::Tables;
use session::Session;
use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use trace_data::record::{OwnedRecord, Record};
use trace_data::symbols::SymbolTable;
use trace_data::text::Tasks;

/// How often the tables are looked at where nothing is recorded: threads that have ended are told of so late.
const IDLE_TABLES: Duration = Duration::from_millis(500);

/// How many readings of the clocks are kept.
const MOMENTS: usize = 60;

/// Takes out what is recorded, again and again. Who does so has the session's [`session::Lock::reader`].
#[derive(Debug)]
pub struct Follower<'a> {
    session: &'a Arc<Session>,
    directory: PathBuf,
    obituary: Obituary,
    tables: Tables,
    addresses: Addresses,
    moments: Moments,
    /// When the tables were looked at last, in the buffer's clock.
    seen: u64,
    tables_due: Instant,
    /// The only CPU that is followed, if it is one.
    cpu: Option<u32>,
    /// Events that others may still come before.
    later: Vec<OwnedRecord>,
}

/// Events in the order of time, and what is needed to show them.
#[derive(Debug)]
pub struct Batch {
    events: Vec<OwnedRecord>,
    /// Names for the addresses in them.
    pub symbols: SymbolTable,
    /// The names of threads.
    tasks: HashMap<i32, String>,
    /// Their processes.
    tgids: HashMap<i32, i32>,
}

impl Tasks for Batch {
    fn comm(&self, pid: i32) -> Option<&str> {
        self.tasks.comm(pid)
    }

    fn tgid(&self, pid: i32) -> Option<i32> {
        self.tgids.get(&pid).copied()
    }
}

impl Batch {
    /// The events. Times are in the session's clock.
    pub fn records(&self) -> impl Iterator<Item = Record<'_>> {
        self.events.iter().map(OwnedRecord::borrowed)
    }
}

impl<'a> Follower<'a> {
    /// Follows a session, or one of its CPUs: then events of writers without rseq are left where they are.
    /// What is on its way is in files without a name in `directory`.
    pub fn new(session: &'a Arc<Session>, cpu: Option<u32>, directory: &Path) -> Result<Follower<'a>, Error> {
        session.control().set_collected(0);
        // A second mapping: who writes has one of its own.
        let obituary = Obituary::new(session.again()?.into_buffer(), session);
        Ok(Follower {
            session,
            directory: directory.to_path_buf(),
            obituary,
            tables: Tables::default(),
            addresses: Addresses::new(),
            moments: Moments::since(session.control().identity().created),
            seen: 0,
            tables_due: Instant::now(),
            cpu,
            later: Vec::new(),
        })
    }

    /// The blocks that are followed.
    fn blocks(&self) -> Range<u32> {
        self.cpu.map_or(0..self.session.buffer().geometry().blocks(), |cpu| cpu..cpu + 1)
    }

    /// Takes what is there now; None when that is nothing. Does not wait.
    ///
    /// Buffers are emptied one after the other, so what is newer than the start of this call is given next
    /// time, when nothing older can come any more.
    pub fn take(&mut self) -> Result<Option<Batch>, Error> {
        self.keep_up();
        let buffer = self.session.buffer();
        if self.later.is_empty() && self.blocks().all(|block| buffer.is_block_empty(block)) {
            return Ok(None);
        }
        let start = buffer.now();
        let mut drain = Drain::new(self.session, &self.directory)?;
        drain
            .take(buffer, self.blocks())
            .map_err(|error| Error::Spool { directory: self.directory.clone(), error })?;
        self.tables.collect(self.session.control());
        let mut recorded = Recorded {
            session: self.session.clone(),
            events: drain.events,
            spools: drain.into_spools(),
            tables: std::mem::take(&mut self.tables),
            moments: self.moments.clone(),
            directory: self.directory.clone(),
            cut_short: None,
        };
        let mut events = std::mem::take(&mut self.later);
        let converted = recorded.convert(&mut self.addresses, |event| {
            events.push(event.to_owned());
            Ok(())
        });
        self.tables = recorded.tables;
        converted?;
        events.sort_by_key(|event| event.time);
        let until = self.session.timeline(self.moments.all()).time(start);
        self.later = events.split_off(events.partition_point(|event| event.time <= until));
        Ok(Some(self.batch(events)))
    }

    /// What is held back, at the end.
    pub fn rest(mut self) -> Batch {
        let events = std::mem::take(&mut self.later);
        self.batch(events)
    }

    fn batch(&self, events: Vec<OwnedRecord>) -> Batch {
        let tasks = self.tables.names(self.session.control().identity().creator).into_iter().collect();
        let tgids = self.tables.tgids().into_iter().collect();
        Batch { events, symbols: SymbolTable::parse(&self.addresses.symbols(), ""), tasks, tgids }
    }

    /// Looks at the tables and the clocks, if it is time.
    fn keep_up(&mut self) {
        let now = Instant::now();
        if now >= self.tables_due {
            let before = self.seen;
            self.seen = self.session.buffer().now();
            self.obituary.look(self.session);
            self.tables.collect(self.session.control());
            self.session.control().set_collected(self.seen);
            // What is held back is younger than the look before this one.
            self.tables.forget(self.session.buffer().oldest_time().min(before));
            self.moments.look();
            self.moments.forget(MOMENTS);
            self.tables_due = now + IDLE_TABLES;
        }
    }
}

impl Drop for Follower<'_> {
    fn drop(&mut self) {
        self.session.control().set_collected(u64::MAX);
    }
}
