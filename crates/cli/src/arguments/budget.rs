//! The option that says what recording may cost.

use session::BUDGETS;
use std::fmt::{Display, Formatter};
use std::str::FromStr;

/// Percent of each CPU's time, or none for all.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BudgetOption(pub(crate) Option<f64>);

impl FromStr for BudgetOption {
    type Err = String;

    fn from_str(text: &str) -> Result<BudgetOption, String> {
        if text == "none" {
            return Ok(BudgetOption(None));
        }
        let percent = text
            .strip_suffix('%')
            .unwrap_or(text)
            .trim_end()
            .parse()
            .ok()
            .filter(|percent| BUDGETS.contains(percent));
        let percent = percent.ok_or("expected percent from 0.0001 to 100, or none")?;
        Ok(BudgetOption(Some(percent)))
    }
}

impl Display for BudgetOption {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(percent) => percent.fmt(f),
            None => f.write_str("none"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_percent_or_none() {
        let budget = |text: &str| text.parse::<BudgetOption>().ok();
        for (text, percent) in [("1", 1.0), ("1%", 1.0), ("2.5 %", 2.5), ("100", 100.0), ("1e-4", 0.0001)] {
            assert_eq!(budget(text), Some(BudgetOption(Some(percent))), "{text}");
        }
        assert_eq!(budget("none"), Some(BudgetOption(None)));
        for bad in ["", "%", "0", "0%", "-1", "100.1", "NaN", "inf", "1e9", "much", "1%%", " 1", "0x1"] {
            assert_eq!(budget(bad), None, "{bad}");
        }
    }
}
