//! What is written into a trace.dat file besides metadata.

use super::Error;
use std::io::{self, Read, Write};

/// A buffer to be written: the top one, or an instance.
#[derive(Debug)]
pub struct BufferSource<R> {
    /// The name of the instance; the top buffer, which comes first, has none.
    pub name: String,
    /// The pages of each CPU, by its number.
    pub cpus: Vec<CpuSource<R>>,
}

/// The pages of a CPU to be written.
#[derive(Debug)]
pub struct CpuSource<R> {
    /// Where they come from.
    pub pages: R,
    /// How many bytes will come: a multiple of the page size, or what [`super::compress()`] has returned. 0
    /// for a CPU without events.
    pub length: u64,
}

impl<R: Read> BufferSource<R> {
    /// Puts each CPU's pages at a multiple of `alignment` after what is in front, which ends at `end`. Gives
    /// their places, and the end of all of them.
    pub(super) fn places(&self, end: u64, alignment: u64) -> (Vec<u64>, u64) {
        let start = end.next_multiple_of(alignment);
        let mut next = start;
        let place = |source: &CpuSource<R>| {
            let place = next;
            next += source.length;
            place
        };
        let places = self.cpus.iter().map(place).collect();
        (places, if next > start { next } else { end })
    }

    /// Copies the pages to their places, from `position` on. Gives the position after them.
    pub(super) fn copy(&mut self, out: &mut impl Write, places: &[u64], position: u64) -> Result<u64, Error> {
        let io = |source| Error::Io { what: "writing the file", source };
        let mut position = position;
        for (cpu, (source, place)) in self.cpus.iter_mut().zip(places).enumerate() {
            if source.length == 0 {
                continue;
            }
            io::copy(&mut io::repeat(0).take(place - position), out).map_err(io)?;
            let copied = io::copy(&mut (&mut source.pages).take(source.length), out).map_err(io)?;
            if copied != source.length {
                let reason = format!("{copied} bytes, {} were announced", source.length);
                return Err(Error::Data { cpu, reason });
            }
            position = place + copied;
        }
        Ok(position)
    }
}
