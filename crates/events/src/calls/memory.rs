//! Calls on memory and locks: a program makes them all the time.

/// Adds these calls to the table and passes it on to the next part. Lines are as long as a call is:
/// rustfmt::skip.
#[doc(hidden)]
#[macro_export]
macro_rules! memory_calls {
    ($with:ident [$next:ident $($others:ident)*] $($before:tt)*) => {
        $crate::$next! {
            $with [$($others)*] $($before)*
            mem on request {
                malloc(size: Size) -> Address as [malloc];
                calloc(nmemb: Size, size: Size) -> Address as [calloc];
                realloc(ptr: Pointer, size: Size) -> Address as [realloc];
                reallocarray(ptr: Pointer, nmemb: Size, size: Size) -> Address as [reallocarray];
                free(ptr: Pointer) -> Nothing as [free];
                posix_memalign(memptr: Filled, alignment: Size, size: Size) -> ErrorNumber as [posix_memalign];
                aligned_alloc(alignment: Size, size: Size) -> Address as [aligned_alloc];
                memalign(alignment: Size, size: Size) -> Address as [memalign];
                valloc(size: Size) -> Address as [valloc];
                pvalloc(size: Size) -> Address as [pvalloc];
                mmap(addr: Pointer, length: Size, prot: Protection, flags: MapFlags, fd: Int, offset: Long) -> Mapping as [mmap, mmap64] around mapping::MMAP;
                munmap(addr: Pointer, length: Size) -> Success as [munmap] around mapping::MUNMAP;
                mremap(old_address: Pointer, old_size: Size, new_size: Size, flags: RemapFlags, new_address: Pointer = remap_target(flags, new_address)) -> Mapping
                    as [mremap] around mapping::MREMAP;
                mprotect(addr: Pointer, len: Size, prot: Protection) -> Success as [mprotect] around mapping::MPROTECT;
                madvise(addr: Pointer, length: Size, advice: Advice) -> Success as [madvise] around mapping::MADVISE;
                posix_madvise(addr: Pointer, length: Size, advice: Advice) -> ErrorNumber as [posix_madvise];
                msync(addr: Pointer, length: Size, flags: SyncFlags) -> Success as [msync];
                mincore(addr: Pointer, length: Size, vec: Pointer) -> Success as [mincore];
                mlock(addr: Pointer, len: Size) -> Success as [mlock];
                mlock2(addr: Pointer, len: Size, flags: Unsigned) -> Success as [mlock2];
                munlock(addr: Pointer, len: Size) -> Success as [munlock];
                mlockall(flags: Unsigned) -> Success as [mlockall] around locking::HOOKS;
                munlockall() -> Success as [munlockall];
                brk(addr: Pointer) -> Success as [brk];
                sbrk(increment: Long) -> Mapping as [sbrk];
                memfd_create(name: Path, flags: Unsigned) -> Descriptor as [memfd_create];
                shm_open(name: Path, oflag: OpenFlags, mode: Mode = creation_mode(oflag, mode)) -> Descriptor as [shm_open];
                shm_unlink(name: Path) -> Success as [shm_unlink];
                shmget(key: Int, size: Size, shmflg: Int) -> Descriptor as [shmget];
                shmat(shmid: Int, shmaddr: Pointer, shmflg: Int) -> Mapping as [shmat] around mapping::SHMAT;
                shmdt(shmaddr: Pointer) -> Success as [shmdt] around mapping::SHMDT;
            }
            lock on request {
                pthread_mutex_init(mutex: Pointer, attr: Pointer) -> ErrorNumber as [pthread_mutex_init];
                pthread_mutex_destroy(mutex: Pointer) -> ErrorNumber as [pthread_mutex_destroy];
                pthread_mutex_lock(mutex: Pointer) -> ErrorNumber as [pthread_mutex_lock] around lock::MUTEX;
                pthread_mutex_trylock(mutex: Pointer) -> ErrorNumber as [pthread_mutex_trylock] around lock::TRY;
                pthread_mutex_timedlock(mutex: Pointer, abstime: Pointer) -> ErrorNumber as [pthread_mutex_timedlock] around lock::MUTEX;
                pthread_mutex_clocklock(mutex: Pointer, clockid: ClockId, abstime: Pointer) -> ErrorNumber as [pthread_mutex_clocklock] around lock::MUTEX_CLOCK;
                pthread_mutex_unlock(mutex: Pointer) -> ErrorNumber as [pthread_mutex_unlock] around lock::FREE;
                pthread_rwlock_rdlock(rwlock: Pointer) -> ErrorNumber as [pthread_rwlock_rdlock] around lock::READ;
                pthread_rwlock_wrlock(rwlock: Pointer) -> ErrorNumber as [pthread_rwlock_wrlock] around lock::WRITE;
                pthread_rwlock_tryrdlock(rwlock: Pointer) -> ErrorNumber as [pthread_rwlock_tryrdlock] around lock::TRY;
                pthread_rwlock_trywrlock(rwlock: Pointer) -> ErrorNumber as [pthread_rwlock_trywrlock] around lock::TRY;
                pthread_rwlock_timedrdlock(rwlock: Pointer, abstime: Pointer) -> ErrorNumber as [pthread_rwlock_timedrdlock] around lock::READ_TIME;
                pthread_rwlock_timedwrlock(rwlock: Pointer, abstime: Pointer) -> ErrorNumber as [pthread_rwlock_timedwrlock] around lock::WRITE_TIME;
                pthread_rwlock_clockrdlock(rwlock: Pointer, clockid: ClockId, abstime: Pointer) -> ErrorNumber as [pthread_rwlock_clockrdlock] around lock::READ_CLOCK;
                pthread_rwlock_clockwrlock(rwlock: Pointer, clockid: ClockId, abstime: Pointer) -> ErrorNumber as [pthread_rwlock_clockwrlock] around lock::WRITE_CLOCK;
                pthread_rwlock_unlock(rwlock: Pointer) -> ErrorNumber as [pthread_rwlock_unlock] around lock::FREE;
                pthread_cond_wait(cond: Pointer, mutex: Pointer) -> ErrorNumber as [pthread_cond_wait] around lock::WAIT;
                pthread_cond_timedwait(cond: Pointer, mutex: Pointer, abstime: Pointer) -> ErrorNumber as [pthread_cond_timedwait] around lock::WAIT;
                pthread_cond_clockwait(cond: Pointer, mutex: Pointer, clockid: ClockId, abstime: Pointer) -> ErrorNumber as [pthread_cond_clockwait] around lock::WAIT;
                pthread_cond_signal(cond: Pointer) -> ErrorNumber as [pthread_cond_signal];
                pthread_cond_broadcast(cond: Pointer) -> ErrorNumber as [pthread_cond_broadcast];
                pthread_barrier_wait(barrier: Pointer) -> Unexplained as [pthread_barrier_wait];
                pthread_spin_lock(lock: Pointer) -> ErrorNumber as [pthread_spin_lock] around lock::SPIN;
                pthread_spin_trylock(lock: Pointer) -> ErrorNumber as [pthread_spin_trylock] around lock::TRY;
                pthread_spin_unlock(lock: Pointer) -> ErrorNumber as [pthread_spin_unlock] around lock::FREE;
                pthread_once(once_control: Pointer, init_routine: Function) -> ErrorNumber as [pthread_once];
                sem_init(sem: Pointer, pshared: Int, value: Unsigned) -> Success as [sem_init];
                sem_destroy(sem: Pointer) -> Success as [sem_destroy];
                sem_open(name: Path, oflag: OpenFlags, mode: Mode = creation_mode(oflag, mode), value: Unsigned = creation_mode(oflag, value)) -> Address
                    as [sem_open];
                sem_close(sem: Pointer) -> Success as [sem_close];
                sem_unlink(name: Path) -> Success as [sem_unlink];
                sem_wait(sem: Pointer) -> Success as [sem_wait];
                sem_trywait(sem: Pointer) -> Success as [sem_trywait];
                sem_timedwait(sem: Pointer, abstime: Pointer) -> Success as [sem_timedwait];
                sem_clockwait(sem: Pointer, clockid: ClockId, abstime: Pointer) -> Success as [sem_clockwait];
                sem_post(sem: Pointer) -> Success as [sem_post];
                semget(key: Int, nsems: Int, semflg: Int) -> Descriptor as [semget];
                semop(semid: Int, sops: Pointer, nsops: Size) -> Success as [semop];
                sched_yield() -> Success as [sched_yield];
            }
        }
    };
}
