//! `lookback_consumer.h`.

use crate::failure::{failed, noted, nothing};
use crate::given::path;
use abi::atomic::AtomicU32;
use client::{Consumer, Error};
use libc::{ENOENT, c_char, c_int, size_t, ssize_t};
use session::{Instance, session_path};
use std::collections::HashMap;
use std::ffi::{CString, OsStr};
use std::io::ErrorKind;
use std::ptr::null;
use std::slice;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// `struct lookback_consumer`.
pub struct COpenConsumer {
    consumer: Consumer,
    /// The formats that were asked for.
    formats: HashMap<u16, CString>,
}

/// `struct lookback_consumer_record`.
#[repr(C)]
pub struct CRecord {
    number: u64,
    time: u64,
    lost: u64,
    data: *const AtomicU32,
    size: u32,
    tid: i32,
    cpu: u32,
    id: u16,
}

/// The session's default instance, and the block of a CPU or lane in it.
fn opened(session: Option<&OsStr>, cpu: c_int) -> Result<Consumer, Error> {
    let instance = Instance::open(&session_path(session)?)?;
    let geometry = instance.buffer().geometry();
    let (block, end) = match u32::try_from(cpu) {
        Ok(cpu) => (cpu, geometry.cpus),
        Err(_) => (geometry.cpus.saturating_add(!cpu as u32), geometry.blocks()),
    };
    if block >= end {
        return Err(Error::NoBuffer { cpu: block });
    }
    Ok(Consumer::open(Arc::new(instance), block)?)
}

/// See the header.
///
/// # Safety
///
/// `session` is null, or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_consumer_open(session: *const c_char, cpu: c_int) -> *mut COpenConsumer {
    // SAFETY: the caller's promise.
    match opened(unsafe { path(session) }, cpu) {
        Ok(consumer) => Box::into_raw(Box::new(COpenConsumer { consumer, formats: HashMap::new() })),
        Err(error) => nothing(&error),
    }
}

/// See the header.
///
/// # Safety
///
/// See the module; `record` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_consumer_next(open: *mut COpenConsumer, record: *mut CRecord) -> c_int {
    // SAFETY: it is open, and used by this thread alone.
    let open = unsafe { &mut *open };
    let Some(found) = open.consumer.next_record() else { return 0 };
    let next = CRecord {
        number: found.number,
        time: found.time,
        lost: found.lost,
        data: found.payload.as_ptr(),
        size: 4 * found.payload.len() as u32,
        tid: found.tid(),
        cpu: found.cpu,
        id: found.id(),
    };
    // SAFETY: the caller's promise.
    unsafe { record.write(next) };
    1
}

/// See the header.
///
/// # Safety
///
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_consumer_position(open: *const COpenConsumer) -> u64 {
    // SAFETY: it is open, and used by this thread alone.
    unsafe { &*open }.consumer.position()
}

/// See the header.
///
/// # Safety
///
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_consumer_size(open: *const COpenConsumer) -> u64 {
    // SAFETY: it is open, and used by this thread alone.
    unsafe { &*open }.consumer.size()
}

/// See the header.
///
/// # Safety
///
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_consumer_produced(open: *const COpenConsumer) -> u64 {
    // SAFETY: it is open, and used by this thread alone.
    unsafe { &*open }.consumer.produced()
}

/// See the header.
///
/// # Safety
///
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_consumer_consumed(open: *const COpenConsumer) -> u64 {
    // SAFETY: it is open, and used by this thread alone.
    unsafe { &*open }.consumer.consumed()
}

/// See the header.
///
/// # Safety
///
/// See the module; `whole` is null, or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_consumer_put_consumed(
    open: *mut COpenConsumer,
    position: u64,
    whole: *mut u64,
) -> c_int {
    // SAFETY: it is open, and used by this thread alone.
    match unsafe { &mut *open }.consumer.put_consumed(position) {
        Ok(oldest) => {
            if !whole.is_null() {
                // SAFETY: the caller's promise.
                unsafe { whole.write(oldest) };
            }
            0
        }
        Err(bad) => failed(&bad.into()),
    }
}

/// See the header.
///
/// # Safety
///
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_consumer_poll(open: *mut COpenConsumer, milliseconds: c_int) -> c_int {
    let most = u64::try_from(milliseconds).ok().map(Duration::from_millis);
    // SAFETY: it is open, and used by this thread alone.
    match unsafe { &mut *open }.consumer.wait(most) {
        Ok(has_record) => c_int::from(has_record),
        Err(error) if error.kind() == ErrorKind::Interrupted => failed(&Error::Interrupted),
        Err(error) => failed(&error.into()),
    }
}

/// See the header.
///
/// # Safety
///
/// See the module; `record` is one that the consumer has given, and so many bytes of `packed` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_consumer_pack(
    open: *mut COpenConsumer,
    record: *const CRecord,
    packed: *mut u8,
    size: size_t,
) -> ssize_t {
    // SAFETY: the consumer is open, and used by this thread alone; the record is the caller's promise. Its
    // words are in the buffer, which is mapped as long as the consumer is open.
    let (open, record, words) =
        unsafe { (&mut *open, &*record, slice::from_raw_parts((*record).data, (*record).size as usize / 4)) };
    let Some(layout) = open.consumer.layout(record.id) else {
        return noted(ENOENT, "it is no record of a tracepoint") as ssize_t;
    };
    let payload: Vec<u8> = words.iter().flat_map(|word| word.load(Relaxed).to_le_bytes()).collect();
    let mut bytes = Vec::new();
    layout.pack(record.id, &payload, &mut bytes);
    // SAFETY: the caller's promise.
    unsafe { packed.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len().min(size)) };
    bytes.len() as ssize_t
}

/// See the header.
///
/// # Safety
///
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_consumer_format(open: *mut COpenConsumer, id: u16) -> *const c_char {
    // SAFETY: it is open, and used by this thread alone.
    let COpenConsumer { consumer, formats } = unsafe { &mut *open };
    if !formats.contains_key(&id)
        && let Some(format) = consumer.format(id).and_then(|format| CString::new(format).ok())
    {
        formats.insert(id, format);
    }
    formats.get(&id).map_or_else(
        || {
            noted(ENOENT, "no tracepoint has this id");
            null()
        },
        |format| format.as_ptr(),
    )
}

/// See the header.
///
/// # Safety
///
/// See the module, or null; it is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_consumer_close(open: *mut COpenConsumer) {
    if !open.is_null() {
        // SAFETY: it was made by `lookback_consumer_open`, and is closed once.
        drop(unsafe { Box::from_raw(open) });
    }
}
