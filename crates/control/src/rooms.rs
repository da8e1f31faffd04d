//! The rooms of a session's file: one for each instance's buffer, behind the control part.

use abi::control::{FILE_SIZE, Header};
use abi::instance::INSTANCES;
use core::sync::atomic::Ordering::Relaxed;
use shm::Segment;

/// The parts of a session's file.
#[derive(Debug)]
pub struct Parts {
    /// The control file.
    pub control: Segment,
    /// The first instance's room.
    pub first: Segment,
    /// Those behind it, if there are any.
    pub others: Option<Rooms>,
}

impl Parts {
    /// The parts of a session's file that is mapped whole. None where it has the wrong size.
    pub fn of(file: Segment) -> Option<Parts> {
        let rooms = file.get::<Header>(0)?.rooms.load(Relaxed) as usize;
        Parts::cut(file, rooms)
    }

    /// The same of a file that is being made, with so many rooms.
    pub fn cut(file: Segment, rooms: usize) -> Option<Parts> {
        let (control, all) = file.split(FILE_SIZE)?;
        let len = all.len().checked_div(rooms)?;
        if rooms > INSTANCES || !all.len().is_multiple_of(rooms) {
            return None;
        }
        if rooms == 1 {
            return Some(Parts { control, first: all, others: None });
        }
        let (first, others) = all.split(len)?;
        Some(Parts { control, first, others: Some(Rooms { all: others, len }) })
    }

    /// The control file and an instance's room; the other rooms are given back.
    pub fn only(self, instance: usize) -> Option<(Segment, Segment)> {
        let Parts { control, first, others } = self;
        let Some(before) = instance.checked_sub(1) else { return Some((control, first)) };
        let Rooms { all, len } = others?;
        let from = match before.checked_mul(len)? {
            0 => all,
            before => all.split(before)?.1,
        };
        if from.len() == len { Some((control, from)) } else { Some((control, from.split(len)?.0)) }
    }

    /// Bytes of a file with so many rooms of that size.
    pub fn size(rooms: usize, room: usize) -> Option<usize> {
        room.checked_mul(rooms)?.checked_add(FILE_SIZE)
    }
}

/// The rooms of the instances behind the first.
#[derive(Debug)]
pub struct Rooms {
    all: Segment,
    /// Bytes of one.
    len: usize,
}

impl Rooms {
    /// The room of an instance that is not the first.
    pub fn room(&'static self, instance: usize) -> Option<Segment> {
        self.all.part(instance.checked_sub(1)?.checked_mul(self.len)?, self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::boxed::Box;
    use std::ffi::CString;

    /// A file with three rooms of a page, in each of which is its number.
    fn file(name: &str) -> (CString, Segment) {
        let path = CString::new(std::format!("/dev/shm/lookback-{name}-{}", std::process::id())).unwrap();
        let file = shm::create(&path, Parts::size(3, 4096).unwrap()).unwrap();
        for room in 0..3 {
            file.write((FILE_SIZE + room * 4096) as u64, &(room as u64).to_le_bytes()).unwrap();
        }
        (path, file)
    }

    fn number(room: &Segment) -> u64 {
        let mut bytes = [0; 8];
        room.read(0, &mut bytes).unwrap();
        u64::from_le_bytes(bytes)
    }

    #[test]
    fn each_instance_has_a_room() {
        let (path, first) = file("rooms");
        let open = || Parts::cut(shm::open(&path).unwrap(), 3).unwrap();
        let Parts { first, others, control } = Parts::cut(first, 3).unwrap();
        assert_eq!((number(&first), first.len(), control.len()), (0, 4096, FILE_SIZE));
        let others: &'static Rooms = Box::leak(Box::new(others.unwrap()));
        for instance in 1..3 {
            assert_eq!(number(&others.room(instance).unwrap()), instance as u64);
            assert_eq!(number(&others.room(instance).unwrap()), instance as u64, "it stays mapped");
        }
        assert!(others.room(0).is_none() && others.room(3).is_none() && others.room(usize::MAX).is_none());
        assert_eq!([0, 1, 2].map(|index| number(&open().only(index).unwrap().1)), [0, 1, 2]);
        assert!(open().only(3).is_none() && open().only(usize::MAX).is_none());
        for rooms in [0, 2, INSTANCES + 1] {
            assert!(Parts::cut(shm::open(&path).unwrap(), rooms).is_none(), "{rooms}");
        }
        std::fs::remove_file(path.to_str().unwrap()).unwrap();
    }
}
