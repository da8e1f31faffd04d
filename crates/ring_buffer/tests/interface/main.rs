//! The ring buffer as its callers see it, one call after the other. What happens when several act at once is
//! in `model` and `chaos`.

mod consuming;
mod damage;
mod encoding;
mod pages;
mod reading;
mod resizing;
mod snapshots;
mod temporary;
