//! Where a function's frame is, by the registers at an instruction, as `.eh_frame` says.

use gimli::{
    BaseAddresses, CfaRule, EhFrame, EndianSlice, LittleEndian, Register, UnwindContext, UnwindSection,
};
use object::{Object, ObjectSection};

/// How the frames of a file's functions are found: their canonical frame addresses, which debug information
/// counts from.
#[derive(Debug, Clone, Default)]
pub struct CanonicalFrames {
    eh_frame: Vec<u8>,
    bases: BaseAddresses,
}

impl CanonicalFrames {
    /// Those of a program's or library's own file: files that have debug information alone have none of them.
    pub fn of<'a>(file: &impl Object<'a>) -> CanonicalFrames {
        let address = |name| file.section_by_name(name).map_or(0, |section| section.address());
        let section = file.section_by_name(".eh_frame");
        let eh_frame = section.and_then(|section| Some(section.uncompressed_data().ok()?.into_owned()));
        let bases = BaseAddresses::default()
            .set_eh_frame(address(".eh_frame"))
            .set_text(address(".text"))
            .set_got(address(".got"));
        CanonicalFrames { eh_frame: eh_frame.unwrap_or_default(), bases }
    }

    /// The frame address before the instruction at an address: so many bytes after what a register has. None
    /// where that isn't said, or isn't as simple.
    pub(crate) fn at(&self, address: u64) -> Option<(Register, i64)> {
        let mut eh_frame = EhFrame::from(EndianSlice::new(&self.eh_frame, LittleEndian));
        eh_frame.set_address_size(8);
        let mut context = UnwindContext::new();
        let found = eh_frame.unwind_info_for_address(
            &self.bases,
            &mut context,
            address,
            UnwindSection::cie_from_offset,
        );
        match found.ok()?.cfa() {
            CfaRule::RegisterAndOffset { register, offset } => Some((*register, *offset)),
            CfaRule::Expression(_) => None,
        }
    }
}
