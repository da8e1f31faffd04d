//! `budget_percent`: how much of each CPU's time recording may take.

use crate::errno::errno;
use crate::listed::Listed;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;
use session::BUDGETS;

/// Reads and takes percent, 0.0001 to 100; 0 for no limit. Of the session's default instance, wherever the
/// top level is. EINVAL for others.
#[derive(Clone, Default)]
struct BudgetPercent;

pub(super) const LISTED: Listed = Listed::of::<BudgetPercent>(
    "budget_percent",
    "how much of each CPU's time recording may take; what costs more is left out; 0 for no limit",
);

impl TextFile for BudgetPercent {
    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        Ok(format!("{}\n", array.instance().budget().unwrap_or(0.0)))
    }

    fn store(&self, array: &TraceArray, bytes: &[u8]) -> Result<(), Errno> {
        let text = std::str::from_utf8(bytes).map_err(|_| Errno::INVAL)?;
        let percent: f64 = text.trim().parse().map_err(|_| Errno::INVAL)?;
        let is_good = percent == 0.0 || BUDGETS.contains(&percent);
        let budget = is_good.then_some(percent).ok_or(Errno::INVAL)?;
        array.instance().set_budget(Some(budget).filter(|budget| *budget > 0.0)).map_err(errno)
    }
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree, write};
    use rustix::io::Errno;

    #[test]
    fn it_is_in_percent() {
        let (_directory, tree) = tree();
        let file = "budget_percent";
        assert_eq!(read(&tree, file), "0\n");
        for budget in ["1", "0.25", "100", "0"] {
            write(&tree, file, budget).unwrap();
            assert_eq!(read(&tree, file), format!("{budget}\n"));
        }
        for bad in ["", "x", "-1", "101", "NaN", "0.00001", "1 %"] {
            assert_eq!(write(&tree, file, bad), Err(Errno::INVAL), "{bad}");
        }
    }
}
