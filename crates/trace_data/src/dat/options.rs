//! The options of a trace.dat file.

use super::input::Input;
use super::{Error, id};
use std::io::{Read, Seek};

/// What a trace.dat file says about its recording as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The name of the clock that times are in: `local`, `mono`, `x86-tsc`.
    pub clock: String,
    /// The text of each CPU's `stats` file, or whatever else says how the recording went.
    pub cpu_stats: Vec<String>,
    /// Nanoseconds to add to every time, for wall-clock time.
    pub time_offset: i64,
    /// The system that the recording was made on.
    pub uname: Option<String>,
    /// The program that wrote the file.
    pub version: Option<String>,
    /// How to make nanoseconds of the times, where they count a processor's cycles.
    pub tsc_scale: Option<TscScale>,
    /// All other options: number and data.
    pub other: Vec<(u16, Vec<u8>)>,
}

impl Default for Options {
    /// The clock `local` and nothing else.
    fn default() -> Options {
        Options {
            clock: "local".to_owned(),
            cpu_stats: Vec::new(),
            time_offset: 0,
            uname: None,
            version: None,
            tsc_scale: None,
            other: Vec::new(),
        }
    }
}

/// `cycles * multiplier / 2^shift` are nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TscScale {
    /// What cycles are multiplied with.
    pub multiplier: u32,
    /// The power of two that divides.
    pub shift: u32,
    /// The nanoseconds at which the clock started. Recorded with the rest, but no reader takes
    /// them off.
    pub offset: u64,
}

impl Options {
    /// The time that readers show for a time in a page: scaled where the clock counts cycles, and
    /// moved to wall-clock time where the file says so.
    #[inline]
    pub fn time(&self, raw: u64) -> u64 {
        let scaled = match self.tsc_scale {
            Some(scale) => {
                let product = u128::from(raw) * u128::from(scale.multiplier);
                (product >> scale.shift.min(127)) as u64
            }
            None => raw,
        };
        scaled.wrapping_add_signed(self.time_offset)
    }

    /// Takes an option that isn't about where things are in the file.
    pub(super) fn take(&mut self, number: u16, data: Vec<u8>) {
        match number {
            // Microseconds.
            id::DATE => self.add_offset(integer(&data).wrapping_mul(1000)),
            id::OFFSET => self.add_offset(integer(&data)),
            id::CPUSTAT => self.cpu_stats.push(text(&data)),
            id::UNAME => self.uname = Some(text(&data)),
            id::VERSION => self.version = Some(text(&data)),
            id::TSC2NSEC => match TscScale::from_bytes(&data) {
                Some(scale) => self.tsc_scale = Some(scale),
                None => self.other.push((number, data)),
            },
            _ => self.other.push((number, data)),
        }
    }

    /// All options but those about places in the file, as [`Options::take`] takes them.
    pub(super) fn give(&self) -> Vec<(u16, Vec<u8>)> {
        let with_nul = |text: &str| [text.as_bytes(), &[0]].concat();
        let offset = Some(self.time_offset).filter(|offset| *offset != 0);
        let mut options = Vec::new();
        options.extend(offset.map(|offset| (id::OFFSET, with_nul(&offset.to_string()))));
        options.extend(self.cpu_stats.iter().map(|stats| (id::CPUSTAT, with_nul(stats))));
        options.extend(self.uname.iter().map(|uname| (id::UNAME, with_nul(uname))));
        options.extend(self.version.iter().map(|version| (id::VERSION, with_nul(version))));
        options.extend(self.tsc_scale.map(|scale| (id::TSC2NSEC, scale.to_bytes())));
        options.extend(self.other.iter().cloned());
        options
    }

    /// Takes the clock from the text of a `trace_clock` file: the one in brackets, or all of it.
    pub(super) fn take_clock(&mut self, text: &str) {
        let text = text.trim_matches(['\0', '\n', ' ']);
        let inside = text.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
        let clock = inside.map_or(text, |(clock, _)| clock);
        if !clock.is_empty() {
            self.clock = clock.to_owned();
        }
    }

    fn add_offset(&mut self, nanoseconds: i64) {
        self.time_offset = self.time_offset.wrapping_add(nanoseconds);
    }
}

impl TscScale {
    fn from_bytes(bytes: &[u8]) -> Option<TscScale> {
        Some(TscScale {
            multiplier: crate::bytes::u32_at(bytes, 0)?,
            shift: crate::bytes::u32_at(bytes, 4)?,
            offset: crate::bytes::u64_at(bytes, 8)?,
        })
    }

    fn to_bytes(self) -> Vec<u8> {
        let TscScale { multiplier, shift, offset } = self;
        [&multiplier.to_le_bytes()[..], &shift.to_le_bytes(), &offset.to_le_bytes()].concat()
    }
}

/// The data of an option whose number has been read, and where it is.
pub(super) fn data<R: Read + Seek>(input: &mut Input<R>) -> Result<(u64, Vec<u8>), Error> {
    let size = input.u32("the size of an option")?;
    let offset = input.position();
    Ok((offset, input.block(u64::from(size), "an option")?))
}

fn text(data: &[u8]) -> String {
    let text = data.strip_suffix(&[0]).unwrap_or(data);
    String::from_utf8_lossy(text).into_owned()
}

/// A number in decimal, or in hexadecimal after `0x`; 0 for anything else.
fn integer(data: &[u8]) -> i64 {
    let text = String::from_utf8_lossy(crate::bytes::until_nul(data));
    let number = match text.trim().split_once("0x") {
        Some((sign @ ("" | "+" | "-"), hex)) => i128::from_str_radix(&format!("{sign}{hex}"), 16),
        _ => text.trim().parse(),
    };
    number.unwrap_or(0) as i64
}
