//! How much memory programs have allocated.

use crate::by_event::ByEvent;
use events::LIBC;
use foldhash::HashMap;
use trace_data::format::{Field, Format};
use trace_data::info::TraceInfo;
use trace_data::record::Record;

/// Adds up what each process has allocated in the trace and not freed. Takes memory for each allocation.
#[derive(Debug, Default)]
pub struct HeapSizes {
    /// By event id.
    roles: ByEvent<HeapRole>,
    /// What the innermost call of each thread is about: bytes, and what it frees.
    calls: HashMap<i32, (u64, u64)>,
    processes: HashMap<i32, ProcessHeap>,
}

#[derive(Debug, Default)]
struct ProcessHeap {
    /// By address.
    sizes: HashMap<u64, u64>,
    sum: u64,
}

/// What an event says of memory.
#[derive(Debug, Clone)]
enum HeapRole {
    /// So many bytes are wanted, or so many times as many; and something may be freed for them.
    Allocate {
        size: Option<Field>,
        times: Option<Field>,
        old: Option<Field>,
    },
    /// They are at this address.
    Allocated(Field),
    Free(Field),
    /// A program is executed, or a process ends.
    Gone,
    Other,
}

impl HeapRole {
    fn of(format: &Format) -> HeapRole {
        let field = |name: &str| format.field(name).cloned();
        let found = match format.name.as_str() {
            "sched_process_exec" => Some(HeapRole::Gone),
            "sched_process_exit" => Some(HeapRole::Gone),
            _ if format.system != LIBC => None,
            "free" => field("ptr").map(HeapRole::Free),
            "posix_memalign_exit" => field("memptr").map(HeapRole::Allocated),
            name if is_allocation(name) => {
                Some(HeapRole::Allocate { size: field("size"), times: field("nmemb"), old: field("ptr") })
            }
            name if name.strip_suffix("_exit").is_some_and(is_allocation) => {
                field("ret").map(HeapRole::Allocated)
            }
            _ => None,
        };
        found.unwrap_or(HeapRole::Other)
    }
}

fn is_allocation(call: &str) -> bool {
    matches!(
        call,
        "malloc"
            | "calloc"
            | "realloc"
            | "reallocarray"
            | "posix_memalign"
            | "aligned_alloc"
            | "memalign"
            | "valloc"
            | "pvalloc"
    )
}

impl HeapSizes {
    /// Looks at a record. All have to come, in the order of time. The process and how many bytes it has now,
    /// where the record changes that.
    pub fn add(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Option<(i32, u64)> {
        let find =
            || trace.events.get(record.id()).map_or(HeapRole::Other, |event| HeapRole::of(event.format()));
        let role = self.roles.of(record.id(), find);
        if matches!(role, HeapRole::Other) {
            return None;
        }
        let (tid, payload) = (record.pid(), record.payload);
        let number = |field: &Option<Field>| field.as_ref()?.integer(payload).map(|value| value as u64);
        let process = trace.tasks.tgid(tid).unwrap_or(tid);
        match role {
            HeapRole::Allocate { size, times, old } => {
                let size = number(size).unwrap_or(0).saturating_mul(number(times).unwrap_or(1));
                self.calls.insert(tid, (size, number(old).unwrap_or(0)));
                None
            }
            HeapRole::Allocated(address) => {
                let address = address.integer(payload)? as u64;
                let (size, old) = self.calls.remove(&tid)?;
                let heap = self.processes.entry(process).or_default();
                // realloc(3) of nothing frees; where it fails, it leaves the old memory.
                if address != 0 || size == 0 {
                    heap.free(old);
                }
                heap.allocate(address, size);
                Some((process, heap.sum))
            }
            HeapRole::Free(address) => {
                let heap = self.processes.get_mut(&process)?;
                heap.free(address.integer(payload)? as u64).then_some((process, heap.sum))
            }
            HeapRole::Gone => {
                let ends = tid == process;
                ends.then(|| self.processes.remove(&process)).flatten().map(|_| (process, 0))
            }
            HeapRole::Other => None,
        }
    }
}

impl ProcessHeap {
    fn allocate(&mut self, address: u64, size: u64) {
        if address != 0 {
            // What was there was freed in a way that is not recorded.
            self.free(address);
            self.sizes.insert(address, size);
            self.sum = self.sum.saturating_add(size);
        }
    }

    /// Whether that was known.
    fn free(&mut self, address: u64) -> bool {
        let size = self.sizes.remove(&address);
        self.sum = self.sum.saturating_sub(size.unwrap_or(0));
        size.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::ProcessHeap;

    #[test]
    fn what_is_freed_counts_no_more() {
        let mut heap = ProcessHeap::default();
        heap.allocate(0x10, 100);
        heap.allocate(0x20, 50);
        assert_eq!((heap.free(0x30), heap.sum), (false, 150));
        assert_eq!((heap.free(0x10), heap.sum), (true, 50));
        heap.allocate(0x20, 7);
        heap.allocate(0, 9);
        assert_eq!(heap.sum, 7);
    }
}
