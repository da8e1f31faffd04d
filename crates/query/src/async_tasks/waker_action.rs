//! What is done with what wakes a task.

use trace_data::format::{Field, Format};

/// The fields of an event about what wakes a task.
#[derive(Debug, Clone)]
pub(crate) struct WakerFields {
    action: Field,
    /// The span of the task.
    pub(crate) task: Field,
}

impl WakerFields {
    pub(crate) fn of(format: &Format) -> Option<WakerFields> {
        let field = |name: &str| format.field(name).cloned();
        let is_about_wakers = format.system == "tokio_task_waker";
        is_about_wakers.then(|| Some(WakerFields { action: field("op")?, task: field("task_id")? })).flatten()
    }

    /// What is done.
    pub(crate) fn action(&self, payload: &[u8]) -> Option<WakerAction> {
        WakerAction::of(&self.action.string(payload)?)
    }
}

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
    fn of(action: &str) -> Option<WakerAction> {
        match action {
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
