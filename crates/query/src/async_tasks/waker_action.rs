//! What is done with what wakes a task.

use trace_data::format::Field;

/// The system of events about what wakes tasks.
pub(crate) const WAKER_SYSTEM: &str = "tokio_task_waker";

/// What is done with what wakes a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WakerAction {
    /// One more may wake it.
    Clone,
    /// One less.
    Drop,
    /// It is woken, by one that then is no more.
    Wake,
    WakeByReference,
}

impl WakerAction {
    pub(crate) fn of(action: &Field, payload: &[u8]) -> Option<WakerAction> {
        match &*action.string(payload)? {
            "waker.clone" => Some(WakerAction::Clone),
            "waker.drop" => Some(WakerAction::Drop),
            "waker.wake" => Some(WakerAction::Wake),
            "waker.wake_by_ref" => Some(WakerAction::WakeByReference),
            _ => None,
        }
    }

    /// Whether the task is woken.
    pub(crate) fn wakes(self) -> bool {
        matches!(self, WakerAction::Wake | WakerAction::WakeByReference)
    }
}
