//! How long a call takes that is wrapped by hand.

use crate::preload::record::value::FieldValue;
use events::Call;
use trace_event::{call_time, is_enabled, nanoseconds};

/// When a call was entered, if one of its events was enabled then.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallStart {
    pub(crate) call: Call,
    /// A reading of [`call_time`], or 0.
    pub(crate) time: u64,
}

impl CallStart {
    /// Of a call that is entered now.
    pub(crate) fn of(call: Call) -> CallStart {
        let is_timed = is_enabled(call.entry()) || is_enabled(call.exit());
        CallStart { call, time: if is_timed { call_time() } else { 0 } }
    }

    /// The last field of the call's exit event; None where that is not to be recorded.
    pub(crate) fn duration(self) -> Option<FieldValue> {
        let is_recorded = self.time != 0 && is_enabled(self.call.exit());
        is_recorded.then(|| FieldValue::Word(nanoseconds(self.time, call_time())))
    }
}
