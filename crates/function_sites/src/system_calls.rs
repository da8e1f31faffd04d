//! Where a file's code may call the kernel.

use crate::go_functions::can_be_seen;
use crate::object_file::ObjectFile;
use core::ops::Range;

impl<'a> ObjectFile<'a> {
    /// The addresses in its code where there are these bytes, whether an instruction begins there or not.
    /// Of Go's those that the program's functions make, and none of the runtime's own: its stacks are too
    /// small for anything else.
    ///
    /// Cost: it looks at each byte of the code.
    pub fn occurrences(&self, bytes: [u8; 2]) -> impl Iterator<Item = u64> + use<'a> {
        let (is_of_go, is_pure) = (self.is_of_go(), self.is_pure_go());
        let sections = self.code_sections().filter(move |_| !is_of_go || is_pure);
        sections.flat_map(move |(address, code)| {
            let found = code.windows(bytes.len()).enumerate().filter(move |(_, window)| *window == bytes);
            let found = found.filter(move |(offset, _)| !is_of_go || can_be_seen(code, *offset));
            found.map(move |(offset, _)| address.wrapping_add(offset as u64))
        })
    }

    /// The bytes of code at these addresses. None where not all of them have a section.
    pub fn code_in(&self, addresses: &Range<u64>) -> Option<&'a [u8]> {
        let len = usize::try_from(addresses.end.checked_sub(addresses.start)?).ok()?;
        self.code_at(addresses.start).get(..len)
    }

    /// The addresses of the function that an address is in, as `.eh_frame` says, or Go's own table. None
    /// where nothing says so.
    ///
    /// Cost: a search in the table of frames.
    pub fn span_of_frame(&self, address: u64) -> Option<Range<u64>> {
        match self.go_functions() {
            Some(of_go) => of_go.span_around(address),
            None => Some(self.function_frames()?.at(address)?.span),
        }
    }
}
