/* Calls on memory and locks. */
#define _GNU_SOURCE
#include "calls.h"
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <time.h>
#include <unistd.h>

/* More than there is. */
static volatile size_t too_much = (size_t)-1 / 2;
/* Of which the compiler doesn't know what it is. */
static void *volatile nothing;
static char *kept;
static char *pages;
static char name[64];

IN_ORDER(malloc)
{
	POINTER(malloc, kept = malloc(1000));
	POINTER(malloc, malloc(too_much));
}

IN_ORDER(calloc)
{
	POINTER(calloc, calloc(7, 9));
	POINTER(calloc, calloc(too_much, 9));
}

IN_ORDER(realloc)
{
	POINTER(realloc, kept = realloc(kept, 100000));
	POINTER(realloc, realloc(nothing, too_much));
}

IN_ORDER(reallocarray)
{
	POINTER(reallocarray, kept = reallocarray(kept, 10, 10));
	POINTER(reallocarray, reallocarray(nothing, too_much, 10));
}

IN_ORDER(free)
{
	free(kept);
	free(NULL);
}

IN_ORDER(posix_memalign)
{
	void *memory;
	TELL_NUMBER(posix_memalign, posix_memalign(&memory, 4096, 100));
	TELL_NUMBER(posix_memalign, posix_memalign(&memory, 3, 100));
}

IN_ORDER(aligned_alloc)
{
	POINTER(aligned_alloc, aligned_alloc(64, 128));
	POINTER(aligned_alloc, aligned_alloc(64, too_much));
}

IN_ORDER(memalign)
{
	POINTER(memalign, memalign(64, 100));
	POINTER(memalign, memalign(64, too_much));
}

IN_ORDER(valloc)
{
	POINTER(valloc, valloc(10));
}

IN_ORDER(pvalloc)
{
	POINTER(pvalloc, pvalloc(10));
}

IN_ORDER(mmap)
{
	ADDRESS(mmap, pages = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	ADDRESS(mmap, mmap64(NULL, 4096, PROT_READ, MAP_PRIVATE, -1, 0));
	ADDRESS(mmap, mmap(NULL, 0, PROT_NONE, MAP_SHARED, -1, 4096));
}

IN_ORDER(munmap)
{
	INT(munmap, munmap(pages + 8192, 4096));
	INT(munmap, munmap((void *)1, 4096));
}

IN_ORDER(mremap)
{
	ADDRESS(mremap, mremap(pages, 8192, 4096, 0));
	ADDRESS(mremap, mremap(pages, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, pages + 16384));
	ADDRESS(mremap, mremap((void *)1, 4096, 8192, 0));
	pages += 16384;
}

IN_ORDER(mprotect)
{
	INT(mprotect, mprotect(pages, 4096, PROT_READ | PROT_WRITE));
	INT(mprotect, mprotect((void *)1, 4096, PROT_NONE));
}

IN_ORDER(madvise)
{
	INT(madvise, madvise(pages, 4096, MADV_WILLNEED));
	INT(madvise, madvise(pages, 4096, 9999));
}

IN_ORDER(posix_madvise)
{
	TELL_NUMBER(posix_madvise, posix_madvise(pages, 4096, POSIX_MADV_RANDOM));
	TELL_NUMBER(posix_madvise, posix_madvise((void *)1, 4096, POSIX_MADV_RANDOM));
}

IN_ORDER(msync)
{
	INT(msync, msync(pages, 4096, MS_ASYNC));
	INT(msync, msync((void *)1, 4096, MS_SYNC));
}

IN_ORDER(mincore)
{
	unsigned char resident[1];
	INT(mincore, mincore(pages, 4096, resident));
}

IN_ORDER(mlock)
{
	INT(mlock, mlock(pages, 4096));
}

IN_ORDER(mlock2)
{
	INT(mlock2, mlock2(pages, 4096, MLOCK_ONFAULT));
}

IN_ORDER(munlock)
{
	INT(munlock, munlock(pages, 4096));
}

IN_ORDER(mlockall)
{
	INT(mlockall, mlockall(-1));
}

IN_ORDER(munlockall)
{
	INT(munlockall, munlockall());
}

IN_ORDER(sbrk)
{
	ADDRESS(sbrk, sbrk(-(1L << 60)));
}

IN_ORDER(brk)
{
	INT(brk, brk(sbrk(0)));
	INT(brk, brk((void *)8));
}

IN_ORDER(memfd_create)
{
	INT(memfd_create, memfd_create("in memory", MFD_CLOEXEC));
	INT(memfd_create, memfd_create("in memory", -1));
}

IN_ORDER(shm_open)
{
	snprintf(name, sizeof name, "/lookback-calls-%d", getpid());
	INT(shm_open, shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600));
	INT(shm_open, shm_open("/missing-of-lookback", O_RDONLY, 0));
}

IN_ORDER(shm_unlink)
{
	INT(shm_unlink, shm_unlink(name));
	INT(shm_unlink, shm_unlink(name));
}

IN_ORDER(shmget)
{
	INT(shmget, shmget(0x7eadbeef, 10, 0));
}

IN_ORDER(shmat)
{
	ADDRESS(shmat, shmat(-1, NULL, 0));
}

IN_ORDER(shmdt)
{
	INT(shmdt, shmdt((void *)1));
}

static pthread_mutex_t mutex;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t spinlock;
static struct timespec past = {1, 0};
static sem_t semaphore, *named;

IN_ORDER(pthread_mutex_init)
{
	TELL_NUMBER(pthread_mutex_init, pthread_mutex_init(&mutex, NULL));
}

IN_ORDER(pthread_mutex_lock)
{
	TELL_NUMBER(pthread_mutex_lock, pthread_mutex_lock(&mutex));
}

IN_ORDER(pthread_mutex_trylock)
{
	TELL_NUMBER(pthread_mutex_trylock, pthread_mutex_trylock(&mutex));
}

IN_ORDER(pthread_mutex_timedlock)
{
	TELL_NUMBER(pthread_mutex_timedlock, pthread_mutex_timedlock(&mutex, &past));
}

IN_ORDER(pthread_mutex_clocklock)
{
	TELL_NUMBER(pthread_mutex_clocklock, pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &past));
}

IN_ORDER(pthread_cond_timedwait)
{
	TELL_NUMBER(pthread_cond_timedwait, pthread_cond_timedwait(&condition, &mutex, &past));
}

IN_ORDER(pthread_cond_clockwait)
{
	TELL_NUMBER(pthread_cond_clockwait, pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &past));
}

static void *waking(void *argument)
{
	pthread_mutex_lock(&mutex);
	pthread_cond_signal(&condition);
	pthread_mutex_unlock(&mutex);
	return argument;
}

IN_ORDER(pthread_cond_wait)
{
	pthread_t thread;
	pthread_create(&thread, NULL, waking, NULL);
	TELL_NUMBER(pthread_cond_wait, pthread_cond_wait(&condition, &mutex));
	pthread_mutex_unlock(&mutex);
	pthread_join(thread, NULL);
}

IN_ORDER(pthread_cond_signal)
{
	TELL_NUMBER(pthread_cond_signal, pthread_cond_signal(&condition));
}

IN_ORDER(pthread_cond_broadcast)
{
	TELL_NUMBER(pthread_cond_broadcast, pthread_cond_broadcast(&condition));
}

IN_ORDER(pthread_mutex_unlock)
{
	pthread_mutex_lock(&mutex);
	TELL_NUMBER(pthread_mutex_unlock, pthread_mutex_unlock(&mutex));
}

IN_ORDER(pthread_mutex_destroy)
{
	TELL_NUMBER(pthread_mutex_destroy, pthread_mutex_destroy(&mutex));
}

IN_ORDER(pthread_rwlock_rdlock)
{
	TELL_NUMBER(pthread_rwlock_rdlock, pthread_rwlock_rdlock(&rwlock));
}

IN_ORDER(pthread_rwlock_tryrdlock)
{
	TELL_NUMBER(pthread_rwlock_tryrdlock, pthread_rwlock_tryrdlock(&rwlock));
}

IN_ORDER(pthread_rwlock_trywrlock)
{
	TELL_NUMBER(pthread_rwlock_trywrlock, pthread_rwlock_trywrlock(&rwlock));
}

IN_ORDER(pthread_rwlock_timedwrlock)
{
	TELL_NUMBER(pthread_rwlock_timedwrlock, pthread_rwlock_timedwrlock(&rwlock, &past));
}

IN_ORDER(pthread_rwlock_clockwrlock)
{
	TELL_NUMBER(pthread_rwlock_clockwrlock, pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &past));
}

IN_ORDER(pthread_rwlock_unlock)
{
	TELL_NUMBER(pthread_rwlock_unlock, pthread_rwlock_unlock(&rwlock));
	TELL_NUMBER(pthread_rwlock_unlock, pthread_rwlock_unlock(&rwlock));
}

IN_ORDER(pthread_rwlock_wrlock)
{
	TELL_NUMBER(pthread_rwlock_wrlock, pthread_rwlock_wrlock(&rwlock));
}

IN_ORDER(pthread_rwlock_timedrdlock)
{
	TELL_NUMBER(pthread_rwlock_timedrdlock, pthread_rwlock_timedrdlock(&rwlock, &past));
}

IN_ORDER(pthread_rwlock_clockrdlock)
{
	TELL_NUMBER(pthread_rwlock_clockrdlock, pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &past));
}

IN_ORDER(pthread_barrier_wait)
{
	pthread_barrier_t barrier;
	pthread_barrier_init(&barrier, NULL, 1);
	TELL_ONLY(pthread_barrier_wait, "%d", pthread_barrier_wait(&barrier));
}

IN_ORDER(pthread_spin_lock)
{
	pthread_spin_init(&spinlock, 0);
	TELL_NUMBER(pthread_spin_lock, pthread_spin_lock(&spinlock));
}

IN_ORDER(pthread_spin_trylock)
{
	TELL_NUMBER(pthread_spin_trylock, pthread_spin_trylock(&spinlock));
}

IN_ORDER(pthread_spin_unlock)
{
	TELL_NUMBER(pthread_spin_unlock, pthread_spin_unlock(&spinlock));
}

static void once(void)
{
}

IN_ORDER(pthread_once)
{
	static pthread_once_t done = PTHREAD_ONCE_INIT;
	TELL_NUMBER(pthread_once, pthread_once(&done, once));
}

IN_ORDER(sem_init)
{
	INT(sem_init, sem_init(&semaphore, 0, 2));
	INT(sem_init, sem_init(&semaphore, 0, -1));
}

IN_ORDER(sem_wait)
{
	INT(sem_wait, sem_wait(&semaphore));
}

IN_ORDER(sem_trywait)
{
	INT(sem_trywait, sem_trywait(&semaphore));
	INT(sem_trywait, sem_trywait(&semaphore));
}

IN_ORDER(sem_timedwait)
{
	INT(sem_timedwait, sem_timedwait(&semaphore, &past));
}

IN_ORDER(sem_clockwait)
{
	INT(sem_clockwait, sem_clockwait(&semaphore, CLOCK_MONOTONIC, &past));
}

IN_ORDER(sem_post)
{
	INT(sem_post, sem_post(&semaphore));
}

IN_ORDER(sem_destroy)
{
	INT(sem_destroy, sem_destroy(&semaphore));
}

IN_ORDER(sem_open)
{
	POINTER(sem_open, named = sem_open(name, O_CREAT | O_EXCL, 0600, 1));
	POINTER(sem_open, sem_open("/missing-of-lookback", 0));
}

IN_ORDER(sem_close)
{
	INT(sem_close, sem_close(named));
}

IN_ORDER(sem_unlink)
{
	INT(sem_unlink, sem_unlink(name));
	INT(sem_unlink, sem_unlink(name));
}

IN_ORDER(semget)
{
	INT(semget, semget(0x7eadbeef, 1, 0));
}

IN_ORDER(semop)
{
	struct sembuf operation = {0, 1, 0};
	INT(semop, semop(-1, &operation, 1));
}

IN_ORDER(sched_yield)
{
	INT(sched_yield, sched_yield());
}

MAIN
