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
}

impl ChannelQueue {
    /// A write begins. Its number.
    pub(super) fn push(&mut self, link: Option<RecordLink>, bytes: u64) -> u64 {
        self.writes.push_back(ChannelWrite { link, bytes, read: 0 });
        self.gone + self.writes.len() as u64 - 1
    }

    /// A write has written so many bytes.
    pub(super) fn written(&mut self, number: u64, bytes: u64) {
        let Some(place) = number.checked_sub(self.gone) else { return };
        let Some(write) = self.writes.get_mut(place as usize) else { return };
        write.bytes = bytes.saturating_sub(write.read);
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
            let taken = write.bytes.min(bytes);
            (write.bytes, write.read, bytes) = (write.bytes - taken, write.read + taken, bytes - taken);
            links.extend(write.link.take());
        }
        self.drop_empty();
        links.into_iter()
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
        let [one, two] = [queue.push(link(1), 100), queue.push(link(2), 100)];
        assert_eq!((one, two, queue.bytes()), (0, 1, 200));
        queue.written(one, 60);
        assert_eq!(ids(queue.read(10)), [1]);
        // The second write is read from before it is known how much it has written.
        assert_eq!(ids(queue.read(80)), [2]);
        queue.written(two, 40);
        assert_eq!((queue.bytes(), queue.read(10).count()), (10, 0));
        let failed = queue.push(link(3), 8);
        queue.written(failed, 0);
        assert_eq!((queue.bytes(), queue.read(100).count()), (0, 0));
    }
}
