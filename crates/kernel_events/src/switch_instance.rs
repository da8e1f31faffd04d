//! Which thread runs, as the kernel records it.

use crate::conversion::RecordConversion;
use crate::{Error, KernelRecord, TracefsInstance};
use abi::clock::Clock;
use events::EventType;

/// An instance in the kernel's tracefs with events that are also ours. What it gives has our ids and fields.
#[derive(Debug)]
pub struct SwitchInstance {
    instance: TracefsInstance,
    conversions: Vec<RecordConversion>,
    record: Vec<u8>,
}

impl SwitchInstance {
    /// Makes one with these events of these threads, and of all that they start from now on: in a clock, and
    /// with so large a buffer for each CPU, or larger.
    ///
    /// # Errors
    ///
    /// When the kernel doesn't let us, or can't.
    pub fn make(
        events: &[EventType],
        buffer: (Clock, u64),
        threads: impl IntoIterator<Item = u32>,
    ) -> Result<SwitchInstance, Error> {
        let instance = TracefsInstance::make(buffer, Some(threads))?;
        let mut conversions = Vec::new();
        for event in events {
            let text = instance.enable(event.system, event.name, None)?;
            conversions.push(RecordConversion::new(event, &text)?);
        }
        Ok(SwitchInstance { instance, conversions, record: Vec::new() })
    }

    /// The instance.
    pub fn instance(&mut self) -> &mut TracefsInstance {
        &mut self.instance
    }

    /// Consumes what is there, CPU by CPU, at most so many pages of each: the kernel goes on meanwhile. The
    /// bytes of the CPU that had most.
    ///
    /// # Errors
    ///
    /// When the kernel's pages can't be read, or that of `take`.
    pub fn consume<E: From<std::io::Error>>(
        &mut self,
        most: usize,
        mut take: impl FnMut(&KernelRecord<'_>) -> Result<(), E>,
    ) -> Result<u64, E> {
        let SwitchInstance { instance, conversions, record: converted } = self;
        instance.consume(most, |record| {
            let id = record.payload.first_chunk().map(|bytes| u16::from_le_bytes(*bytes));
            let conversion = conversions.iter().find(|known| Some(known.kernel_id) == id);
            match conversion.and_then(|known| known.convert(record.payload, converted)) {
                Some(()) => take(&KernelRecord { payload: converted, ..*record }),
                None => Ok(()),
            }
        })
    }
}
