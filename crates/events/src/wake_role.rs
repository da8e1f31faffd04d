//! Which calls wait for other threads, and which wake them: what the latency tracer `wakeup` looks at.

use crate::Call;

/// What a call has to do with threads that wait. What it is about is its first argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WakeRole {
    /// It waits for a lock.
    AwaitsLock,
    /// It frees a lock.
    FreesLock,
    /// It frees a mutex, its second argument, waits for a condition, and for the mutex again.
    AwaitsCondition,
    /// It wakes one that waits for a condition.
    Signals,
    /// It wakes all that wait for a condition.
    Broadcasts,
    /// It waits for a semaphore, or takes it if it needn't wait.
    AwaitsSemaphore,
    /// It wakes one that waits for a semaphore.
    Posts,
    /// It waits for data in a descriptor, and returns how much it has read.
    Reads,
    /// It waits for an eventfd.
    ReadsEvent,
    /// It waits for a message: its flags are the third, fourth or fifth argument.
    Receives,
    /// It waits for any of an array of descriptors.
    Polls,
    /// It waits for any of three sets of descriptors.
    Selects,
    /// It waits for what is in an epoll instance.
    AwaitsEpoll,
    /// It writes data into a descriptor, and returns how much.
    Writes,
    /// It writes to an eventfd.
    WritesEvent,
}

const ROLES: &[(Call, WakeRole)] = &[
    (Call::pthread_mutex_lock, WakeRole::AwaitsLock),
    (Call::pthread_mutex_timedlock, WakeRole::AwaitsLock),
    (Call::pthread_mutex_clocklock, WakeRole::AwaitsLock),
    (Call::pthread_mutex_unlock, WakeRole::FreesLock),
    (Call::pthread_rwlock_rdlock, WakeRole::AwaitsLock),
    (Call::pthread_rwlock_wrlock, WakeRole::AwaitsLock),
    (Call::pthread_rwlock_timedrdlock, WakeRole::AwaitsLock),
    (Call::pthread_rwlock_timedwrlock, WakeRole::AwaitsLock),
    (Call::pthread_rwlock_clockrdlock, WakeRole::AwaitsLock),
    (Call::pthread_rwlock_clockwrlock, WakeRole::AwaitsLock),
    (Call::pthread_rwlock_unlock, WakeRole::FreesLock),
    (Call::pthread_cond_wait, WakeRole::AwaitsCondition),
    (Call::pthread_cond_timedwait, WakeRole::AwaitsCondition),
    (Call::pthread_cond_clockwait, WakeRole::AwaitsCondition),
    (Call::pthread_cond_signal, WakeRole::Signals),
    (Call::pthread_cond_broadcast, WakeRole::Broadcasts),
    (Call::sem_wait, WakeRole::AwaitsSemaphore),
    (Call::sem_trywait, WakeRole::AwaitsSemaphore),
    (Call::sem_timedwait, WakeRole::AwaitsSemaphore),
    (Call::sem_clockwait, WakeRole::AwaitsSemaphore),
    (Call::sem_post, WakeRole::Posts),
    (Call::read, WakeRole::Reads),
    (Call::readv, WakeRole::Reads),
    (Call::eventfd_read, WakeRole::ReadsEvent),
    (Call::recv, WakeRole::Receives),
    (Call::recvfrom, WakeRole::Receives),
    (Call::recvmsg, WakeRole::Receives),
    (Call::poll, WakeRole::Polls),
    (Call::ppoll, WakeRole::Polls),
    (Call::select, WakeRole::Selects),
    (Call::pselect, WakeRole::Selects),
    (Call::epoll_wait, WakeRole::AwaitsEpoll),
    (Call::epoll_pwait, WakeRole::AwaitsEpoll),
    (Call::epoll_pwait2, WakeRole::AwaitsEpoll),
    (Call::write, WakeRole::Writes),
    (Call::writev, WakeRole::Writes),
    (Call::send, WakeRole::Writes),
    (Call::sendto, WakeRole::Writes),
    (Call::sendmsg, WakeRole::Writes),
    (Call::sendmmsg, WakeRole::Writes),
    (Call::eventfd_write, WakeRole::WritesEvent),
];

impl WakeRole {
    /// That of a call, if it has one.
    pub const fn of(call: Call) -> Option<WakeRole> {
        let mut at = 0;
        while at < ROLES.len() {
            if ROLES[at].0 as u16 == call as u16 {
                return Some(ROLES[at].1);
            }
            at += 1;
        }
        None
    }

    /// The events at the entries of all calls that have one.
    pub fn watched() -> impl Iterator<Item = u16> {
        ROLES.iter().map(|(call, _)| call.entry())
    }
}
