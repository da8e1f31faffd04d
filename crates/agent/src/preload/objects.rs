//! Which objects the process has mapped: so that a caller's address can be given a name.

use crate::preload::elf::Object;
use control::{ControlFile, Map, NewObject};
use core::ffi::{c_int, c_void};
use core::ops::ControlFlow;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;
use libc::{dl_iterate_phdr, dl_phdr_info, getauxval};
use rustix::fs::CWD;

/// The vDSO is no file.
fn is_vdso(object: &Object<'_>) -> bool {
    // SAFETY: always allowed.
    let vdso = unsafe { getauxval(libc::AT_SYSINFO_EHDR) };
    vdso != 0 && object.contains(vdso as usize)
}

/// Calls `each` with every object, in the order in which the dynamic linker looks for symbols, the program
/// first, and with how many objects have been mapped so far. Until it says that this is enough.
fn for_each(each: &mut dyn FnMut(&Object<'_>, u64) -> ControlFlow<()>) {
    unsafe extern "C" fn callback(info: *mut dl_phdr_info, _size: usize, each: *mut c_void) -> c_int {
        // SAFETY: `each` is what is given below, and `info` is the dynamic linker's.
        unsafe {
            let each = &mut *each.cast::<&mut dyn FnMut(&Object<'_>, u64) -> ControlFlow<()>>();
            let object = Object::of(info);
            let enough = !is_vdso(&object) && each(&object, (*info).dlpi_adds).is_break();
            c_int::from(enough)
        }
    }
    let mut each = each;
    // SAFETY: the callback gets its own reference back while that lives.
    unsafe { dl_iterate_phdr(Some(callback), (&raw mut each).cast()) };
}

/// Remembers the symbols of the objects behind ours: where a program finds what we wrap.
pub(crate) fn remember_symbols() {
    let mut behind = false;
    for_each(&mut |object, _| {
        if behind {
            object.remember();
        }
        behind |= object.contains(remember_symbols as *const () as usize);
        ControlFlow::Continue(())
    });
}

/// How many objects had been mapped when they were last entered into the session.
static ENTERED: AtomicU64 = AtomicU64::new(0);

/// Enters the process's objects into the session: all, or none if none has been mapped since the last time.
pub(crate) fn enter_new(control: &ControlFile, process: u32) {
    let before = ENTERED.load(Relaxed);
    for_each(&mut |object, mapped| {
        if mapped == before {
            return ControlFlow::Break(());
        }
        ENTERED.store(mapped, Relaxed);
        enter(object, control, process);
        ControlFlow::Continue(())
    });
}

fn enter(object: &Object<'_>, control: &ControlFile, process: u32) {
    let entry = control.find_object(object.build_id()).or_else(|| add(object, control));
    if let Some(entry) = entry {
        control.add_map(process, Map { base: object.base, object: entry });
    }
}

/// Describes an object that the session doesn't know. The program's own path only the kernel knows; that is
/// asked for once per program, not per process.
#[cold]
fn add(object: &Object<'_>, control: &ControlFile) -> Option<u32> {
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
