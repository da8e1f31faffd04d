//! What the functions of a recording are called with.

use crate::elf::debug_info;
use crate::prototype::print;
use debug_info::DebugInfo;
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use trace_data::dat::{MappedFile, Supplement};
use trace_data::symbols::Parameters;

/// The parameters of functions by their addresses in a recording, from the debug information of the files
/// that were mapped. Files are read when an address in them is asked for first.
#[derive(Debug, Default)]
pub struct Prototypes {
    supplement: Supplement,
    read: Arc<ReadFiles>,
}

/// What was read, by path and build id: nothing of a file without debug information.
type ReadFiles = Mutex<HashMap<(String, Vec<u8>), Option<Arc<DebugInfo>>>>;

impl Prototypes {
    /// For these files.
    pub fn new(files: Vec<MappedFile>) -> Prototypes {
        Prototypes { supplement: Supplement { files, ..Supplement::default() }, read: Arc::default() }
    }

    /// Those of other files. What was read stays.
    pub(crate) fn with_files(&self, files: Vec<MappedFile>) -> Prototypes {
        Prototypes { read: self.read.clone(), ..Prototypes::new(files) }
    }

    fn types(&self, file: &MappedFile) -> Option<Arc<DebugInfo>> {
        let mut read = self.read.lock().ok()?;
        let types = read.entry((file.path.clone(), file.build_id.clone()));
        types.or_insert_with(|| debug_info(Path::new(&file.path), &file.build_id).map(Arc::new)).clone()
    }
}

impl Parameters for Prototypes {
    fn print(&self, function: u64, registers: &[u64; 6], out: &mut Vec<u8>) {
        if let Some((file, own)) = self.supplement.place(function)
            && let Some(types) = self.types(file)
        {
            types.with_parameters(own, |parameters| print(parameters, registers, out));
        }
    }
}
