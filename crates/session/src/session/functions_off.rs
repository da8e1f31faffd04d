//! Why processes trace no functions, in words.

use super::Session;
use super::traceable::functions_with_sites;
use crate::object_path::object_path;
use abi::control::{FunctionsOff, FunctionsOffReason};
use control::ProcessInfo;
use std::fmt::Write as _;
use std::io::Error as IoError;
use std::path::Path;

impl Session {
    /// Why a process traces no functions, or none of one of its files. None where nothing is wrong.
    ///
    /// Cost: reading the symbols of a file, where it is about a function of that.
    pub fn functions_off(&self, process: &ProcessInfo) -> Option<String> {
        let off = self.control().functions_off(process.entry)?;
        let error = || IoError::from_raw_os_error(off.errno);
        Some(match off.reason {
            FunctionsOffReason::Differs => self.different_code(&off),
            FunctionsOffReason::Forbidden => format!(
                "the system doesn't let code be written ({}): SELinux's execmod, PR_SET_MDWE, or systemd's \
                 MemoryDenyWriteExecute=",
                error()
            ),
            FunctionsOffReason::Unsynchronized => {
                format!("other threads can't be made to see changed code: membarrier: {}", error())
            }
            FunctionsOffReason::LeftWritable => format!(
                "the code of {} can be written, as it could not be protected again: {}",
                self.file_of(&off).0,
                error()
            ),
            FunctionsOffReason::NoSpace => {
                format!("no memory is free that the code of {} could call", self.file_of(&off).0)
            }
            FunctionsOffReason::SelfTest => "the self test failed: a function of the agent's own was not \
                 traced as it should have been"
                .to_string(),
        })
    }

    /// Which site is not what it should be.
    fn different_code(&self, off: &FunctionsOff) -> String {
        let (file, build_id) = self.file_of(off);
        let functions = functions_with_sites(Path::new(&file), &build_id, false);
        let function = functions.iter().rfind(|function| function.address <= off.address);
        let name = function.map_or_else(|| "a function".to_string(), |function| function.name());
        let [expected, found] = off.code.map(|(bytes, len)| hex(bytes.get(..len.into()).unwrap_or_default()));
        format!(
            "somebody else has changed the code of {name} at {:#x} of {file}: expected {expected}, found {found}",
            off.address
        )
    }

    /// The path of the file that it is about, and its build id.
    fn file_of(&self, off: &FunctionsOff) -> (String, Vec<u8>) {
        let object = off.object.and_then(|object| self.control().object(object));
        let path = object.and_then(|object| {
            let path = object_path(self.control(), &object)?;
            Some((path.to_string_lossy().into_owned(), object.build_id().to_vec()))
        });
        path.unwrap_or_else(|| ("a file that is not known".to_string(), Vec::new()))
    }
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for (index, byte) in bytes.iter().enumerate() {
        let space = if index == 0 { "" } else { " " };
        let _ = write!(text, "{space}{byte:02x}");
    }
    text
}
