//! What differs between traces, beyond noise.
//!
//! A trace is compared with one that is good, or with several: then what differs among those is noise, too.
//! How often something happens is compared by process where all traces have whole processes of a program, and
//! else by time. How long calls took is compared by the ranks of their lengths, after what all calls have in
//! common: a machine that is slower as a whole is said once.

mod counts;
mod lengths;

pub use counts::RateUnit;

use crate::profile::{CallProfile, TraceProfile};
use crate::slow_calls::is_work;
use counts::{ComparedCounts, size};
use lengths::ComparedLengths;
use std::collections::{BTreeMap, BTreeSet};

/// What differs.
#[derive(Debug, Default)]
pub struct TraceComparison {
    /// How many times as long as in the good traces calls take in general.
    pub scale: f64,
    /// Calls that are made more or less often, or take longer or shorter: those first that matter most, by
    /// the time that it makes; then calls that wait for work, for others or for a lock; in the end those that
    /// are uncertain.
    pub calls: Vec<CallDifference>,
    /// Errors that are more or less often.
    pub errors: Vec<CountDifference>,
    /// Paths and peers that are new or gone.
    pub paths: Vec<CountDifference>,
}

/// A call that differs.
#[derive(Debug, Clone, PartialEq)]
pub struct CallDifference {
    /// The program.
    pub program: String,
    /// The call.
    pub call: String,
    /// What rates are for.
    pub unit: RateUnit,
    /// How often it is made, in the good traces and in the other.
    pub rates: [f64; 2],
    /// What half of the calls don't exceed, in nanoseconds.
    pub p50: [u64; 2],
    /// What 99 of 100 don't exceed, in nanoseconds.
    pub p99: [u64; 2],
    /// Nanoseconds in these calls.
    pub times: [f64; 2],
    /// Whether the rate differs beyond noise.
    pub differs_in_rate: bool,
    /// Whether the lengths do.
    pub differs_in_length: bool,
    /// Whether there are enough calls to say so; else it may be chance.
    pub is_certain: bool,
}

/// Something that is counted, and differs.
#[derive(Debug, Clone, PartialEq)]
pub struct CountDifference {
    /// The program.
    pub program: String,
    /// The call; empty where it is any.
    pub call: String,
    /// The error's number; 0 for none.
    pub error: i64,
    /// What it is about, and how many others there are.
    pub about: Option<(String, usize)>,
    /// What rates are for.
    pub unit: RateUnit,
    /// How often, in the good traces and in the other.
    pub rates: [f64; 2],
}

/// Lengths that make a smaller part of the trace's time more or less matter to nobody.
const SHARE: f64 = 0.002;

/// How many lengths a call needs to say how much longer all take.
const TYPICAL: usize = 20;

impl TraceComparison {
    /// Compares a trace with those that are good, of which there has to be one.
    pub fn new(good: &[TraceProfile], other: &TraceProfile) -> TraceComparison {
        let comparer = Comparer::new(good, other);
        let mut calls: Vec<CallDifference> = comparer.calls().collect();
        // That others take longer is why those wait longer that wait for them; what is seldom may be chance.
        calls.sort_by(|one, other| {
            let order = |call: &CallDifference| (!call.is_certain, !is_work(&call.call));
            let made = |call: &CallDifference| comparer.time_made(call);
            order(one).cmp(&order(other)).then(made(other).total_cmp(&made(one)))
        });
        TraceComparison { scale: comparer.scale, calls, errors: comparer.errors(), paths: comparer.paths() }
    }

    /// Whether nothing differs for certain.
    pub fn is_empty(&self) -> bool {
        self.calls.iter().all(|call| !call.is_certain) && self.errors.is_empty() && self.paths.is_empty()
    }
}

/// Compares.
struct Comparer<'a> {
    good: &'a [TraceProfile],
    other: &'a TraceProfile,
    /// The calls of all good traces.
    pooled: BTreeMap<&'a (String, String), CallProfile>,
    scale: f64,
}

impl<'a> Comparer<'a> {
    fn new(good: &'a [TraceProfile], other: &'a TraceProfile) -> Comparer<'a> {
        let mut pooled: BTreeMap<&(String, String), CallProfile> = BTreeMap::new();
        for (key, call) in good.iter().flat_map(|profile| &profile.calls) {
            let known = pooled.entry(key).or_default();
            known.count += call.count;
            known.lengths.extend(&call.lengths);
        }
        pooled.values_mut().for_each(|call| call.lengths.sort_unstable());
        let scale = scale(&pooled, other);
        Comparer { good, other, pooled, scale }
    }

    fn counts(&self, program: &str, count: impl Fn(&TraceProfile) -> u64) -> ComparedCounts {
        let of = |profile: &TraceProfile| profile.programs.get(program).copied().unwrap_or_default();
        let is_whole = |profile: &TraceProfile| of(profile).is_whole || of(profile).processes == 0;
        let is_counted = self.good.iter().chain([self.other]).all(is_whole);
        let unit = if is_counted { RateUnit::Process } else { RateUnit::Second };
        let size = |profile: &TraceProfile| size(profile, program, unit);
        let good = self.good.iter().map(|profile| (count(profile), size(profile))).collect();
        ComparedCounts { good, other: (count(self.other), size(self.other)), unit }
    }

    /// How many nanoseconds more or less all processes of the program are in a call, in the other trace.
    fn time_made(&self, call: &CallDifference) -> f64 {
        let size = size(self.other, &call.program, call.unit);
        (call.times[1] - call.times[0]).abs() * size
    }

    /// The calls that differ.
    fn calls(&self) -> impl Iterator<Item = CallDifference> {
        let keys: BTreeSet<&(String, String)> =
            self.pooled.keys().copied().chain(self.other.calls.keys()).collect();
        keys.into_iter().filter_map(|key| self.call(key))
    }

    fn call(&self, key: &(String, String)) -> Option<CallDifference> {
        let none = CallProfile::default();
        let (first, second) =
            (self.pooled.get(key).unwrap_or(&none), self.other.calls.get(key).unwrap_or(&none));
        let counts = self.counts(&key.0, |profile| profile.calls.get(key).map_or(0, |call| call.count));
        let differs_in_rate = counts.differ();
        let good = self.good.iter().filter_map(|profile| profile.calls.get(key)).collect();
        let lengths = ComparedLengths { pooled: first, good, other: second };
        let size: f64 = counts.good.iter().map(|(_, size)| size).sum();
        let times = [first.total() as f64 / size, second.total() as f64 / counts.other.1];
        let made = (times[1] - times[0]).abs() * counts.other.1;
        let length = lengths.change(self.scale).filter(|_| made >= SHARE * self.other.span as f64);
        let differs_in_length = length.is_some();
        let (program, call) = key.clone();
        (differs_in_rate || differs_in_length).then(|| CallDifference {
            program,
            call,
            unit: counts.unit,
            rates: counts.rates(),
            p50: [first, second].map(|call| call.percentile(50)),
            p99: [first, second].map(|call| call.percentile(99)),
            times,
            differs_in_rate,
            differs_in_length,
            is_certain: differs_in_rate || length.is_some_and(|change| change.is_certain),
        })
    }

    /// The errors that differ: those first that are new, then those that differ most.
    fn errors(&self) -> Vec<CountDifference> {
        let profiles = || self.good.iter().chain([self.other]);
        let keys: BTreeSet<_> = profiles().flat_map(|profile| profile.errors.keys()).collect();
        let found = keys.into_iter().filter_map(|key| {
            let (program, call, error) = key;
            let counts =
                self.counts(program, |profile| profile.errors.get(key).map_or(0, |failures| failures.count));
            (counts.is_new_or_gone() || counts.differ()).then(|| CountDifference {
                program: program.clone(),
                call: call.clone(),
                error: *error,
                about: self.about(key, counts.other.0 > 0),
                unit: counts.unit,
                rates: counts.rates(),
            })
        });
        sorted(found.collect())
    }

    /// What most failures were about, of the other trace or of the good ones; those first that are new there.
    fn about(&self, key: &(String, String, i64), is_of_other: bool) -> Option<(String, usize)> {
        let of = |profile: &'a TraceProfile| profile.errors.get(key).map(|failures| &failures.abouts);
        let good: BTreeMap<&String, u64> =
            self.good.iter().filter_map(of).flatten().map(|(about, count)| (about, *count)).collect();
        let other = of(self.other).into_iter().flatten();
        let all: Vec<(bool, u64, &String)> = match is_of_other {
            true => other.map(|(about, count)| (!good.contains_key(about), *count, about)).collect(),
            false => good.iter().map(|(about, count)| (false, *count, *about)).collect(),
        };
        let new = all.iter().filter(|(is_new, ..)| *is_new).count();
        let counted = if new > 0 { new } else { all.len() };
        all.into_iter().max().map(|(_, _, about)| (about.clone(), counted - 1))
    }

    /// The paths that are new or gone.
    fn paths(&self) -> Vec<CountDifference> {
        let profiles = || self.good.iter().chain([self.other]);
        let keys: BTreeSet<_> = profiles().flat_map(|profile| profile.paths.keys()).collect();
        let found = keys.into_iter().filter_map(|key| {
            let (program, path) = key;
            let counts = self.counts(program, |profile| profile.paths.get(key).copied().unwrap_or(0));
            counts.is_new_or_gone().then(|| CountDifference {
                program: program.clone(),
                call: String::new(),
                error: 0,
                about: Some((path.clone(), 0)),
                unit: counts.unit,
                rates: counts.rates(),
            })
        });
        sorted(found.collect())
    }
}

/// How many times as long calls take in general: the median of what each call says that has enough lengths.
fn scale(pooled: &BTreeMap<&(String, String), CallProfile>, other: &TraceProfile) -> f64 {
    let factor = |(key, good): (&&(String, String), &CallProfile)| {
        let other = other.calls.get(*key)?;
        let is_typical = good.lengths.len() >= TYPICAL && other.lengths.len() >= TYPICAL;
        is_typical.then(|| other.percentile(50).max(1) as f64 / good.percentile(50).max(1) as f64)
    };
    let mut factors: Vec<f64> = pooled.iter().filter_map(factor).collect();
    factors.sort_by(f64::total_cmp);
    // Of few calls none is typical of the others.
    if factors.len() < 5 { 1.0 } else { factors[factors.len() / 2] }
}

/// Those first that are new, then by how much they differ.
fn sorted(mut found: Vec<CountDifference>) -> Vec<CountDifference> {
    let is_known = |difference: &CountDifference| difference.rates[0] > 0.0;
    let change = |difference: &CountDifference| (difference.rates[1] - difference.rates[0]).abs();
    found.sort_by(|one, other| {
        is_known(one).cmp(&is_known(other)).then(change(other).total_cmp(&change(one)))
    });
    found
}

#[cfg(test)]
mod tests;
