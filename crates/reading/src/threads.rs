//! The threads of a session, for those who show records.

use trace_data::text::Tasks;

/// A thread that a session knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thread {
    /// Its TID.
    pub tid: i32,
    /// Its name.
    pub name: String,
    /// Its process.
    pub process: i32,
}

/// The threads that a session knows, each as it was last, in the order of their TIDs.
#[derive(Debug, Default)]
pub struct SessionThreads(pub(crate) Vec<Thread>);

impl SessionThreads {
    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Thread> {
        self.0.iter()
    }

    fn get(&self, tid: i32) -> Option<&Thread> {
        let place = self.0.binary_search_by_key(&tid, |thread| thread.tid).ok()?;
        self.0.get(place)
    }
}

impl Tasks for SessionThreads {
    fn comm(&self, pid: i32) -> Option<&str> {
        self.get(pid).map(|thread| thread.name.as_str())
    }

    fn tgid(&self, pid: i32) -> Option<i32> {
        self.get(pid).map(|thread| thread.process)
    }
}
