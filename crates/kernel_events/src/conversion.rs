//! From the kernel's records to ours: other ids, and fields in other places on older kernels.

use crate::Error;
use events::EventType;
use std::ops::Range;
use trace_data::format::Format;

/// How records of one event are converted.
#[derive(Debug)]
pub(crate) struct RecordConversion {
    /// The kernel's id of it.
    pub(crate) kernel_id: u16,
    id: u16,
    /// Bytes of our record.
    size: usize,
    /// Where a field is in the kernel's record, and where it goes.
    fields: Vec<(Range<usize>, usize)>,
}

impl RecordConversion {
    /// By the text of the kernel's `format` file of the event.
    pub(crate) fn new(event: &EventType, text: &str) -> Result<RecordConversion, Error> {
        let missing = |field, size| Error::Field { event: event.name, field, size };
        let format = Format::parse(event.system, text).map_err(|_| missing("common_type", 2))?;
        let mut fields = Vec::new();
        let mut end = abi::common::SIZE;
        for (offset, field) in event.placed_fields() {
            let size = field.kind.size();
            let found = format.field(field.name).filter(|found| found.size == size);
            let from = found.ok_or_else(|| missing(field.name, size))?.offset;
            fields.push((from..from + size, offset));
            end = offset + size;
        }
        Ok(RecordConversion { kernel_id: format.id, id: event.id, size: end, fields })
    }

    /// Puts our record of the kernel's into `out`. None where that is too short.
    pub(crate) fn convert(&self, payload: &[u8], out: &mut Vec<u8>) -> Option<()> {
        out.clear();
        out.extend_from_slice(&self.id.to_le_bytes());
        out.extend_from_slice(payload.get(2..abi::common::SIZE)?);
        out.resize(self.size, 0);
        for (from, to) in &self.fields {
            out.get_mut(*to..to + from.len())?.copy_from_slice(payload.get(from.clone())?);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use events::switch::{SWITCH, WAKING};

    const COMMON: &str = "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n";

    fn waking(fields: &str) -> String {
        format!("name: sched_waking\nID: 311\nformat:\n{COMMON}{fields}\nprint fmt: \"\"\n")
    }

    #[test]
    fn fields_of_older_kernels_are_found_by_name() {
        // Of Linux 5.10.
        let text = waking(
            "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:1;\n\
             \tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n\
             \tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n\
             \tfield:int success;\toffset:32;\tsize:4;\tsigned:1;\n\
             \tfield:int target_cpu;\toffset:36;\tsize:4;\tsigned:1;\n",
        );
        let conversion = RecordConversion::new(&WAKING, &text).unwrap();
        let mut payload = vec![0x37, 1, 0x11, 2, 7, 0, 0, 0];
        payload.extend(*b"thread\0\0\0\0\0\0\0\0\0\0");
        [42_i32, 120, 1, 3].iter().for_each(|number| payload.extend(number.to_le_bytes()));
        let mut record = Vec::new();
        conversion.convert(&payload, &mut record).unwrap();
        let mut expected = WAKING.id.to_le_bytes().to_vec();
        expected.extend([0x11, 2, 7, 0, 0, 0]);
        expected.extend(*b"thread\0\0\0\0\0\0\0\0\0\0");
        [42_i32, 120, 3].iter().for_each(|number| expected.extend(number.to_le_bytes()));
        assert_eq!((conversion.kernel_id, record), (311, expected));
        assert_eq!(conversion.convert(&payload[..38], &mut Vec::new()), None);
    }

    #[test]
    fn what_this_kernel_lacks_is_said() {
        let short = "\tfield:char comm[8];\toffset:8;\tsize:8;\tsigned:0;\n";
        let error = RecordConversion::new(&WAKING, &waking(short)).unwrap_err().to_string();
        assert_eq!(error, "sched_waking of this kernel has no field comm of 16 bytes");
        assert!(RecordConversion::new(&SWITCH, "nothing").is_err());
    }
}
