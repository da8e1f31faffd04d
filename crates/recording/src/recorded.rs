//! What was taken out of a session, or copied.

use crate::Error;
use crate::drain::Drain;
use crate::moments::Moments;
use crate::spool::Spool;
use crate::tables::Tables;
use ring_buffer::Held;
use session::Session;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What was taken out of a session, or copied.
#[derive(Debug)]
pub struct Recorded {
    pub(crate) session: Arc<Session>,
    pub(crate) spools: Vec<Spool>,
    pub(crate) tables: Tables,
    pub(crate) moments: Moments,
    pub(crate) events: u64,
    pub(crate) directory: PathBuf,
    /// Why it ends before the session does.
    pub(crate) cut_short: Option<session::Error>,
}

impl Recorded {
    /// Copies what the session's buffers hold now, by way of files without a name in `directory`. Recording
    /// goes on, and everything stays where it is.
    pub fn copy(session: &Arc<Session>, directory: &Path) -> Result<Recorded, Error> {
        Recorded::copied(session, directory, |drain| drain.copy(session.buffer()))
    }

    /// Copies a snapshot in the same way. It stays as it is.
    pub fn copy_snapshot(
        session: &Arc<Session>,
        snapshot: &Held<'_>,
        directory: &Path,
    ) -> Result<Recorded, Error> {
        Recorded::copied(session, directory, |drain| drain.copy_snapshot(snapshot))
    }

    fn copied(
        session: &Arc<Session>,
        directory: &Path,
        copy: impl FnOnce(&mut Drain) -> std::io::Result<()>,
    ) -> Result<Recorded, Error> {
        let mut drain = Drain::new(session, directory)?;
        // Before, for what is forgotten meanwhile; and behind, for who comes meanwhile.
        let mut tables = Tables::default();
        tables.collect(session.control());
        copy(&mut drain).map_err(|error| Error::Spool { directory: directory.to_path_buf(), error })?;
        tables.collect(session.control());
        let moments = Moments::since(session.control().identity().created);
        let (session, directory) = (session.clone(), directory.to_path_buf());
        let events = drain.events;
        Ok(Recorded {
            session,
            spools: drain.into_spools(),
            tables,
            moments,
            events,
            directory,
            cut_short: None,
        })
    }

    /// Why it has nothing of what came later, if that is so: what was taken until then is there.
    pub fn cut_short(&self) -> Option<&session::Error> {
        self.cut_short.as_ref()
    }

    /// How many processes took part.
    pub fn processes(&self) -> usize {
        self.tables.process_count()
    }

    /// How many of them had not ended.
    pub fn running(&self) -> usize {
        self.tables.running()
    }
}
