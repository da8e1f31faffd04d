//! The dynamic linker's list of objects.

use crate::preload::arch::linker;
use crate::preload::object::borrowed;
use crate::preload::object::tables::SymbolTables;
use core::ffi::c_char;

/// An object in the list: what `<link.h>` declares of it, which glibc and musl have alike.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct LinkMap {
    pub(crate) base: usize,
    pub(crate) name: *const c_char,
    pub(crate) dynamic: *const [u64; 2],
    next: *const LinkMap,
}

impl LinkMap {
    /// Whether this is our own object.
    pub(crate) fn is_own(&self) -> bool {
        self.dynamic == linker::own_dynamic_section()
    }

    /// Where its symbols are.
    pub(crate) fn tables(&self) -> Option<SymbolTables> {
        // SAFETY: the dynamic linker has mapped what is in its list.
        unsafe { SymbolTables::of(self.base, self.dynamic) }
    }
}

/// The objects of the list, in the order in which symbols are looked for.
///
/// # Safety
///
/// Meanwhile nobody unmaps one.
pub(crate) unsafe fn objects() -> impl Iterator<Item = &'static LinkMap> {
    let mut next = first_object();
    core::iter::from_fn(move || {
        // SAFETY: the dynamic linker's list, and the caller's promise.
        let object = unsafe { next.as_ref() }?;
        next = object.next;
        Some(object)
    })
}

/// Those of them that come after ours: where a program finds what we wrap. The vDSO is no object of theirs.
///
/// # Safety
///
/// As for [`objects`].
pub(crate) unsafe fn objects_after_own() -> impl Iterator<Item = &'static LinkMap> {
    let vdso = borrowed::auxiliary(libc::AT_SYSINFO_EHDR) as usize;
    // SAFETY: the caller's promise.
    let all = unsafe { objects() };
    all.skip_while(|object| !object.is_own()).skip(1).filter(move |object| object.base != vdso)
}

/// Where the dynamic linker's list starts: `struct r_debug`.
#[repr(C)]
struct ObjectList {
    version: i32,
    first: *const LinkMap,
}

/// The first object of the dynamic linker's list; null where it has none that we know.
fn first_object() -> *const LinkMap {
    let head = match borrowed::heads_of_objects() {
        (0, 0) => return core::ptr::null(),
        // SAFETY: musl has a pointer to it.
        (0, pointer) => unsafe { *(pointer as *const *const ObjectList) },
        (head, _) => head as *const ObjectList,
    };
    // SAFETY: the dynamic linker's variable; what it points to is filled before anybody is called.
    unsafe { head.as_ref() }.map_or(core::ptr::null(), |head| head.first)
}
