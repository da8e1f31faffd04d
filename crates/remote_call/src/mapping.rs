//! A stopped thread of a static program maps the agent, as a dynamic linker would have it done.

use crate::agent_image::AgentImage;
use crate::loading::{Loading, PATH, returned};
use crate::mapper;
use crate::refusal::CallRefusal;
use crate::stopped::ThreadFailure;
use crate::target::TargetProcess;
use std::io;

/// Bytes for the code that maps it.
const PAGE: u64 = 4096;

impl Loading<'_> {
    /// Has the agent be in the process, with its addresses relocated: where its routine is then. What whoever
    /// was here before has left undone is done.
    pub(crate) fn map(
        &self,
        image: &AgentImage,
        auxiliary: &[u8],
        is_of_go: bool,
    ) -> Result<u64, ThreadFailure> {
        let target = self.target();
        if let Some(start) = self.routine().start(target) {
            if target.read_word(image.is_ready(start))? == 0 {
                make_ready(target, image, (start, auxiliary, is_of_go))?;
            }
            return self.routine().find(target).ok_or_else(not_mapped);
        }
        let start = self.map_file(image)?;
        make_ready(target, image, (start, auxiliary, is_of_go))?;
        let now = TargetProcess::open(target.pid)?;
        self.routine().find(&now).ok_or_else(not_mapped)
    }

    /// Has the thread map the file: where that is.
    fn map_file(&self, image: &AgentImage) -> Result<u64, ThreadFailure> {
        let code = self.map_memory(PAGE, libc::PROT_READ | libc::PROT_EXEC)?.map_err(refused)?;
        let path = self.area() + PATH;
        let request = self.area() + PATH - PAGE;
        self.target().write(code, mapper::code())?;
        self.target().write(request, &image.request(path).to_bytes())?;
        let start = self.call((code, [request, 0]))?;
        self.system_call(libc::SYS_munmap, [code, PAGE, 0, 0, 0, 0])?;
        returned(start).map_err(refused)
    }
}

/// Stores what the agent has to have, and at last that it has it.
fn make_ready(
    target: &TargetProcess,
    image: &AgentImage,
    (start, auxiliary, is_of_go): (u64, &[u8], bool),
) -> Result<(), CallRefusal> {
    for (address, bytes) in image.contents(start, auxiliary, is_of_go) {
        target.write(address, &bytes)?;
    }
    target.write(image.is_ready(start), &1_u64.to_le_bytes())
}

fn refused(error: io::Error) -> ThreadFailure {
    CallRefusal::System(format!("it can't map the agent: {error}")).into()
}

fn not_mapped() -> ThreadFailure {
    CallRefusal::System("the agent is not where it was mapped".to_owned()).into()
}
