//! Which objects the process has mapped: so that a caller's address can be given a name.

use crate::preload::object::elf::LoadedObject;
use crate::preload::object::tables::SymbolName;
use crate::preload::object::{borrowed, symbols};
use control::{ControlArea, Map, NewObject};
use core::ffi::{c_int, c_void};
use core::ops::ControlFlow;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicBool, AtomicU64};
use libc::dl_phdr_info;
use rustix::fs::CWD;
use text_poke::Text;
use trace_event::{AttachedSession, session};

/// The vDSO is no file.
fn is_vdso(object: &LoadedObject<'_>) -> bool {
    let vdso = borrowed::auxiliary(libc::AT_SYSINFO_EHDR);
    vdso != 0 && object.contains(vdso as usize)
}

/// Calls `each` with every object, in the order in which the dynamic linker looks for symbols, the program
/// first, and with how many objects have been mapped so far. Until it says that this is enough.
fn for_each(each: &mut dyn FnMut(&LoadedObject<'_>, u64) -> ControlFlow<()>) {
    // SAFETY: called by the dynamic linker only, with what it was given below.
    unsafe extern "C" fn callback(info: *mut dl_phdr_info, _size: usize, each: *mut c_void) -> c_int {
        // SAFETY: `each` is what is given below, and `info` is the dynamic linker's.
        unsafe {
            let each = &mut *each.cast::<&mut dyn FnMut(&LoadedObject<'_>, u64) -> ControlFlow<()>>();
            let object = LoadedObject::of(info);
            let enough = !is_vdso(&object) && each(&object, (*info).dlpi_adds).is_break();
            c_int::from(enough)
        }
    }
    type Iterate = unsafe extern "C" fn(
        unsafe extern "C" fn(*mut dl_phdr_info, usize, *mut c_void) -> c_int,
        *mut c_void,
    );
    const NAME: SymbolName<'_> = SymbolName::new(b"dl_iterate_phdr\0");
    // libc's own: others that have one may not be ready for us when a process starts.
    let Some(iterate) = symbols::find_libc(NAME).filter(|_| !may_be_unseen_copy()) else { return };
    let mut each = each;
    // SAFETY: the function has this type; the callback gets its own reference back while that lives.
    unsafe { core::mem::transmute::<usize, Iterate>(iterate)(callback, (&raw mut each).cast()) };
}

/// How many objects had been mapped when they were last entered into the session, + 1; 0 before.
static ENTERED: AtomicU64 = AtomicU64::new(0);

/// Whether the process is a copy of one that had more than one thread. One that was not copied may have held
/// the dynamic linker's lock, which nobody gives back then: such a copy doesn't ask for it.
static IS_COPY_OF_MANY: AtomicBool = AtomicBool::new(false);

/// Whether a process that is made by a copy now will be such a one.
static HAS_MANY_THREADS: AtomicBool = AtomicBool::new(false);

/// Before the process is copied: its copy's entry starts with what this one's has.
pub(crate) fn prepare_copy() {
    keep_up();
    HAS_MANY_THREADS.store(!is_single_threaded(), Relaxed);
}

/// In the copy.
pub(crate) fn copied() {
    if HAS_MANY_THREADS.load(Relaxed) {
        IS_COPY_OF_MANY.store(true, Relaxed);
    }
}

/// Whether the process may be a copy that was made by a call which was under way when we were brought in:
/// nobody has said how many threads there were, and one may have had the dynamic linker's lock.
fn may_be_unseen_copy() -> bool {
    let is_another =
        |session: AttachedSession| rustix::process::getpid().as_raw_nonzero().get() as u32 != session.pid();
    symbols::are_late() && (IS_COPY_OF_MANY.load(Relaxed) || session().is_some_and(is_another))
}

/// The process has found that it is a copy.
pub(crate) fn found_copied() {
    if symbols::are_late() {
        IS_COPY_OF_MANY.store(true, Relaxed);
    }
}

/// Whether libc knows that there is one thread only. It says so since version 2.32.
pub(crate) fn is_single_threaded() -> bool {
    const NAME: SymbolName<'_> = SymbolName::new(b"__libc_single_threaded\0");
    let Some(address) = symbols::find_object(NAME) else { return false };
    // SAFETY: libc's variable, one byte.
    unsafe { (address as *const u8).read_volatile() != 0 }
}

/// Enters what the process has mapped since the last time, before its memory is copied or goes. Who has
/// mapped nothing pays for one look.
pub(crate) fn keep_up() {
    if let Some(session) = session()
        && let Some(process) = session.process()
        && !IS_COPY_OF_MANY.load(Relaxed)
    {
        enter_new(session.control(), process);
    }
}

/// Enters the process's objects into the session: all, or none if none has been mapped since the last time.
fn enter_new(control: &ControlArea, process: u32) {
    let before = ENTERED.load(Relaxed);
    for_each(&mut |object, mapped| {
        // musl counts only those that were loaded later.
        let mapped = mapped.wrapping_add(1);
        if mapped == before {
            return ControlFlow::Break(());
        }
        ENTERED.store(mapped, Relaxed);
        enter(object, control, process);
        ControlFlow::Continue(())
    });
}

/// Has all objects entered again, into another session.
pub(crate) fn forget_entered() {
    ENTERED.store(0, Relaxed);
}

/// Calls `each` with every object that the session knows, and its entry there.
pub(crate) fn for_each_entered(control: &ControlArea, each: &mut dyn FnMut(&LoadedObject<'_>, u32)) {
    for_each(&mut |object, _| {
        if let Some(entry) = entry_of(object, control) {
            each(object, entry);
        }
        ControlFlow::Continue(())
    });
}

/// Calls `each` with every object.
pub(crate) fn for_each_object(each: &mut dyn FnMut(&LoadedObject<'_>)) {
    for_each(&mut |object, _| {
        each(object);
        ControlFlow::Continue(())
    });
}

/// Calls `each` with the code of every object.
pub(crate) fn for_each_text(each: &mut dyn FnMut(Text)) {
    for_each(&mut |object, _| {
        object.text().into_iter().for_each(&mut *each);
        ControlFlow::Continue(())
    });
}

fn entry_of(object: &LoadedObject<'_>, control: &ControlArea) -> Option<u32> {
    control.find_object(object.build_id()).or_else(|| add(object, control))
}

fn enter(object: &LoadedObject<'_>, control: &ControlArea, process: u32) {
    if let Some(entry) = entry_of(object, control) {
        control.add_map(process, Map { base: object.base, object: entry });
    }
}

/// Describes an object that the session doesn't know. The program's own path only the kernel knows; that is
/// asked for once per program, not per process.
#[cold]
fn add(object: &LoadedObject<'_>, control: &ControlArea) -> Option<u32> {
    let mut buffer = [0; 4096];
    let path = match object.path.to_bytes() {
        b"" => match rustix::fs::readlinkat_raw(CWD, c"/proc/self/exe", &mut buffer[..]) {
            Ok(len) => buffer.get(..len).unwrap_or_default(),
            Err(_) => b"?",
        },
        path => path,
    };
    let (low, high) = object.span();
    control.add_object(&NewObject { path, build_id: object.build_id(), low, high })
}
