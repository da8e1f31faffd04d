//! Who held a lock while others waited for it.
//!
//! Events of a wait are of the thread that waits. Who held the lock is known from the acquisitions and
//! releases of the same lock in the same process: its address is in the entry of each call. Where those
//! aren't recorded, the event that says who holds a lock that is waited for does.

mod role;

use foldhash::HashMap;
use role::{LockMode, LockRole};
use trace_data::gaps::Gaps;
use trace_data::info::TraceInfo;
use trace_data::record::Record;

/// Follows the locks of a trace. Takes memory for each lock that is held or waited for.
#[derive(Debug)]
pub struct LockWaits {
    gaps: Gaps,
    /// By event id.
    roles: HashMap<u16, LockRole>,
    /// The calls on locks that each thread is in, the innermost last.
    calls: HashMap<i32, Vec<LockCall>>,
    locks: HashMap<LockKey, LockState>,
    /// Who held the lock that a thread has begun to wait for, as the lock has said.
    said: HashMap<i32, i32>,
    /// Whether any lock has.
    says_holders: bool,
    /// Whether releases are recorded: without them, nobody is known to hold a lock still.
    knows_releases: bool,
}

/// Who held a lock while a thread waited for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LockHolder {
    /// The thread that held it for the longest time of the wait.
    pub tid: i32,
    /// How many other threads held it meanwhile.
    pub others: usize,
}

/// A lock: its process and its address.
type LockKey = (i32, u64);

/// A call that a thread is in.
#[derive(Debug)]
struct LockCall {
    id: u16,
    lock: LockKey,
    mode: LockMode,
    start: u64,
    /// Who has held the lock since, and for how long.
    holders: Vec<(i32, u64)>,
}

#[derive(Debug, Default)]
struct LockState {
    owners: Vec<LockOwner>,
    /// The threads that are in a call for it.
    waiting: Vec<i32>,
}

#[derive(Debug)]
struct LockOwner {
    tid: i32,
    since: u64,
    is_shared: bool,
    /// How often it has it.
    depth: u32,
}

/// What a lock whose owner has died is acquired with.
const EOWNERDEAD: i64 = 130;

impl LockWaits {
    /// Events are missing from `gaps`: what was held before one may have been released in it.
    pub fn new(gaps: Gaps) -> LockWaits {
        LockWaits {
            gaps,
            roles: HashMap::default(),
            calls: HashMap::default(),
            locks: HashMap::default(),
            said: HashMap::default(),
            says_holders: false,
            knows_releases: false,
        }
    }

    /// Looks at a record. All have to come, in the order of time. Of the end of a wait, who held the lock, if
    /// the trace has that.
    pub fn add(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Option<LockHolder> {
        let find =
            || trace.events.get(record.id()).map_or(LockRole::Other, |event| LockRole::of(event, trace));
        let (tid, time) = (record.pid(), record.time);
        let process = || trace.tasks.tgid(tid).unwrap_or(tid);
        match self.roles.entry(record.id()).or_insert_with(find) {
            LockRole::Want(address, mode) => {
                let lock = (process(), address.integer(record.payload)? as u64);
                let call = LockCall { id: record.id(), lock, mode: *mode, start: time, holders: Vec::new() };
                self.want(tid, call);
                None
            }
            LockRole::Return(id, result) => {
                let (id, result) = (*id, result.integer(record.payload)?);
                self.end(tid, id, time, matches!(result, 0 | EOWNERDEAD))
            }
            LockRole::Release(address) => {
                let lock = (process(), address.integer(record.payload)? as u64);
                self.knows_releases = true;
                self.release(lock, tid, time);
                None
            }
            LockRole::Holder(holder) => {
                self.says_holders = true;
                let holder = holder.integer(record.payload)? as i32;
                self.said.remove(&tid);
                if holder != 0 && holder != tid {
                    self.said.insert(tid, holder);
                }
                None
            }
            // The call that waits names it, too.
            LockRole::Waited => self.said.get(&tid).map(|holder| LockHolder { tid: *holder, others: 0 }),
            LockRole::Exec => {
                let process = process();
                self.locks.retain(|(other, _), _| *other != process);
                self.calls.remove(&tid);
                None
            }
            LockRole::Other => None,
        }
    }

    /// Who holds the lock that a thread waits for at `time`, in the call whose entry has this id.
    pub fn unfinished(&mut self, tid: i32, id: u16, time: u64) -> Option<LockHolder> {
        let calls = self.calls.get_mut(&tid)?;
        let call = calls.pop_if(|call| call.id == id && call.mode != LockMode::Again)?;
        self.holder(tid, call, time, false)
    }

    /// Whether the trace has waits for locks, but no releases: nobody is known to hold one.
    pub fn lack_releases(&self) -> bool {
        !self.knows_releases
            && !self.says_holders
            && self.roles.values().any(|role| matches!(role, LockRole::Return(..)))
    }

    fn want(&mut self, tid: i32, call: LockCall) {
        self.said.remove(&tid);
        if call.mode == LockMode::Again {
            self.release(call.lock, tid, call.start);
        } else {
            self.locks.entry(call.lock).or_default().waiting.push(tid);
        }
        self.calls.entry(tid).or_default().push(call);
    }

    fn end(&mut self, tid: i32, id: u16, time: u64, has_it: bool) -> Option<LockHolder> {
        let calls = self.calls.get_mut(&tid)?;
        let place = calls.iter().rposition(|call| call.id == id)?;
        // Those in it were left by a jump.
        let left = calls.split_off(place + 1);
        let call = calls.pop()?;
        left.iter().for_each(|call| self.forget_wait(call.lock, tid));
        let (lock, mode) = (call.lock, call.mode);
        let is_again = mode == LockMode::Again;
        let holder = if is_again { None } else { self.holder(tid, call, time, has_it) };
        // A condition's mutex is acquired again, whatever has ended the wait.
        if has_it || is_again {
            self.acquire(lock, tid, time, mode == LockMode::Shared);
        }
        holder
    }

    /// Ends a wait.
    fn holder(&mut self, tid: i32, mut call: LockCall, time: u64, has_it: bool) -> Option<LockHolder> {
        self.forget_wait(call.lock, tid);
        if let Some(lock) = self.locks.get(&call.lock).filter(|_| self.knows_releases) {
            // Others that hold it shared don't keep out one who has it shared now.
            let keeps_out =
                |owner: &&LockOwner| !(has_it && call.mode == LockMode::Shared && owner.is_shared);
            let owners: Vec<&LockOwner> = lock.owners.iter().filter(keeps_out).collect();
            owners.iter().for_each(|owner| call.was_held(owner, tid, time, &self.gaps));
        }
        let is_certain = !self.gaps.lie_between(call.start, time);
        let said = self.said.remove(&tid).map(|holder| LockHolder { tid: holder, others: 0 });
        let longest = call.holders.iter().max_by_key(|(_, length)| *length).filter(|_| is_certain);
        longest.map(|(tid, _)| LockHolder { tid: *tid, others: call.holders.len() - 1 }).or(said)
    }

    fn forget_wait(&mut self, key: LockKey, tid: i32) {
        let Some(lock) = self.locks.get_mut(&key) else { return };
        lock.waiting.retain(|waiting| *waiting != tid);
        if lock.waiting.is_empty() && lock.owners.is_empty() {
            self.locks.remove(&key);
        }
    }

    fn acquire(&mut self, key: LockKey, tid: i32, time: u64, is_shared: bool) {
        let owners = &mut self.locks.entry(key).or_default().owners;
        // Nobody else has it still, whose release the trace may lack.
        owners.retain(|owner| owner.tid == tid || (is_shared && owner.is_shared));
        match owners.iter_mut().find(|owner| owner.tid == tid) {
            Some(owner) => owner.depth += 1,
            None => owners.push(LockOwner { tid, since: time, is_shared, depth: 1 }),
        }
    }

    fn release(&mut self, key: LockKey, tid: i32, time: u64) {
        let Some(lock) = self.locks.get_mut(&key) else { return };
        let Some(place) = lock.owners.iter().position(|owner| owner.tid == tid) else { return };
        lock.owners[place].depth -= 1;
        if lock.owners[place].depth > 0 {
            return;
        }
        let owner = lock.owners.swap_remove(place);
        for waiting in &lock.waiting {
            let calls = self.calls.get_mut(waiting).map_or(&mut [][..], Vec::as_mut_slice);
            let call = calls.iter_mut().rfind(|call| call.lock == key);
            call.into_iter().for_each(|call| call.was_held(&owner, *waiting, time, &self.gaps));
        }
        if lock.waiting.is_empty() && lock.owners.is_empty() {
            self.locks.remove(&key);
        }
    }
}

impl LockCall {
    /// The thread `tid` has waited for what `owner` has held up to `time`.
    fn was_held(&mut self, owner: &LockOwner, tid: i32, time: u64, gaps: &Gaps) {
        let length = time.saturating_sub(owner.since.max(self.start));
        if owner.tid == tid || length == 0 || gaps.lie_between(owner.since, time) {
            return;
        }
        match self.holders.iter_mut().find(|(holder, _)| *holder == owner.tid) {
            Some((_, known)) => *known += length,
            None => self.holders.push((owner.tid, length)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_event::test_event;
    use trace_data::dat::Metadata;
    use trace_data::event::EventTable;
    use trace_data::page::Missed;
    use trace_data::threads::ThreadTable;

    const LOCK: u16 = 1;
    const LOCKED: u16 = 2;
    const UNLOCK: u16 = 3;
    const HOLDER: u16 = 4;
    const WAITED: u16 = 5;

    fn table() -> EventTable {
        let event = |system: &str, name: &str, id: u16, field: &str| {
            test_event(system, name, id, &format!("\tfield:long {field};\toffset:8;\tsize:8;\tsigned:1;\n"))
        };
        [
            event("libc", "pthread_mutex_lock", LOCK, "mutex"),
            event("libc", "pthread_mutex_lock_exit", LOCKED, "ret"),
            event("libc", "pthread_mutex_unlock", UNLOCK, "mutex"),
            event("lookback", "contention_holder", HOLDER, "holder"),
            event("lock", "contention_end", WAITED, "ret"),
        ]
        .into_iter()
        .collect()
    }

    /// Who was named at the end of each wait of thread 2, which has the process 1, as 3 and 4 have. Records
    /// are of a time, a thread, an event and its field.
    fn holders(gaps: &[(u64, u64)], records: &[(u64, i32, u16, i64)]) -> Vec<Option<(i32, usize)>> {
        let (events, metadata) = (table(), Metadata::new(4096));
        let tasks = ThreadTable::new(Vec::new(), vec![(2, 1), (3, 1), (4, 1)]);
        let trace = TraceInfo {
            metadata: &metadata,
            events: &events,
            tasks: &tasks,
            symbols: &(),
            nanoseconds: true,
        };
        let mut locks = LockWaits::new(Gaps::new(gaps.to_vec()));
        let mut named = Vec::new();
        for (time, tid, id, field) in records {
            let mut payload = abi::common::word(*id, 0, 0, *tid).to_le_bytes().to_vec();
            payload.extend(field.to_le_bytes());
            let record = Record { cpu: 0, time: *time, payload: &payload, lost: Missed::None };
            let holder = locks.add(&record, &trace);
            if *tid == 2 && [LOCKED, WAITED].contains(id) {
                named.push(holder.map(|holder| (holder.tid, holder.others)));
            }
        }
        named
    }

    #[test]
    fn who_held_it_longest_is_named() {
        let first = [(10, 3, LOCK, 7), (11, 3, LOCKED, 0), (20, 2, LOCK, 7), (25, 4, LOCK, 7)];
        let then = [(30, 3, UNLOCK, 7), (31, 4, LOCKED, 0), (90, 4, UNLOCK, 7), (91, 2, LOCKED, 0)];
        let records = [first, then].concat();
        assert_eq!(holders(&[], &records), [Some((4, 1))]);
        // Events are missing between the acquisition and the release.
        assert_eq!(holders(&[(12, 19)], &records), [Some((4, 0))]);
        assert_eq!(holders(&[(40, 50)], &records), [None]);
    }

    #[test]
    fn other_locks_and_other_processes_are_not_meant() {
        let held = |tid: i32, address: i64| {
            let mut records = vec![(5, 2, LOCK, 9), (6, 2, LOCKED, 0), (7, 2, UNLOCK, 9)];
            records.extend([(10, tid, LOCK, address), (11, tid, LOCKED, 0), (20, 2, LOCK, 7)]);
            records.extend([(90, tid, UNLOCK, address), (91, 2, LOCKED, 0)]);
            holders(&[], &records)
        };
        assert_eq!(held(3, 7), [None, Some((3, 0))]);
        assert_eq!((held(3, 8), held(5, 7)), (vec![None, None], vec![None, None]));
        // It was not acquired: the lock's owner had died, or the call has failed.
        let failed = |result: i64| {
            let start = [(10, 3, LOCK, 7), (11, 3, LOCKED, result), (12, 4, LOCK, 9), (13, 4, UNLOCK, 9)];
            holders(&[], &[&start[..], &[(20, 2, LOCK, 7), (90, 2, LOCKED, 0)]].concat())
        };
        assert_eq!((failed(130), failed(35)), (vec![Some((3, 0))], vec![None]));
    }

    #[test]
    fn the_lock_says_who_held_it_where_nothing_else_does() {
        let waits = [(20, 2, HOLDER, 3), (30, 2, WAITED, 0)];
        assert_eq!(holders(&[], &waits), [Some((3, 0))]);
        let call = [&[(10, 2, LOCK, 7)], &waits[..], &[(31, 2, LOCKED, 0)]].concat();
        assert_eq!(holders(&[], &call), [Some((3, 0)); 2]);
        // Of one wait it says nothing about the next.
        let next = [&call[..], &[(40, 2, LOCK, 7), (41, 2, LOCKED, 0)]].concat();
        assert_eq!(holders(&[], &next), [Some((3, 0)), Some((3, 0)), None]);
        let unknown = [&waits[..], &[(40, 2, HOLDER, 0), (50, 2, WAITED, 0)]].concat();
        assert_eq!(holders(&[], &unknown), [Some((3, 0)), None]);
        let itself = [(20, 2, HOLDER, 2), (30, 2, WAITED, 35), (40, 2, HOLDER, 0), (50, 2, WAITED, 0)];
        assert_eq!(holders(&[], &itself), [None, None]);
    }
}
