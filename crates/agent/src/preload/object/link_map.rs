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

    /// Whether no object was loaded after it.
    pub(crate) fn is_last(&self) -> bool {
        self.next.is_null()
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

/// Those of them in which a program finds what we wrap: those after ours, or where we came last, those that
/// the process has started with. The vDSO is no object of theirs.
///
/// # Safety
///
/// As for [`objects`].
pub(crate) unsafe fn objects_of_program(is_late: bool) -> impl Iterator<Item = &'static LinkMap> {
    let vdso = borrowed::auxiliary(libc::AT_SYSINFO_EHDR) as usize;
    // SAFETY: the caller's promise.
    let (before, count) = unsafe {
        match is_late {
            true => (0, objects_at_start()),
            false => (objects().take_while(|object| !object.is_own()).count() + 1, usize::MAX),
        }
    };
    // SAFETY: the caller's promise.
    let all = unsafe { objects() }.skip(before).take(count);
    all.filter(move |object| object.base != vdso && !object.is_own())
}

/// How many objects are there up to the C library and the dynamic linker, which all processes start with.
/// What is loaded later comes after those, and may be unmapped.
///
/// # Safety
///
/// As for [`objects`].
unsafe fn objects_at_start() -> usize {
    let both = [borrowed::heads_of_objects().0, borrowed::in_libc()];
    let lasts = both.map(|address| {
        // SAFETY: the caller's promise.
        let all = unsafe { objects() }.enumerate().filter(|(_, object)| object.base <= address);
        all.max_by_key(|(_, object)| object.base).map_or(0, |(index, _)| index)
    });
    lasts.into_iter().max().unwrap_or(0) + 1
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
