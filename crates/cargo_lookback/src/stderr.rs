//! What the compiler says, without what LLVM says about its list.
//!
//! LLVM reports every function in the list that a unit of the crate doesn't have, in three writes, while
//! other threads write messages. So the pipe is one that keeps writes apart, of up to a page: the three are
//! recognized, and what is left is the compiler's, in order.

use rustix::pipe::{PipeFlags, pipe_with};
use std::fs::File;
use std::io::{self, Read, Write};
use std::process::{Command, ExitStatus};

const START: &[u8] = b"Function in CSV file at line ";
const END: &[u8] = b" does not exist.\n";

/// Runs the compiler, and passes on what it says.
pub fn run_quietly(mut compiler: Command) -> io::Result<ExitStatus> {
    let (reader, writer) = pipe_with(PipeFlags::DIRECT | PipeFlags::CLOEXEC)?;
    let mut child = compiler.stderr(writer).spawn()?;
    // It has the other end of the pipe, too.
    drop(compiler);
    let mut reader = File::from(reader);
    let mut filter = ListFilter::default();
    let mut buffer = [0; 4096];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) if filter.is_about_list(&buffer[..length]) => {}
            Ok(length) => io::stderr().write_all(&buffer[..length])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    child.wait()
}

/// Recognizes the writes that are about the list.
#[derive(Debug, Default)]
struct ListFilter {
    /// Messages that have begun, the line's number of which is to come.
    without_number: usize,
}

impl ListFilter {
    fn is_about_list(&mut self, write: &[u8]) -> bool {
        if write == START {
            self.without_number += 1;
            return true;
        }
        if self.without_number > 0 && write.iter().all(u8::is_ascii_digit) {
            self.without_number -= 1;
            return true;
        }
        write == END || (write.starts_with(START) && write.ends_with(END))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_messages_about_the_list_are_left_out() {
        let writes: [&[u8]; 9] = [b"12", START, START, b"{\"a\":1", b"7", END, b"}\n", b"13", b"14"];
        let mut filter = ListFilter::default();
        let left: Vec<&[u8]> = writes.into_iter().filter(|write| !filter.is_about_list(write)).collect();
        assert_eq!(left, [&b"12"[..], b"{\"a\":1", b"}\n", b"14"]);
    }
}
