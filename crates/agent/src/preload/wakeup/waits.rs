//! Calls that wait for data in descriptors.
//!
//! What a call waits for is said before the kernel is asked whether it is there already: who writes after
//! that finds it.
//!
//! # Safety
//!
//! As for hooks, see `lock.rs`.

use super::kernel::{is_readable, never_waits, ready_now};
use super::{epoll_set, frame_address, source};
use crate::preload::memory::readable::readable;
use crate::preload::section::by_call;
use crate::preload::wrapper::frame::CallFrame;
use core::mem::size_of;
use core::ptr::{with_exposed_provenance, with_exposed_provenance_mut};
use events::WakeRole;
use trace_event::{BegunWaits, DataWait, MOST_DESCRIPTORS, call_time, end_data_wait};

/// The most descriptors of an `fd_set`.
const MOST_IN_SET: u64 = 1024;

/// What a call waits for that is about to be made, if it has to wait.
pub(super) unsafe fn begin(frame: &CallFrame, role: WakeRole) -> BegunWaits {
    let fd = frame.arguments[0] as i32;
    // SAFETY: the caller's promise.
    let begun = unsafe {
        match role {
            WakeRole::Reads | WakeRole::ReadsEvent => await_one(frame, fd),
            WakeRole::Receives if waits_for_any(frame) => await_one(frame, fd),
            WakeRole::Polls if !is_at_once(frame, 2) => await_polled(frame),
            WakeRole::Selects if !is_at_once(frame, 4) => await_selected(frame),
            WakeRole::AwaitsEpoll if !is_at_once(frame, 3) => await_registered(frame, fd),
            _ => None,
        }
    };
    begun.map_or(BegunWaits::NONE, DataWait::waits)
}

/// Whether a call that receives waits for anything at all, and for nothing more than that.
fn waits_for_any(frame: &CallFrame) -> bool {
    let place = match (frame.wrapped.is_called(c"recvmsg"), frame.wrapped.is_checked()) {
        (true, _) => 2,
        (_, false) => 3,
        (_, true) => 4,
    };
    let flags = frame.arguments.get(place).map_or(0, |flags| *flags as i32);
    flags & (libc::MSG_DONTWAIT | libc::MSG_WAITALL | libc::MSG_OOB | libc::MSG_ERRQUEUE) == 0
}

/// Whether a call returns at once, ready or not, by its time to wait: milliseconds, or what that argument
/// points to.
fn is_at_once(frame: &CallFrame, place: usize) -> bool {
    let Some(argument) = frame.arguments.get(place).copied() else { return true };
    let is_number = [c"poll", c"__poll_chk", c"epoll_wait", c"epoll_pwait"]
        .into_iter()
        .any(|name| frame.wrapped.is_called(name));
    if is_number {
        return argument as i32 == 0;
    }
    let time = with_exposed_provenance::<[u64; 2]>(argument as usize);
    let is_there = || readable(time.cast(), size_of::<[u64; 2]>()) == size_of::<[u64; 2]>();
    // SAFETY: it can be read.
    let may_wait = time.is_null() || is_there() && unsafe { time.read_unaligned() } != [0, 0];
    !may_wait
}

fn begun(frame: &CallFrame) -> Option<DataWait> {
    DataWait::begin(frame_address(frame), call_time())
}

/// What it waits for, unless that is there by now.
fn unless(is_ready: bool, wait: DataWait) -> Option<DataWait> {
    if is_ready || wait.is_empty() {
        wait.cancel();
        return None;
    }
    Some(wait)
}

fn await_one(frame: &CallFrame, fd: i32) -> Option<DataWait> {
    let source = source::awaited(fd)?;
    if never_waits(fd) || is_readable(fd) {
        return None;
    }
    let mut wait = begun(frame)?;
    wait.add(Some(source), 0);
    unless(is_readable(fd), wait)
}

unsafe fn await_polled(frame: &CallFrame) -> Option<DataWait> {
    let [fds, count, ..] = frame.arguments;
    let fds = with_exposed_provenance_mut::<libc::pollfd>(fds as usize);
    // The kernel has the number in a register's half.
    let count = u64::from(count as u32);
    // SAFETY: the kernel is about to store there what is ready. That is nothing, or will be again.
    let found_ready = || unsafe { ready_now(fds, count) };
    let is_any_ready = || found_ready() != Some(0);
    if count > MOST_DESCRIPTORS as u64 || is_any_ready() {
        return None;
    }
    let mut wait = begun(frame)?;
    for place in 0..count {
        // SAFETY: the kernel has just read them.
        let asked = unsafe { fds.add(place as usize).read_unaligned() };
        let is_read = asked.fd >= 0 && asked.events & (libc::POLLIN | libc::POLLRDNORM) != 0;
        if let Some(source) = is_read.then(|| source::awaited(asked.fd)).flatten() {
            wait.add(Some(source), place);
        }
    }
    unless(is_any_ready(), wait)
}

fn await_selected(frame: &CallFrame) -> Option<DataWait> {
    let [count, read, ..] = frame.arguments;
    let wanted = || Set::new(count, read);
    let are_any_ready = || wanted().is_some_and(|mut set| set.any(is_readable));
    if wanted()?.count() > MOST_DESCRIPTORS || are_any_ready() {
        return None;
    }
    let mut wait = begun(frame)?;
    for fd in wanted()? {
        if let Some(source) = source::awaited(fd) {
            wait.add(Some(source), fd as u64);
        }
    }
    unless(are_any_ready(), wait)
}

fn await_registered(frame: &CallFrame, epoll: i32) -> Option<DataWait> {
    if is_readable(epoll) {
        return None;
    }
    let mut wait = begun(frame)?;
    let are_all_known = epoll_set::add_all(epoll, &mut wait).is_some();
    unless(!are_all_known || is_readable(epoll), wait)
}

/// Measures how long that took since the data came.
///
/// # Safety
///
/// The frame of such a call, which has returned.
pub(super) unsafe fn end(frame: &CallFrame, role: WakeRole) {
    let [first, second, ..] = frame.arguments;
    // SAFETY: the caller's promise.
    let end = |ready: &mut dyn Iterator<Item = Option<u64>>| unsafe {
        end_data_wait(frame.waits, frame_address(frame), by_call(frame, 0), ready);
    };
    // No call reads more at once.
    let count = frame.result as i32;
    // SAFETY: what a call has stored that has succeeded.
    unsafe {
        match role {
            WakeRole::Reads | WakeRole::Receives if count > 0 => end(&mut [Some(0)].into_iter()),
            WakeRole::ReadsEvent if count == 0 => end(&mut [Some(0)].into_iter()),
            WakeRole::Polls if count > 0 => end(&mut polled(first, second)),
            WakeRole::Selects if count > 0 => {
                let read = Set::new(first, second).map_or(0, Iterator::count);
                let others = (read != count as usize).then_some(None);
                let found = Set::new(first, second).into_iter().flatten().map(|fd| Some(fd as u64));
                end(&mut others.into_iter().chain(found));
            }
            WakeRole::AwaitsEpoll if count > 0 => end(&mut registered(second, count)),
            _ => end(&mut [].into_iter()),
        }
    }
}

/// The places of those that poll(2) has found ready; none of what there isn't data in.
unsafe fn polled(fds: u64, count: u64) -> impl Iterator<Item = Option<u64>> {
    let fds = with_exposed_provenance::<libc::pollfd>(fds as usize);
    let others = !(libc::POLLIN | libc::POLLRDNORM | libc::POLLHUP | libc::POLLRDHUP);
    (0..u64::from(count as u32)).filter_map(move |place| {
        // SAFETY: the kernel has stored there what is ready.
        let found = unsafe { fds.add(place as usize).read_unaligned() }.revents;
        let is_data = found & (libc::POLLIN | libc::POLLRDNORM) != 0 && found & others == 0;
        (found != 0).then_some(is_data.then_some(place))
    })
}

/// What those are known by that epoll_wait(2) has found ready; none of what there isn't data in.
unsafe fn registered(events: u64, count: i32) -> impl Iterator<Item = Option<u64>> {
    let events = with_exposed_provenance::<libc::epoll_event>(events as usize);
    let others = !(libc::EPOLLIN | libc::EPOLLRDNORM | libc::EPOLLHUP | libc::EPOLLRDHUP);
    (0..count.unsigned_abs()).map(move |place| {
        // SAFETY: the kernel has stored it.
        let found = unsafe { events.add(place as usize).read_unaligned() };
        let (events, data) = (found.events as i32, found.u64);
        (events & libc::EPOLLIN != 0 && events & others == 0).then_some(data)
    })
}

/// The descriptors of an `fd_set`, as far as it can be read.
struct Set {
    words: *const u64,
    next: u64,
    count: u64,
}

impl Set {
    /// Of so many descriptors, by select's first argument.
    fn new(count: u64, set: u64) -> Option<Set> {
        let count = u64::from((count as i32).max(0).unsigned_abs());
        let words = with_exposed_provenance::<u64>(set as usize);
        let bytes = count.div_ceil(64) as usize * 8;
        let is_there = count <= MOST_IN_SET && !words.is_null() && readable(words.cast(), bytes) == bytes;
        is_there.then_some(Set { words, next: 0, count })
    }
}

impl Iterator for Set {
    type Item = i32;

    fn next(&mut self) -> Option<i32> {
        while self.next < self.count {
            let fd = self.next;
            self.next += 1;
            // SAFETY: it was found to be readable.
            let word = unsafe { self.words.add(fd as usize / 64).read_unaligned() };
            if word >> (fd % 64) & 1 != 0 {
                return Some(fd as i32);
            }
        }
        None
    }
}
