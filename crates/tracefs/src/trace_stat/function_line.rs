//! A function's line in `trace_stat/functionN`.

use std::ops::AddAssign;
use trace_data::text::print_duration;

/// What is above the lines.
pub(super) const HEADER: &str = concat!(
    "  Function                               Hit    Time            Avg             s^2\n",
    "  --------                               ---    ----            ---             ---\n",
);

/// The calls of a function.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Calls {
    pub(super) hits: u64,
    /// Nanoseconds of those that have returned.
    pub(super) time: u64,
    /// The sum of their squares.
    pub(super) squares: u128,
}

impl AddAssign for Calls {
    fn add_assign(&mut self, other: Calls) {
        self.hits += other.hits;
        self.time += other.time;
        self.squares += other.squares;
    }
}

impl Calls {
    /// Nanoseconds of a call, on average.
    fn average(&self) -> u64 {
        self.time / self.hits.max(1)
    }

    /// The variance of the duration, in thousandths of a square microsecond.
    // The kernel's formula. Its numbers overflow where the calls took 4.3 s together.
    fn variance(&self) -> u128 {
        let (hits, time) = (u128::from(self.hits), u128::from(self.time));
        let numerator = hits.saturating_mul(self.squares).saturating_sub(time * time);
        let denominator = hits * hits.saturating_sub(1) * 1000;
        numerator.checked_div(denominator).unwrap_or(0)
    }
}

/// The line: a name that is longer than its column is not cut, as the kernel would.
///
/// Source: `function_stat_show` in `kernel/trace/ftrace.c` of Linux 6.18.
pub(super) fn print(name: &str, calls: Calls, out: &mut Vec<u8>) {
    out.extend(format!("  {name:<30}  {:10}", calls.hits).bytes());
    for nanoseconds in [calls.time.into(), calls.average().into(), calls.variance()] {
        out.extend_from_slice(b"    ");
        match u64::try_from(nanoseconds) {
            Ok(nanoseconds) => print_duration(nanoseconds, out),
            Err(_) => out.extend(format!("{} us ", nanoseconds / 1000).bytes()),
        }
    }
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str, nanoseconds: &[u64], endless: u64) -> String {
        let mut calls = Calls { hits: endless, ..Calls::default() };
        for time in nanoseconds {
            calls += Calls { hits: 1, time: *time, squares: u128::from(*time).pow(2) };
        }
        let mut out = Vec::new();
        print(name, calls, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn lines_are_the_kernels() {
        // Of a kernel: one call of 100235.23 us, and one that had not returned.
        for (line, expected) in [
            (
                line("hrtimer_nanosleep", &[100_235_231], 1),
                "  hrtimer_nanosleep                        2    100235.2 us     50117.61 us     5023550766 us \n",
            ),
            (
                line("vfs_fstat", &[14_422], 0),
                "  vfs_fstat                                1    14.422 us       14.422 us       0.000 us    \n",
            ),
            (
                line("do_exit", &[], 5),
                "  do_exit                                  5    0.000 us        0.000 us        0.000 us    \n",
            ),
        ] {
            assert_eq!(line, expected);
        }
    }

    #[test]
    fn long_calls_have_a_variance() {
        let hour = 3_600_000_000_000;
        let line = line("main", &[hour, 3 * hour, 5 * hour], 0);
        // 2 hours are the standard deviation: 7200 s.
        assert!(
            line.ends_with("    32400000000 us     10800000000 us     51840000000000000000 us \n"),
            "{line}"
        );
    }

    #[test]
    fn long_names_are_whole() {
        let name = "shop::orders::Order::commit_with_everything";
        assert!(line(name, &[1000], 0).starts_with(&format!("  {name}           1    1.000 us ")));
    }
}
