//! Names that every user has.

/// The name of the default instance.
pub const FLIGHT: &str = "flight";

/// The name of the session that is used when none is named.
pub(crate) const DEFAULT_NAME: &str = "default";
