//! What can be known before a thread is stopped that is to load the agent.

use crate::agent_image::AgentImage;
use crate::filter::has_filters;
use crate::handed::HandedDirectories;
use crate::libc_image::LibcImage;
use crate::look::{ProcessLook, threads};
use crate::process_filters;
use crate::refusal::CallRefusal;
use crate::routine::{AttachRoutine, AttachStep};
use crate::static_program::StaticImage;
use crate::target::TargetProcess;
use abi::OBJECT_PREFIX;
use abi::attach::AttachRequest;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The agent: its file, and what is in it.
#[derive(Debug, Clone, Copy)]
pub struct AgentFile<'a> {
    /// Where the process finds it.
    pub path: &'a Path,
    /// Its bytes.
    pub bytes: &'a [u8],
    /// What is to be handed to the process, where it doesn't find the agent's file or the session's.
    pub handed: Option<&'a HandedDirectories>,
}

/// A process, and all that can be known before one of its threads is stopped.
#[derive(Debug)]
pub(crate) struct LoadPlan<'a> {
    pub(crate) target: TargetProcess,
    pub(crate) libc: LibcImage,
    pub(crate) routine: AttachRoutine,
    /// What is mapped without a dynamic linker, and what the kernel has passed to the process: in a static
    /// program.
    pub(crate) image: Option<(AgentImage, Vec<u8>)>,
    /// Whether that is one of Go.
    pub(crate) is_of_go: bool,
    /// Whether the process ignores SIGTRAP.
    pub(crate) ignores_traps: bool,
    pub(crate) path: &'a Path,
    pub(crate) handed: Option<&'a HandedDirectories>,
    pub(crate) request: &'a AttachRequest,
    /// [`AttachRequest::freed`].
    pub(crate) freed: u64,
    /// Why the agent is to make no system calls after it has attached, if that is so.
    pub(crate) makes_no_calls: Option<String>,
}

/// What is seen of a process while all of its threads go on.
#[derive(Debug)]
struct LoadLook {
    look: ProcessLook,
    target: TargetProcess,
    libc: LibcImage,
    routine: AttachRoutine,
    image: Option<(AgentImage, Vec<u8>)>,
    is_of_go: bool,
}

impl LoadLook {
    fn new(pid: u32, agent: AgentFile<'_>, step: AttachStep) -> Result<LoadLook, CallRefusal> {
        let look = ProcessLook::at(pid).ok_or(CallRefusal::Gone)?;
        look.may_be_traced()?;
        let mut target = TargetProcess::open(pid)?;
        let name = agent.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let has_other = target.mappings().any(|mapping| {
            mapping.is_code && mapping.name.starts_with(OBJECT_PREFIX) && mapping.name != name
        });
        if has_other {
            return Err(CallRefusal::OtherAgent);
        }
        let routine = AttachRoutine::of(agent.bytes, &name, step).ok_or(CallRefusal::OtherAgent)?;
        let code = routine.agent_code(&target).map(|code| code.addresses());
        let (libc, image, is_of_go) = match AgentImage::of(agent.bytes) {
            Some(image) => {
                let program = StaticImage::of(&target)?;
                target.waiting = program.waiting;
                let libc = LibcImage::of_static(&target, &program.text, code)?;
                (libc, Some((image, program.auxiliary)), program.is_of_go)
            }
            None => (LibcImage::find(&target, code)?, None, false),
        };
        if look.has_shadow_stack {
            return Err(CallRefusal::NoLibc("its threads have shadow stacks".to_owned()));
        }
        Ok(LoadLook { look, target, libc, routine, image, is_of_go })
    }
}

/// Whether a process could load the agent, as far as that is seen while all of its threads go on. Whether its
/// filters of system calls let it isn't: whether it has some.
///
/// # Errors
///
/// Why [`load`](crate::load) would do nothing.
pub fn may_load(pid: u32, agent: AgentFile<'_>) -> Result<bool, CallRefusal> {
    let LoadLook { target, .. } = LoadLook::new(pid, agent, AttachStep::Attach)?;
    Ok(threads(target.pid).into_iter().any(|tid| has_filters(target.pid, tid)))
}

impl<'a> LoadPlan<'a> {
    pub(crate) fn new(
        pid: u32,
        agent: AgentFile<'a>,
        request: &'a AttachRequest,
        step: AttachStep,
    ) -> Result<LoadPlan<'a>, CallRefusal> {
        let LoadLook { look, target, libc, routine, image, is_of_go } = LoadLook::new(pid, agent, step)?;
        if step == AttachStep::Detach && routine.find(&target).is_none() {
            return Err(CallRefusal::NotAttached);
        }
        let (AgentFile { path, handed, .. }, ignores_traps) = (agent, look.ignores_traps);
        let makes_no_calls = match step {
            AttachStep::Attach => process_filters::obstacle(&target)?,
            AttachStep::Detach => None,
        };
        let freed = 0;
        Ok(LoadPlan {
            target,
            libc,
            routine,
            image,
            is_of_go,
            ignores_traps,
            path,
            handed,
            request,
            freed,
            makes_no_calls,
        })
    }
}

/// A request as it lies in the process's memory, with what may be freed, the mask of the thread's signals,
/// and whether the agent may make system calls after it.
pub(crate) fn bytes_of(request: &AttachRequest, freed: u64, mask: u64, may_call: bool) -> Vec<u8> {
    let mut bytes = request.session.to_le_bytes().to_vec();
    for word in [freed, mask, may_call.into(), request.pid_namespace] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(request.comm);
    bytes.extend(request.file);
    for thread in &request.threads {
        bytes.extend(thread.tid.to_le_bytes());
        bytes.extend(thread.comm);
    }
    bytes
}

/// A path as the dynamic linker gets it.
pub(crate) fn with_end(path: &OsStr) -> Vec<u8> {
    [path.as_bytes(), b"\0"].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use abi::attach::NamedThread;
    use abi::control::LONGEST_PATH;

    #[test]
    fn a_request_is_laid_out_as_the_agent_reads_it() {
        let mut threads = [NamedThread::default(); abi::attach::NAMED_THREADS];
        threads[1] = NamedThread { tid: 7, comm: *b"seven\0\0\0\0\0\0\0\0\0\0\0" };
        let request = AttachRequest {
            session: 3,
            freed: 0,
            mask: 0,
            may_call: 0,
            pid_namespace: 6,
            comm: [1; 16],
            file: [2; LONGEST_PATH],
            threads,
        };
        let bytes = bytes_of(&request, 4, 5, true);
        assert_eq!(bytes.len(), size_of::<AttachRequest>());
        assert_eq!([0, 8, 16, 24, 32].map(|at: usize| bytes[at]), [3, 4, 5, 1, 6]);
        assert_eq!(bytes[std::mem::offset_of!(AttachRequest, file)], 2);
        let second = std::mem::offset_of!(AttachRequest, threads) + size_of::<NamedThread>();
        assert_eq!(&bytes[second..second + 9], b"\x07\0\0\0seven");
    }
}
