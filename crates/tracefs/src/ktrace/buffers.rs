//! `ktrace/buffers`: the records of each CPU, for a consumer.

use crate::control_file::{ControlFile, Opened};
use crate::errno::errno;
use crate::node::{Directory, Node};
use crate::trace_array::TraceArray;
use ktrace::{BadPosition, RecordStream};
use rustix::fs::OFlags;
use rustix::io::Errno;
use std::cell::RefCell;
use std::sync::Arc;

/// The directory, with a file for every CPU, and one for every lane.
pub(super) struct BuffersDirectory;

impl Directory for BuffersDirectory {
    fn mode(&self) -> u32 {
        0o755
    }

    fn names(&self, array: &TraceArray) -> Vec<String> {
        let geometry = array.instance().buffer().geometry();
        (0..geometry.blocks()).map(|block| name(block, geometry.cpus)).collect()
    }

    fn entry(&self, array: &TraceArray, entry: &str) -> Option<Node> {
        let geometry = array.instance().buffer().geometry();
        let block = (0..geometry.blocks()).find(|block| entry == name(*block, geometry.cpus))?;
        Some(Node::file(array, Arc::new(RecordsFile { block })))
    }
}

/// Lanes, which programs without rseq write to, follow the CPUs.
fn name(block: u32, cpus: u32) -> String {
    match block.checked_sub(cpus) {
        None => format!("cpu{block}"),
        Some(lane) => format!("lane{lane}"),
    }
}

/// The records of one of them, packed one after the other. Reading leaves them where they are; the tracer's
/// ioctl(2) requests give positions, and take how far the consumer has come. One consumer at a time: EBUSY
/// for others, and for `trace_pipe` meanwhile.
struct RecordsFile {
    block: u32,
}

impl ControlFile for RecordsFile {
    fn mode(&self) -> u32 {
        0o440
    }

    fn is_stream(&self) -> bool {
        true
    }

    fn open(&self, array: &TraceArray, _flags: OFlags) -> Result<Box<dyn Opened>, Errno> {
        let stream = RecordStream::open(array.shared_instance(), self.block).map_err(errno)?;
        Ok(Box::new(OpenRecords(RefCell::new(stream))))
    }
}

/// An open one.
struct OpenRecords(RefCell<RecordStream>);

/// `_IOR(0xF5, 0, u32)`: bytes of the CPU's buffer.
const GET_SIZE: u32 = request(READ, 0);
/// `_IOR(0xF5, 1, u32)`: where the last record ends.
const GET_PRODUCED: u32 = request(READ, 1);
/// `_IOR(0xF5, 2, u32)`: where the first record begins that was not consumed.
const GET_CONSUMED: u32 = request(READ, 2);
/// `_IOW(0xF5, 4, u32)`: up to where the records were consumed.
const PUT_CONSUMED: u32 = request(WRITE, 4);

/// The direction of a request that gives something.
const READ: u32 = 2;
/// The direction of a request that takes something.
const WRITE: u32 = 1;

/// The number of a request of the tracer, with 32 bits as its argument.
const fn request(direction: u32, number: u32) -> u32 {
    direction << 30 | 4 << 16 | 0xf5 << 8 | number
}

impl Opened for OpenRecords {
    fn read(&mut self, _offset: u64, len: usize) -> Result<Option<Vec<u8>>, Errno> {
        match len {
            0 => Ok(Some(Vec::new())),
            len => Ok(self.0.borrow_mut().read(len)),
        }
    }

    fn is_readable(&self) -> bool {
        self.0.borrow_mut().has_unread()
    }

    fn ioctl(&mut self, request: u32, argument: &[u8]) -> Result<Vec<u8>, Errno> {
        let stream = self.0.get_mut();
        let position = match request {
            GET_SIZE => u32::try_from(stream.size()).unwrap_or(u32::MAX),
            GET_PRODUCED => stream.produced() as u32,
            GET_CONSUMED => stream.consumed() as u32,
            PUT_CONSUMED => {
                let position = argument.first_chunk().ok_or(Errno::INVAL)?;
                stream.put_consumed(u32::from_ne_bytes(*position)).map_err(|bad| match bad {
                    BadPosition::Beyond => Errno::RANGE,
                    BadPosition::InRecord => Errno::INVAL,
                    BadPosition::Contended => Errno::AGAIN,
                })?;
                return Ok(Vec::new());
            }
            _ => return Err(Errno::NOTTY),
        };
        Ok(position.to_ne_bytes().to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tree;
    use crate::ktrace::events::tests::declare;
    use crate::top::tests::tree;
    use ring_buffer::{RecordBuffer, Writer, WriterThread};

    /// Writes an event of this id to the first lane, with a number.
    fn write(tree: &Tree, id: u16, number: u64) {
        let writer = Writer::new(tree.instance().again().unwrap().into_buffer());
        let mut record = RecordBuffer::<4>::new();
        record.push(abi::common::word(id, 0, 0, 77));
        record.push(number);
        let identity = u64::from(std::process::id());
        writer.write(WriterThread { area: None, identity }, record.event()).unwrap();
    }

    #[test]
    fn a_file_has_records_and_the_requests_of_the_tracer() {
        let (_directory, tree) = tree();
        let (_, id) = declare(&tree, "order", "order %d");
        (7..9).for_each(|number| write(&tree, id, number));
        let mut lane = tree.open("ktrace/buffers/lane0", OFlags::RDONLY).unwrap();
        assert!(lane.is_readable());
        let [low, high] = id.to_le_bytes();
        let expected = [low, high, 7, 0, 0, 0, low, high, 8, 0, 0, 0];
        assert_eq!(lane.read(100).unwrap(), expected);
        assert_eq!((lane.read(100), lane.is_readable()), (Err(Errno::AGAIN), false));
        let get = |lane: &mut crate::Handle, number| {
            lane.ioctl(number, &[]).map(|found| u32::from_ne_bytes(found.try_into().unwrap()))
        };
        assert_eq!(get(&mut lane, 0x8004_f501), Ok(12));
        assert_eq!(get(&mut lane, 0x8004_f502), Ok(0));
        assert_eq!(get(&mut lane, 0x8004_f500).map(|size| size.is_multiple_of(4096) && size > 0), Ok(true));
        for (number, error) in [(0x4004_f503, Errno::NOTTY), (0x8008_f500, Errno::NOTTY), (0, Errno::NOTTY)] {
            assert_eq!(get(&mut lane, number), Err(error), "{number:x}");
        }
        let mut put = |position: u32| lane.ioctl(0x4004_f504, &position.to_ne_bytes());
        assert_eq!([13, 5, 6].map(&mut put), [Err(Errno::RANGE), Err(Errno::INVAL), Ok(vec![])]);
        let other = || tree.open("ktrace/buffers/lane0", OFlags::RDONLY);
        assert_eq!(other().map(drop), Err(Errno::BUSY));
        drop(lane);
        assert_eq!(other().unwrap().read(100).unwrap(), expected[6..]);
    }

    #[test]
    fn there_is_a_file_for_each_cpu() {
        let (_directory, tree) = tree();
        let cpus = tree.instance().buffer().geometry().cpus;
        for name in ["cpu0".to_string(), format!("cpu{}", cpus - 1)] {
            let mut file = tree.open(&format!("ktrace/buffers/{name}"), OFlags::RDONLY).unwrap();
            assert_eq!(file.read(9), Err(Errno::AGAIN));
            assert_eq!(file.seek(0), Err(Errno::SPIPE));
        }
        for name in [format!("cpu{cpus}"), "lane4".to_string(), "x".to_string()] {
            let opened = tree.open(&format!("ktrace/buffers/{name}"), OFlags::RDONLY);
            assert_eq!(opened.map(drop), Err(Errno::NOENT), "{name}");
        }
    }
}
