//! How durations are counted: by a rate that becomes more exact, or by a clock.

mod common;

use common::Temporary;
use control::Clocks;

/// Clocks that had been 0 when the session was made.
fn at(tsc: u64, mono: u64) -> Clocks {
    Clocks { tsc, mono, boot: mono, ..Clocks::default() }
}

#[test]
fn later_readings_make_the_rate_more_exact() {
    let temporary = Temporary::new();
    let (file, other) = (&temporary.file, temporary.again());
    let second = |file: &control::ControlArea| file.tick_rate().map(|rate| rate.nanoseconds(2_600_000_000));
    file.refine_tick_rate(&at(26_000_000, 10_000_000));
    assert_eq!(second(&other), None, "a clock is used");
    file.use_tick_rate(&at(26_000_000, 10_001_000));
    assert_eq!(second(&other), Some(1_000_099_999), "rounded down");
    other.refine_tick_rate(&at(2_600_000_000, 1_000_000_000));
    let exact = second(file).unwrap();
    assert!(exact.abs_diff(1_000_000_000) <= 1, "{exact}");
    // The counter was reset; another clock; the machine was suspended.
    for odd in [
        at(1_300_000_000, 2_000_000_000),
        at(5_200_000_000, 100),
        Clocks { boot: 9_000_000_000, ..at(5_200_000_000, 2_010_000_000) },
    ] {
        other.refine_tick_rate(&odd);
        assert_eq!(second(file), Some(exact), "{odd:?}");
    }
}
