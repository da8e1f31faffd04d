//! Values of many rounds.

/// One value for each round.
#[derive(Debug, Clone, Default)]
pub struct Samples(Vec<f64>);

impl Samples {
    /// Without any yet.
    pub const fn new() -> Samples {
        Samples(Vec::new())
    }

    /// Adds the next round's value.
    pub fn push(&mut self, value: f64) {
        self.0.push(value);
    }

    /// The median.
    pub fn median(&self) -> f64 {
        median(self.0.clone())
    }

    /// How far the medians of every other round are apart: what they differ by although they are of the same.
    pub fn noise(&self) -> f64 {
        let half = |first| median(self.0.iter().copied().skip(first).step_by(2).collect());
        (half(0) - half(1)).abs()
    }

    /// The median of how many times `other`'s value of the same round this one's is.
    pub fn ratio_to(&self, other: &Samples) -> f64 {
        median(self.0.iter().zip(&other.0).map(|(this, other)| this / other).collect())
    }

    /// The median of how much more than `other`'s value of the same round this one's is.
    pub fn more_than(&self, other: &Samples) -> f64 {
        self.added_to(other).median()
    }

    /// How much more than `other`'s value of the same round each one is.
    pub fn added_to(&self, other: &Samples) -> Samples {
        Samples(self.0.iter().zip(&other.0).map(|(this, other)| this - other).collect())
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        len if len % 2 == 1 => values[len / 2],
        len => (values[len / 2 - 1] + values[len / 2]) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(values: &[f64]) -> Samples {
        Samples(values.to_vec())
    }

    #[test]
    fn one_bad_round_changes_nothing() {
        let (fast, slow) = (samples(&[10.0, 11.0, 10.0]), samples(&[20.0, 22.0, 900.0]));
        assert_eq!(slow.ratio_to(&fast), 2.0);
        assert_eq!(slow.more_than(&fast), 11.0);
        assert_eq!(fast.median(), 10.0);
    }

    #[test]
    fn noise_is_what_differs_without_a_reason() {
        assert_eq!(samples(&[10.0, 12.0, 10.0, 12.0, 10.0]).noise(), 2.0);
        assert_eq!(samples(&[10.0; 6]).noise(), 0.0);
    }

    #[test]
    fn an_even_number_has_a_median_between_two() {
        assert_eq!(samples(&[4.0, 1.0, 2.0, 3.0]).median(), 2.5);
        assert!(samples(&[]).median().is_nan());
    }
}
