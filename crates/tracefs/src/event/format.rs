//! `format`: the fields of an event, and how they are printed.

use crate::catalog::EventName;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;

/// The text that readers of raw pages need. ENODEV when the instance has been removed meanwhile, as in the
/// kernel.
#[derive(Clone)]
pub(crate) struct EventFormatFile(pub(crate) EventName);

impl TextFile for EventFormatFile {
    const MODE: u32 = 0o440;
    const IS_KEPT: bool = true;
    fn keeps_instance(&self) -> bool {
        false
    }

    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        array.still_there()?;
        let event = array.instance().event_of_id(self.0.id).ok_or(Errno::NODEV)?;
        Ok(event.format)
    }
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree};

    #[test]
    fn the_tracers_events_are_the_kernels() {
        let (_directory, tree) = tree();
        for event in [
            "print",
            "raw_data",
            "function",
            "func_repeats",
            "kernel_stack",
            "funcgraph_entry",
            "funcgraph_exit",
        ] {
            let path = format!("events/ftrace/{event}/format");
            let Ok(kernels) = std::fs::read_to_string(format!("/sys/kernel/tracing/{path}")) else {
                println!("skipped: no tracefs that this user may read");
                return;
            };
            // Some kernels don't record what functions return.
            if event != "funcgraph_exit" || kernels.contains(" retval;") {
                assert_eq!(read(&tree, &path), kernels);
            }
        }
    }
}
