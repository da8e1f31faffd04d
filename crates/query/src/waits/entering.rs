//! The beginning of calls that can block, or that wake others.

use super::thread_calls::WaitingCall;
use super::wait_role::CallEffect;
use super::wakers::WakeKey;
use super::{WaitKind, WaitObject, Waits};
use std::rc::Rc;
use trace_data::info::TraceInfo;
use trace_data::record::Record;

impl Waits {
    /// A thread enters a call.
    pub(super) fn enter(
        &mut self,
        record: &Record<'_>,
        role: &CallEffect,
        is_chosen: bool,
        trace: &TraceInfo<'_>,
    ) {
        let tid = record.pid();
        let process = trace.tasks.tgid(tid).unwrap_or(tid);
        let channel = || {
            let channel = |field| self.descriptors.channel(field, record, trace);
            channel("fd").or_else(|| channel("sockfd"))
        };
        let mut call = WaitingCall {
            id: record.id(),
            start: record.time,
            off: self.runs.so_far(tid, record.time),
            is_chosen,
            object: None,
            wait: None,
            wake: None,
            joined: None,
            joined_thread: None,
            contended: None,
        };
        if let Some((kind, field)) = &role.wait {
            let number = field.as_ref().and_then(|field| field.integer(record.payload));
            let number = number.map(|number| number as u64);
            let mut name = None;
            match kind {
                WaitKind::Condition | WaitKind::Barrier | WaitKind::Semaphore => {
                    call.wait = number.map(|address| WakeKey::Object(process, *kind, address));
                }
                WaitKind::Descriptor => {
                    let channel = channel();
                    call.wait = channel.map(|channel| WakeKey::Channel(channel, role.reads));
                    let names = self.descriptors.names(record, trace);
                    let named = field.as_ref().map(|field| field.name.as_str());
                    name = names.into_iter().find(|(field, _)| Some(*field) == named).map(|(_, name)| name);
                    name = name.or_else(|| channel.map(|channel| channel.name().into()));
                }
                WaitKind::Thread => {
                    call.joined = number.map(|handle| (process, handle));
                    call.joined_thread = self.joined(&call);
                    call.wait = Some(WakeKey::ThreadEnd(process));
                }
                _ => {}
            }
            // A handle is nothing that people know threads by.
            let number = number.filter(|_| *kind != WaitKind::Thread);
            let name_of_call = kind.needs_call().then(|| Rc::clone(&role.call));
            call.object = Some(WaitObject { kind: *kind, call: name_of_call, number, name });
        }
        if let Some((kind, field)) = &role.wake {
            call.wake = match kind {
                WaitKind::Descriptor => {
                    channel().map(|channel| WakeKey::Channel(channel.other(), !role.reads))
                }
                _ => field
                    .integer(record.payload)
                    .map(|address| WakeKey::Object(process, *kind, address as u64)),
            };
        }
        if let Some(key) = &call.wake {
            self.wakers.wake(key, tid, Some(Rc::clone(&role.call)));
        }
        if let Some(key) = &call.wait {
            self.wakers.wait(key.clone(), tid);
        }
        let state = self.threads.entry(tid).or_default();
        state.calls.push(call);
        (state.is_in_call, state.contended) = (true, None);
    }
}
