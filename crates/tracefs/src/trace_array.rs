//! An instance as control files have it: with what reads it, marks it, and knows its events.
//!
//! The kernel's `struct trace_array`.

use crate::catalog::Catalog;
use crate::errno::errno;
use reading::{Contents, Formats, Reader};
use rustix::io::Errno;
use session::{Instance, Marker};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use trace_data::event::EventTable;

/// The longest name of an entry.
const LONGEST_NAME: usize = 255;

/// What the top level's own array is known as: no instance has this name.
const OWN: &str = "";

/// An instance that is open. A clone is the same one.
#[derive(Clone)]
pub(crate) struct TraceArray {
    state: Arc<ArrayState>,
    is_top: bool,
}

struct ArrayState {
    instance: Arc<Instance>,
    reader: Mutex<Reader>,
    marker: OnceLock<Marker>,
    catalog: Mutex<Arc<Catalog>>,
    /// Shared by all instances of a session.
    formats: Arc<Mutex<Formats>>,
    /// Those that somebody has looked at, by their names.
    instances: Mutex<HashMap<String, TraceArray>>,
    /// How many files are open that stop recording.
    pauses: Mutex<u32>,
}

impl TraceArray {
    /// That of an instance: at the top level of the tree, which has the files that exist once for all
    /// instances, or not.
    pub(crate) fn new(instance: Instance, is_top: bool) -> TraceArray {
        TraceArray::with(instance, is_top, Arc::default())
    }

    fn with(instance: Instance, is_top: bool, formats: Arc<Mutex<Formats>>) -> TraceArray {
        let instance = Arc::new(instance);
        let state = ArrayState {
            reader: Mutex::new(Reader::new(instance.clone())),
            instance,
            marker: OnceLock::new(),
            catalog: Mutex::default(),
            formats,
            instances: Mutex::default(),
            pauses: Mutex::default(),
        };
        TraceArray { state: Arc::new(state), is_top }
    }

    /// This array, for files outside of tracefs: the top level is nothing to them.
    pub(crate) fn outside_tracefs(&self) -> TraceArray {
        TraceArray { is_top: false, ..self.clone() }
    }

    /// The instance.
    pub(crate) fn instance(&self) -> &Instance {
        &self.state.instance
    }

    /// The instance, for a file that keeps it.
    pub(crate) fn shared_instance(&self) -> Arc<Instance> {
        self.state.instance.clone()
    }

    /// Whether it is the top level's: with the files that exist once for all instances.
    pub(crate) fn is_top(&self) -> bool {
        self.is_top
    }

    /// The instance of this name, of the same session: one array as long as the instance is the same one.
    pub(crate) fn named(&self, name: &str) -> Option<TraceArray> {
        if !self.is_top() {
            return None;
        }
        let mut known = self.known_instances();
        if let Some(array) = known.get(name).filter(|array| array.instance().is_named(name)) {
            return Some(array.clone());
        }
        // One that is gone takes addresses, and nobody asks for its name any more.
        known.retain(|_, array| array.instance().is_there());
        let instance = self.instance().session().open_named(name).ok()?;
        let array = TraceArray::with(instance, false, self.state.formats.clone());
        known.insert(name.to_string(), array.clone());
        Some(array)
    }

    /// The array that the top level shows.
    pub(crate) fn shown_at_top(&self) -> TraceArray {
        if !self.instance().session().has_top() {
            return self.clone();
        }
        self.own_top().unwrap_or_else(|_| self.clone())
    }

    /// The top level's own array, for which there is an instance from now on. The recording's in a session
    /// without space for instances.
    pub(crate) fn own_top(&self) -> Result<TraceArray, Errno> {
        let mut known = self.known_instances();
        if let Some(own) = known.get(OWN) {
            return Ok(own.clone());
        }
        let Some(instance) = self.instance().session().make_top().map_err(errno)? else {
            return Ok(self.clone());
        };
        let own = TraceArray::with(instance, true, self.state.formats.clone());
        known.insert(OWN.to_string(), own.clone());
        Ok(own)
    }

    /// Those that somebody has looked at.
    pub(crate) fn known_instances(&self) -> MutexGuard<'_, HashMap<String, TraceArray>> {
        lock(&self.state.instances)
    }

    /// Makes an instance of this name: EEXIST, ENOMEM, ENAMETOOLONG, or EINVAL for what can't be a name.
    pub(crate) fn create(&self, name: &str) -> Result<(), Errno> {
        if name == ".." {
            return Err(Errno::EXIST);
        }
        check_len(name)?;
        self.instance().session().create_instance(name).map(drop).map_err(errno)
    }

    /// Removes the instance of this name: ENOENT, ENAMETOOLONG, or EBUSY.
    pub(crate) fn remove(&self, name: &str) -> Result<(), Errno> {
        check_len(name)?;
        self.instance().session().remove_instance(name).map_err(errno)
    }

    /// ENODEV once the instance has been removed: for files that don't keep it.
    pub(crate) fn still_there(&self) -> Result<(), Errno> {
        if self.instance().is_there() { Ok(()) } else { Err(Errno::NODEV) }
    }

    /// How many files are open that stop recording.
    pub(crate) fn pauses(&self) -> MutexGuard<'_, u32> {
        lock(&self.state.pauses)
    }

    /// The reader of its events. Nobody keeps it for long.
    pub(crate) fn reader(&self) -> MutexGuard<'_, Reader> {
        lock(&self.state.reader)
    }

    /// Reads the buffers, or the newest snapshot: None if none exists, EBUSY while a latency tracer has that
    /// for itself. It is not dropped meanwhile.
    pub(crate) fn read<R>(
        &self,
        is_snapshot: bool,
        read: impl FnOnce(&mut Reader, Contents<'_>) -> R,
    ) -> Result<Option<R>, Errno> {
        if !is_snapshot {
            return Ok(Some(read(&mut self.reader(), Contents::Live)));
        }
        self.check_snapshots()?;
        let Some(newest) = self.instance().snapshots().pop() else { return Ok(None) };
        let holder = self.instance().holder().map_err(errno)?;
        Ok(holder.hold(newest).map(|held| read(&mut self.reader(), Contents::Snapshot(&held))))
    }

    /// EBUSY while a latency tracer is current, which has the newest snapshot for itself.
    pub(crate) fn check_snapshots(&self) -> Result<(), Errno> {
        if self.instance().tracer().measures_latency() { Err(Errno::BUSY) } else { Ok(()) }
    }

    /// The names of the events.
    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        let mut catalog = lock(&self.state.catalog);
        Catalog::update(&mut catalog, self.instance());
        catalog.clone()
    }

    /// The events, ready to be printed.
    pub(crate) fn formats(&self) -> Arc<EventTable> {
        lock(&self.state.formats).of(self.instance())
    }

    /// The writer of markers; made when it is needed first.
    pub(crate) fn marker(&self) -> Result<&Marker, Errno> {
        if let Some(marker) = self.state.marker.get() {
            return Ok(marker);
        }
        let made = Marker::new(self.state.instance.clone()).map_err(errno)?;
        Ok(self.state.marker.get_or_init(|| made))
    }
}

/// ENAMETOOLONG for what no entry can have for a name.
pub(crate) fn check_len(name: &str) -> Result<(), Errno> {
    if name.len() > LONGEST_NAME { Err(Errno::NAMETOOLONG) } else { Ok(()) }
}

/// Locks. Nothing is half done after a panic of another thread: counts, tables, and a queue of events.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
