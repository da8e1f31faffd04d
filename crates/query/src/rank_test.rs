//! Whether one sample is larger than another, by the ranks of its values: the test of Mann and Whitney.

/// How two samples differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RankTest {
    /// How many standard deviations more often than by chance a value of the second exceeds one of the first.
    pub(crate) z: f64,
    /// How much more often a value of the second exceeds one of the first than the other way round: from -1
    /// to 1 (Cliff's delta).
    pub(crate) delta: f64,
}

impl RankTest {
    /// Of two samples, each in order. The values of the second are divided by `scale` first.
    pub(crate) fn new(first: &[u64], second: &[u64], scale: f64) -> RankTest {
        let (n, m) = (first.len() as f64, second.len() as f64);
        if first.is_empty() || second.is_empty() {
            return RankTest { z: 0.0, delta: 0.0 };
        }
        let second: Vec<u64> = second.iter().map(|value| (*value as f64 / scale).round() as u64).collect();
        let (mut wins, mut ties) = (0.0, 0.0);
        let (mut at, mut other) = (0, 0);
        while other < second.len() {
            let value = second[other];
            let below = at + first[at..].partition_point(|first| *first < value);
            let equal = first[below..].partition_point(|first| *first == value);
            let here = second[other..].partition_point(|second| *second == value);
            wins += here as f64 * (below as f64 + equal as f64 / 2.0);
            let tied = (equal + here) as f64;
            ties += tied.powi(3) - tied;
            (at, other) = (below, other + here);
        }
        // Values of the first that come several times are ties, too, where the second has none of them.
        for equal in first.chunk_by(|one, next| one == next).filter(|equal| equal.len() > 1) {
            if second.binary_search(&equal[0]).is_err() {
                let tied = equal.len() as f64;
                ties += tied.powi(3) - tied;
            }
        }
        let all = n + m;
        let variance = n * m / 12.0 * (all + 1.0 - ties / (all * (all - 1.0)).max(1.0));
        let z = if variance > 0.0 { (wins - n * m / 2.0) / variance.sqrt() } else { 0.0 };
        RankTest { z, delta: 2.0 * wins / (n * m) - 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_are_those_of_the_textbook() {
        // All of the second are larger: U = 25, sd = sqrt(25 * 11 / 12) = 4.787.
        let test = RankTest::new(&[1, 2, 3, 4, 5], &[6, 7, 8, 9, 10], 1.0);
        assert!((test.z - 12.5 / 4.787).abs() < 0.001 && test.delta == 1.0, "{test:?}");
        // With ties: wins 0.5 + 1.5 + 2.5 + 3 = 7.5 of 12.
        let test = RankTest::new(&[1, 2, 3], &[1, 2, 3, 4], 1.0);
        assert!((test.delta - 0.25).abs() < 1e-9 && (test.z - 0.5451).abs() < 0.001, "{test:?}");
        assert_eq!(RankTest::new(&[5; 40], &[5; 30], 1.0), RankTest { z: 0.0, delta: 0.0 });
        assert_eq!(RankTest::new(&[], &[5; 30], 1.0), RankTest { z: 0.0, delta: 0.0 });
    }

    #[test]
    fn what_is_the_same_but_for_the_scale_does_not_differ() {
        let first: Vec<u64> = (100..200).collect();
        let second: Vec<u64> = first.iter().map(|value| 2 * value).collect();
        assert_eq!(RankTest::new(&first, &second, 2.0).z, 0.0);
        assert!(RankTest::new(&first, &second, 1.0).z > 10.0);
    }
}
