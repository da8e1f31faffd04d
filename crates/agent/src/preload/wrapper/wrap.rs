//! The wrappers that are made from the table.
//!
//! # Safety
//!
//! What is done around a call is called by its frame, see `frame.rs`.

use crate::preload::arch::frame;
use crate::preload::arch::stub::wrapped;
use crate::preload::execute::place;
use crate::preload::function::library;
use crate::preload::lock;
use crate::preload::memory::{limits, locking, mapping};
use crate::preload::process::{abort, fork, reap, syslog};
use crate::preload::record;
use crate::preload::record::argument::{creation_mode, remap_target};
use crate::preload::record::value::FieldValue;
use crate::preload::signal::{handler, mask, send};
use crate::preload::thread::create;
use crate::preload::wakeup;
use crate::preload::wrapper::frame::{CallFrame, CallPhase};
use crate::preload::wrapper::write::write;
use events::argument::*;
use events::{Call, FieldKind, WakeRole, is_on_request};
use ring_buffer::RecordBuffer;
use trace_event::{CallRecord, call_time, enter, is_enabled, nanoseconds};

/// Words of an entry event: common fields, six arguments, the caller.
const ENTRY_WORDS: usize = 8;

/// Words of an exit event without strings: common fields, result, error, seven arguments, the duration.
const EXIT_WORDS: usize = 11;

/// Whether what an exit has of an argument, if anything, is in the fixed part of the event.
const fn is_fixed(pointee: Option<Pointee>) -> bool {
    match pointee {
        Some(pointee) => !matches!(pointee.field(), FieldKind::Text),
        None => true,
    }
}

/// Parameters that are in registers.
const REGISTERS: usize = 6;

macro_rules! wrappers {
    ($($class:ident $(on $request:ident)? { $($call:ident $arguments:tt -> $outcome:ident
        as [$($symbol:ident),*]
        $(or $variant:ident $parameters:tt)*
        $(around $($hooks:ident)::+)?;)* })*) => {
        $($(
            wrap!(
                $class, $call, $arguments, $arguments, $outcome,
                [$($($hooks)::+)?], [$($symbol)*]
            );
            wrap_variants!(
                $class, $call, $arguments, $outcome,
                [$($($hooks)::+)?], [$($variant $parameters)*]
            );
        )*)*
    };
}

macro_rules! wrap_variants {
    (
        $class:ident, $call:ident, $arguments:tt, $outcome:ident, $hooks:tt,
        [$($variant:ident $parameters:tt)*]
    ) => {
        $(wrap!($class, $call, $arguments, $parameters, $outcome, $hooks, [$variant]);)*
    };
}

/// Defines the symbols of a call that have the same parameters: what is done around it, and the stubs.
macro_rules! wrap {
    ($class:ident, $call:ident, $arguments:tt, $parameters:tt, $outcome:ident, $hooks:tt, []) => {};
    (
        $class:ident, $call:ident,
        ($($argument:ident: $kind:ident $(= $value:expr)?),*),
        ($($parameter:ident: $type:ident $(= $ignored:expr)?),*),
        $outcome:ident, $hooks:tt, [$($symbol:ident)*]
    ) => {
        const _: () = {
            const PARAMETERS: &[&str] = &[$(stringify!($parameter)),*];
            const STACKED: u32 = (PARAMETERS.len() > REGISTERS) as u32;
            const RETURNS: u32 = <$outcome as CallResult>::FIELD.is_some() as u32;
            const IS_FIXED_AT_EXIT: bool = true $(&& is_fixed(<$kind as Argument>::EXIT))*;
            const HAS_TEXT: bool = false $(|| matches!(<$kind as Argument>::ENTRY, FieldKind::Text))*;

            // After all other code: there is more of these than of everything else, and what every process
            // runs at its start lies on fewer pages without them in between.
            #[unsafe(link_section = ".text.wrap")]
            unsafe fn around(frame: &mut CallFrame, moment: CallPhase) {
                // SAFETY: the frame of such a call, at that moment.
                unsafe {
                    if moment == CallPhase::Before {
                        let is_on = is_enabled(Call::$call.entry());
                        let is_timed = is_on || RETURNS == 1 && is_enabled(Call::$call.exit());
                        frame.start = if is_timed { call_time() } else { 0 };
                        if is_on {
                            if HAS_TEXT { record_texts(frame) } else { record_entry(frame) }
                        }
                        wrap!(@hook $hooks, before, frame);
                        // Last: what was called before may wait.
                        if let Some(role) = const { WakeRole::of(Call::$call) } {
                            wakeup::before(frame, role);
                        }
                    } else {
                        if let Some(role) = const { WakeRole::of(Call::$call) } {
                            wakeup::after(frame, role);
                        }
                        wrap!(@hook $hooks, after, frame);
                        if RETURNS == 1 && frame.start != 0 && is_enabled(Call::$call.exit()) {
                            record_exit(frame);
                        }
                    }
                }
            }

            #[allow(unused_variables, unused_mut, reason = "not every parameter is recorded")]
            unsafe fn record_entry(frame: &CallFrame) {
                let Some(entered) = enter() else { return };
                let mut words = frame.arguments.into_iter();
                $(let $parameter = words.next().unwrap_or(0);)*
                let mut record = RecordBuffer::<ENTRY_WORDS>::new();
                record.push(entered.common(Call::$call.entry()));
                $(
                    let word = wrap!(@value $argument $($value)?);
                    record::push(&mut record, <$kind as Argument>::ENTRY, word);
                )*
                record.push(frame.caller);
                let call = CallRecord { frame: frame.record(), time: frame.start };
                // SAFETY: the frame of a call that is under way.
                unsafe { entered.write_called(call, record.event()) };
            }

            /// Records the entry of a call with strings.
            #[allow(unused_variables, unused_mut, reason = "not every parameter is recorded")]
            unsafe fn record_texts(frame: &CallFrame) {
                let mut words = frame.arguments.into_iter();
                $(let $parameter = words.next().unwrap_or(0);)*
                let values = [
                    $(FieldValue::at_entry::<$kind>(wrap!(@value $argument $($value)?)),)*
                    FieldValue::Word(frame.caller),
                ];
                // SAFETY: libc is about to read the texts.
                unsafe { write(frame, frame.start, Call::$call.entry(), &values) };
            }

            #[allow(unused_variables, unused_mut, reason = "not every parameter is recorded")]
            unsafe fn record_exit(frame: &CallFrame) {
                let end = call_time();
                // Before anything is in the record, which the compiler then knows at each point.
                let duration = nanoseconds(frame.start, end);
                let mut words = frame.arguments.into_iter();
                $(let $parameter = words.next().unwrap_or(0);)*
                $(let $argument = wrap!(@value $argument $($value)?);)*
                let returned = record::returned::<$outcome>(frame.result);
                let words: &[u64] = &[$($argument),*];
                let mut indices = 0..;
                if IS_FIXED_AT_EXIT {
                    let Some(entered) = enter() else { return };
                    let mut record = RecordBuffer::<EXIT_WORDS>::new();
                    record.push(entered.common(Call::$call.exit()));
                    record::result::<$outcome>(frame.result).push(&mut record);
                    record.push_half(returned.error as u32);
                    $(
                        // SAFETY: the arguments of the call that has just returned.
                        let value = unsafe {
                            let index = indices.next().unwrap_or(0);
                            FieldValue::at_exit::<$kind>(words, index, returned)
                        };
                        value.push(&mut record);
                    )*
                    record.push(duration);
                    let call = CallRecord { frame: frame.record(), time: end };
                    // SAFETY: the frame of a call that is under way.
                    return unsafe { entered.write_called(call, record.event()) };
                }
                let values = [
                    record::result::<$outcome>(frame.result),
                    FieldValue::Half(returned.error as u32),
                    $(
                        // SAFETY: the arguments of the call that has just returned.
                        unsafe {
                            let index = indices.next().unwrap_or(0);
                            FieldValue::at_exit::<$kind>(words, index, returned)
                        },
                    )*
                    FieldValue::Word(duration),
                ];
                // SAFETY: what the values point to was read or written by the call.
                unsafe { write(frame, end, Call::$call.exit(), &values) };
            }

            $(
                wrap_symbol!(
                    $hooks,
                    $symbol,
                    around,
                    Call::$call.entry(),
                    hooked: wrap!(@hooked $hooks),
                    stacked: STACKED,
                    returns: RETURNS,
                    early: is_on_request(stringify!($class)) as u32,
                    locks: wrap!(@locks $hooks)
                );
            )*
        };
    };
    (@value $argument:ident) => { $argument };
    (@value $argument:ident $value:expr) => { $value };
    (@hooked []) => { 0 };
    (@hooked [$($hooks:ident)::+]) => { 1 };
    (@locks [lock::FREE]) => { -1 };
    (@locks [lock::WAIT]) => { 0 };
    (@locks [lock::$take:ident]) => { 1 };
    (@locks $hooks:tt) => { 0 };
    (@hook [], $moment:ident, $frame:ident) => {};
    (@hook [$($hooks:ident)::+], $moment:ident, $frame:ident) => { ($($hooks)::+.$moment)($frame) };
}

/// Defines the stub of a symbol, by what it jumps to.
macro_rules! wrap_symbol {
    ([syslog::HOOKS], $($parts:tt)*) => { wrapped!(hooked, frame::call_variadic, $($parts)*); };
    ([], $($parts:tt)*) => { wrapped!(off, frame::call, $($parts)*); };
    ($hooks:tt, $($parts:tt)*) => { wrapped!(hooked, frame::call, $($parts)*); };
}

events::calls!(wrappers);
