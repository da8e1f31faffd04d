//! Writes whose bytes are on their way through a channel.

use super::RecordLink;
use std::collections::VecDeque;

/// Writes that were not read yet, in their order.
#[derive(Debug, Default)]
pub(super) struct ChannelQueue {
    writes: VecDeque<ChannelWrite>,
    /// How many were read or have failed.
    gone: u64,
}

#[derive(Debug)]
struct ChannelWrite {
    /// None once it is at its end, or where it is not to be shown.
    link: Option<RecordLink>,
    /// Bytes that are left: as many as were to be written, until it is known how many were.
    bytes: u64,
    /// Bytes that were read of it before that.
    read: u64,
    /// Whether nobody knows how many were to be written, until it is known how many were.
    is_open: bool,
}

impl ChannelQueue {
    /// A write begins, of so many bytes if that is known. Its number.
    pub(super) fn push(&mut self, link: Option<RecordLink>, bytes: Option<u64>) -> u64 {
        let is_open = bytes.is_none();
        self.writes.push_back(ChannelWrite { link, bytes: bytes.unwrap_or(1), read: 0, is_open });
        self.gone + self.writes.len() as u64 - 1
    }

    /// A write has written so many bytes.
    pub(super) fn written(&mut self, number: u64, bytes: u64) {
        let Some(place) = number.checked_sub(self.gone) else { return };
        let Some(write) = self.writes.get_mut(place as usize) else { return };
        (write.bytes, write.is_open) = (bytes.saturating_sub(write.read), false);
        if write.bytes == 0 {
            write.link = None;
        }
        self.drop_empty();
    }

    /// So many bytes are read. The links of the writes that they were written by, each once.
    pub(super) fn read(&mut self, mut bytes: u64) -> impl Iterator<Item = RecordLink> + use<> {
        let mut links = Vec::new();
        for write in &mut self.writes {
            if bytes == 0 {
                break;
            }
            let taken = if write.is_open { bytes } else { write.bytes.min(bytes) };
            (write.read, bytes) = (write.read + taken, bytes - taken);
            if !write.is_open {
                write.bytes -= taken;
            }
            links.extend(write.link.take());
        }
        self.drop_empty();
        links.into_iter()
    }

    /// How many writes are on their way.
    pub(super) fn len(&self) -> usize {
        self.writes.len()
    }

    /// Whether so many bytes may be on their way.
    pub(super) fn may_have(&self, bytes: u64) -> bool {
        self.bytes() >= bytes || self.writes.iter().any(|write| write.is_open)
    }

    /// Bytes that are on their way.
    pub(super) fn bytes(&self) -> u64 {
        self.writes.iter().fold(0, |sum, write| sum.saturating_add(write.bytes))
    }

    fn drop_empty(&mut self) {
        while self.writes.front().is_some_and(|write| write.bytes == 0) {
            self.writes.pop_front();
            self.gone += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(id: u64) -> Option<RecordLink> {
        Some(RecordLink { id, begun: 0, is_end: false })
    }

    fn ids(links: impl Iterator<Item = RecordLink>) -> Vec<u64> {
        links.map(|link| link.id).collect()
    }

    #[test]
    fn bytes_are_read_in_the_order_in_which_they_were_written() {
        let mut queue = ChannelQueue::default();
        let [one, two] = [queue.push(link(1), Some(100)), queue.push(link(2), Some(100))];
        assert_eq!((one, two, queue.bytes()), (0, 1, 200));
        queue.written(one, 60);
        assert_eq!(ids(queue.read(10)), [1]);
        // The second write is read from before it is known how much it has written.
        assert_eq!(ids(queue.read(80)), [2]);
        queue.written(two, 40);
        assert_eq!((queue.bytes(), queue.read(10).count()), (10, 0));
        let failed = queue.push(link(3), Some(8));
        queue.written(failed, 0);
        assert_eq!((queue.bytes(), queue.read(100).count()), (0, 0));
    }

    #[test]
    fn what_is_written_is_as_long_as_it_is_known_to_be() {
        let mut queue = ChannelQueue::default();
        assert!(!queue.may_have(1), "nothing was written");
        let open = queue.push(link(1), None);
        assert!(queue.may_have(1 << 20));
        queue.push(link(2), Some(10));
        assert_eq!(ids(queue.read(70)), [1], "all of it is of the first write, as far as anybody knows");
        queue.written(open, 100);
        assert!(queue.may_have(40) && !queue.may_have(41));
        assert_eq!((ids(queue.read(30)), ids(queue.read(10))), (vec![], vec![2]));
    }
}
