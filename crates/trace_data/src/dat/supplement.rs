//! What trace.dat has no place for: which process a thread belongs to, what the wall clock showed, where in
//! its file a function is, and which processes were not recorded.
//!
//! It follows the last page, where readers that don't know of it never look: trace-cmd and KernelShark
//! read the rest as if it weren't there. Texts, each a name up to a NUL, a length of 8 bytes and lines in the
//! manner of the kernel's files; at the very end the offset at which they start, and a mark.
//!
//! | text | lines |
//! |---|---|
//! | `saved_tgids` | `PID TGID`, as the kernel's file |
//! | `real_time` | `TIME REAL`: a time of the recording's clock, and nanoseconds since 1970 |
//! | `mapped_files` | `BASE SIZE BUILD-ID PATH`, and after each, indented, `PLACE ADDRESS` of its functions; all in hexadecimal |
//! | `gaps` | `FROM TO`: events are missing between these times, 0 for the beginning and 2^64 - 1 for the end |
//! | `dropped_events` | `COUNT REASON`: events that were not written, when is not known |
//! | `unseen_processes` | `PID none NAME`, or `PID part NAME` for one that is recorded in part, a tab, and the reason |

use super::input::Input;
use super::output::{sized64, string};
use super::{Error, UnseenProcess};
use std::fmt::Write;
use std::io::{Read, Seek};
use std::str::FromStr;

/// The last bytes of a file that has one.
const MARK: [u8; 8] = *b"lookback";

/// Bytes of the offset and the mark.
const FOOTER: u64 = 16;

/// What is known beyond what a trace.dat file has a place for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Supplement {
    /// Threads and their processes.
    pub tgids: Vec<(i32, i32)>,
    /// Times in the recording's clock, and what `CLOCK_REALTIME` showed then, in ns.
    pub real_times: Vec<(u64, u64)>,
    /// The files that addresses in the recording are of.
    pub files: Vec<MappedFile>,
    /// The processes that the recording does not have, or has in part.
    pub unseen: Vec<UnseenProcess>,
    /// The times from which events are missing, as in [`Gaps::new`](crate::gaps::Gaps::new), also where pages
    /// don't say so: at the end, or where a reader has consumed them.
    pub gaps: Vec<(u64, u64)>,
    /// How many events were not written, and why.
    pub dropped: Vec<(u64, String)>,
}

/// A file that was mapped, and where the recording has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappedFile {
    /// Its path.
    pub path: String,
    /// The id that its linker gave it; empty where there is none.
    pub build_id: Vec<u8>,
    /// Where addresses that are in no function start in the recording: those of the file, plus this.
    pub base: u64,
    /// Bytes of that range.
    pub size: u64,
    /// Functions: where the recording has them, and where the file has them. Sorted by the first.
    pub functions: Vec<(u64, u64)>,
}

impl Supplement {
    /// Whether nothing more is known.
    pub fn is_empty(&self) -> bool {
        *self == Supplement::default()
    }

    /// The file that an address of the recording is in, and its address there.
    pub fn place(&self, address: u64) -> Option<(&MappedFile, u64)> {
        self.files.iter().find_map(|file| {
            let offset = address.wrapping_sub(file.base);
            if offset < file.size {
                return Some((file, offset));
            }
            // The functions lie before what is in none, in a range of the same size; sites with names of
            // their own after it.
            let (is_before, is_after) =
                (file.base.wrapping_sub(address) <= file.size, offset < file.size.saturating_mul(2));
            let after = file.functions.partition_point(|(place, _)| *place <= address);
            let (place, own) = file.functions.get(after.checked_sub(1)?)?;
            let is_its_own = is_before || is_after && *place >= file.base;
            is_its_own.then_some((file, own + (address - place)))
        })
    }

    /// What `CLOCK_REALTIME` showed at a time of the recording's clock, in ns: between two readings, in
    /// proportion; before and after them, as with the nearest.
    pub fn real_time(&self, time: u64) -> Option<u64> {
        let after = self.real_times.partition_point(|(at, _)| *at <= time);
        let before = self.real_times.get(after.saturating_sub(1))?;
        let after = self.real_times.get(after).filter(|_| after > 0).unwrap_or(before);
        let offset = i128::from(before.1) - i128::from(before.0);
        let drift = i128::from(after.1) - i128::from(after.0) - offset;
        let span = i128::from(after.0 - before.0).max(1);
        let passed = i128::from(time) - i128::from(before.0);
        u64::try_from(i128::from(time) + offset + drift * passed / span).ok()
    }

    /// The time of the recording's clock at which `CLOCK_REALTIME` showed `real`, in ns, or 0 if that was
    /// before; to be trusted as far as nobody has set that clock meanwhile.
    pub fn time_at(&self, real: u64) -> Option<u64> {
        let after = self.real_times.partition_point(|(_, known)| *known <= real);
        let (time, known) = self.real_times.get(after.saturating_sub(1))?;
        u64::try_from((i128::from(*time) + i128::from(real) - i128::from(*known)).max(0)).ok()
    }

    /// The bytes at the end of a file that has `length` before them.
    pub(super) fn to_bytes(&self, length: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        if self.is_empty() {
            return bytes;
        }
        let texts = [
            ("saved_tgids", self.tgids.iter().map(|(pid, tgid)| format!("{pid} {tgid}\n")).collect()),
            ("real_time", self.real_times.iter().map(|(time, real)| format!("{time} {real}\n")).collect()),
            ("mapped_files", self.files.iter().map(MappedFile::to_text).collect::<String>()),
            ("unseen_processes", self.unseen.iter().map(UnseenProcess::to_text).collect()),
            ("gaps", self.gaps.iter().map(|(from, to)| format!("{from} {to}\n")).collect()),
            ("dropped_events", self.dropped.iter().map(|(count, why)| format!("{count} {why}\n")).collect()),
        ];
        for (name, text) in texts {
            bytes.extend(string(name));
            bytes.extend(sized64(&text));
        }
        bytes.extend(length.to_le_bytes());
        bytes.extend(MARK);
        bytes
    }

    /// Reads what stands at the end of a file; nothing where nothing does.
    pub(super) fn read<R: Read + Seek>(input: &mut Input<R>) -> Result<Supplement, Error> {
        const WHAT: &str = "the supplement";
        let mut supplement = Supplement::default();
        let end = (input.position() + input.remaining()).saturating_sub(FOOTER);
        if end == 0 {
            return Ok(supplement);
        }
        input.seek(end, WHAT)?;
        let start = input.u64(WHAT)?;
        if input.array(WHAT)? != MARK {
            return Ok(supplement);
        }
        if start > end {
            return Err(Error::invalid(WHAT, end, format!("it can't start at {start}")));
        }
        input.seek(start, WHAT)?;
        while input.position() < end {
            let name = input.string(WHAT)?;
            let size = input.u64(WHAT)?;
            let text = input.text(size, WHAT)?;
            match name.as_str() {
                "saved_tgids" => supplement.tgids = text.lines().filter_map(pair).collect(),
                "real_time" => supplement.real_times = text.lines().filter_map(pair).collect(),
                "mapped_files" => supplement.files = files(&text),
                "unseen_processes" => {
                    supplement.unseen = text.lines().filter_map(UnseenProcess::parse).collect();
                }
                "gaps" => supplement.gaps = text.lines().filter_map(pair).collect(),
                "dropped_events" => supplement.dropped = text.lines().filter_map(pair).collect(),
                // Of a later version.
                _ => {}
            }
        }
        supplement.real_times.sort_unstable();
        Ok(supplement)
    }
}

impl MappedFile {
    fn to_text(&self) -> String {
        let id: String = self.build_id.iter().map(|byte| format!("{byte:02x}")).collect();
        let id = if id.is_empty() { "-" } else { &id };
        let path = self.path.replace('\n', "?");
        let mut text = format!("{:x} {:x} {id} {path}\n", self.base, self.size);
        for (place, own) in &self.functions {
            let _ = writeln!(text, " {place:x} {own:x}");
        }
        text
    }

    fn parse(line: &str) -> Option<MappedFile> {
        let mut words = line.splitn(4, ' ');
        let mut hex = || u64::from_str_radix(words.next()?, 16).ok();
        let (base, size) = (hex()?, hex()?);
        let id = words.next()?;
        let digits = if id == "-" { "" } else { id };
        let byte = |index: usize| u8::from_str_radix(digits.get(index..index + 2)?, 16).ok();
        let build_id = (0..digits.len()).step_by(2).map(byte).collect::<Option<_>>()?;
        Some(MappedFile { path: words.next()?.to_owned(), build_id, base, size, functions: Vec::new() })
    }
}

/// A line of two values. None for another one, which is passed over.
fn pair<T: FromStr, U: FromStr>(line: &str) -> Option<(T, U)> {
    let (one, two) = line.split_once(' ')?;
    Some((one.parse().ok()?, two.parse().ok()?))
}

fn files(text: &str) -> Vec<MappedFile> {
    let mut files: Vec<MappedFile> = Vec::new();
    for line in text.lines() {
        match line.strip_prefix(' ') {
            Some(function) => {
                let pair = function.split_once(' ').and_then(|(place, own)| {
                    Some((u64::from_str_radix(place, 16).ok()?, u64::from_str_radix(own, 16).ok()?))
                });
                if let Some(file) = files.last_mut() {
                    file.functions.extend(pair);
                }
            }
            None => files.extend(MappedFile::parse(line)),
        }
    }
    files.iter_mut().for_each(|file| file.functions.sort_unstable());
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn unseen(name: &str, in_part: bool) -> UnseenProcess {
        UnseenProcess { pid: 7, name: name.into(), why: "static program".into(), in_part }
    }

    fn supplement() -> Supplement {
        let file = MappedFile {
            path: "/usr/lib/some lib.so".into(),
            build_id: vec![0xab, 0x01],
            base: 0x2000,
            size: 0x1000,
            functions: vec![(0x1100, 0x100), (0x1202, 0x200)],
        };
        let other = MappedFile { path: "/bin/x".into(), build_id: Vec::new(), base: 0x9000, ..file.clone() };
        Supplement {
            tgids: vec![(5, 5), (6, 5)],
            real_times: vec![(1000, 5000), (2000, 6010)],
            files: vec![file, MappedFile { functions: Vec::new(), ..other }],
            unseen: vec![unseen("busybox", false), unseen("two words", true)],
            gaps: vec![(0, 70), (90, u64::MAX)],
            dropped: vec![(3, "the buffer was full".to_owned())],
        }
    }

    #[test]
    fn what_is_written_can_be_read() {
        let mut bytes = b"pages".to_vec();
        bytes.extend(supplement().to_bytes(5));
        let read = |bytes: Vec<u8>| Supplement::read(&mut Input::new(Cursor::new(bytes)).unwrap());
        assert_eq!(read(bytes.clone()).unwrap(), supplement());
        for len in 0..bytes.len() {
            let _ = read(bytes[..len].to_vec());
            let mut changed = bytes.clone();
            changed[len] ^= 0xff;
            let _ = read(changed);
        }
        assert!(read(b"a file without one, which is long".to_vec()).unwrap().is_empty());
        let at = bytes.len() - 16;
        bytes[at..at + 8].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(read(bytes).is_err());
    }

    #[test]
    fn addresses_are_found_in_their_files() {
        let supplement = supplement();
        let place = |address| supplement.place(address).map(|(file, own)| (file.path.as_str(), own));
        assert_eq!(place(0x1110), Some(("/usr/lib/some lib.so", 0x110)));
        assert_eq!(place(0x1203), Some(("/usr/lib/some lib.so", 0x201)));
        assert_eq!(place(0x2345), Some(("/usr/lib/some lib.so", 0x345)));
        assert_eq!(place(0x9001), Some(("/bin/x", 1)));
        assert_eq!((place(0x10), place(0xffff_0000)), (None, None));
    }

    #[test]
    fn wall_clock_times_lie_between_readings() {
        let times = [0, 1000, 1500, 2000, 3000].map(|time| supplement().real_time(time));
        assert_eq!(times, [4000, 5000, 5505, 6010, 7010].map(Some));
        assert_eq!(Supplement::default().real_time(5), None);
        let times = [7, 4000, 5000, 5100, 6010, 7010].map(|real| supplement().time_at(real));
        assert_eq!(times, [0, 0, 1000, 1100, 2000, 3000].map(Some));
        assert_eq!(Supplement::default().time_at(5), None);
    }
}
