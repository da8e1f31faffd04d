//! The percentile of values.

use super::WantedPercentile;
use super::sorted_values::SortedValues;

/// The percentile of values, which come into another order; nothing of none. Between two neighbours it is on
/// the line from one to the other.
///
/// Both are found by selection, in a time that grows with their number alone. A product that isn't rounded
/// before the sum is what DuckDB computes: all others differ from it in the last bit of some results.
pub(super) fn percentile(values: &mut Vec<f64>, wanted: WantedPercentile) -> Option<f64> {
    if wanted.is_distinct {
        values.sort_unstable_by(f64::total_cmp);
        values.dedup();
    }
    let last = values.len().checked_sub(1)?;
    let place = last as f64 * wanted.part;
    let after = place.fract();
    let (_, low, above) = values.select_nth_unstable_by(place as usize, f64::total_cmp);
    let low = *low;
    between(low, after, || above.iter().copied().min_by(f64::total_cmp))
}

/// The percentile of values in order.
pub(super) fn percentile_of_sorted(values: &SortedValues, wanted: WantedPercentile) -> Option<f64> {
    if wanted.is_distinct {
        return percentile(&mut values.iter().collect(), wanted);
    }
    let place = values.len().checked_sub(1)? as f64 * wanted.part;
    between(values.get(place as usize)?, place.fract(), || values.get(place as usize + 1))
}

/// What is so far after a value on the line to the next.
fn between(low: f64, after: f64, high: impl FnOnce() -> Option<f64>) -> Option<f64> {
    match after {
        0.0 => Some(low),
        after => Some(low.mul_add(1.0 - after, high()? * after)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[f64], part: f64) -> Option<f64> {
        percentile(&mut values.to_vec(), WantedPercentile { part, is_distinct: false })
    }

    #[test]
    fn the_ends_and_the_middle() {
        assert_eq!(of(&[], 0.5), None);
        assert_eq!([of(&[7.0], 0.0), of(&[7.0], 0.3), of(&[7.0], 1.0)], [Some(7.0); 3]);
        let values = [5.0, 1.0, 4.0, 2.0, 3.0];
        assert_eq!([0.0, 0.5, 1.0].map(|part| of(&values, part)), [Some(1.0), Some(3.0), Some(5.0)]);
        assert_eq!(of(&[1.0, 2.0], 0.25), Some(1.25));
    }

    /// What DuckDB 2.0.1 has answered, where other ways to round differ.
    #[test]
    fn the_last_bit_is_duckdbs() {
        let pair = |low, high, below: usize, above: usize, part| {
            let values: Vec<f64> =
                [vec![0.0; below], vec![low, high], vec![1e18; above]].into_iter().flatten().collect();
            of(&values, part)
        };
        assert_eq!(pair(303.0, 333.0, 10, 21, 0.333), Some(322.68));
        assert_eq!(pair(1112765886.0, 1205969803.0, 0, 6, 0.1), Some(1178008627.8999999));
        assert_eq!(pair(952716303416.0, 955850146106.0, 35, 0, 0.99), Some(954721962737.6));
    }

    #[test]
    fn distinct_values_count_once() {
        let mut values = vec![3.0, 1.0, 1.0, 1.0, 2.0];
        let wanted = WantedPercentile { part: 0.5, is_distinct: true };
        assert_eq!(percentile(&mut values, wanted), Some(2.0));
    }
}
