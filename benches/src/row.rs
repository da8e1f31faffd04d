//! One line of a report.

use crate::limits::Limit;

/// A measured value, or why there is none.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportRow {
    /// What was measured.
    pub name: &'static str,
    /// The value, or why it could not be measured.
    pub value: Result<f64, String>,
    /// What it has to keep to, if anything.
    pub limit: Option<Limit>,
}

impl ReportRow {
    /// Whether it keeps to its limit. What was not measured breaks none.
    pub fn is_good(&self) -> bool {
        match (&self.value, self.limit) {
            (Ok(value), Some(limit)) => limit.allows(*value),
            _ => true,
        }
    }

    /// What is said about it: nothing where there is no limit.
    pub fn verdict(&self) -> &'static str {
        match (&self.value, self.limit) {
            (Ok(_), Some(_)) if self.is_good() => "ok",
            (Ok(_), Some(_)) => "MISS",
            _ => "",
        }
    }
}
