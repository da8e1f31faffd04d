// Waits for locks, each in a known way. Results that aren't those of libc's functions abort it.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define EXPECT(expected, call) \
  if ((call) != (expected)) abort()

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t spin;
static volatile int is_about_to_spin;

static long now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000000000L + time.tv_nsec;
}

static void *wait_for_mutex(void *unused) {
  long before = now(CLOCK_MONOTONIC);
  EXPECT(0, pthread_mutex_lock(&mutex));
  printf("waiter %d %ld %ld\n", gettid(), before / 1000, now(CLOCK_MONOTONIC) / 1000);
  EXPECT(0, pthread_mutex_unlock(&mutex));
  return NULL;
}

static void hold_a_mutex(void) {
  EXPECT(0, pthread_mutex_lock(&mutex));
  pthread_t waiter;
  pthread_create(&waiter, NULL, wait_for_mutex, NULL);
  // libc's word for a mutex that somebody waits for.
  while (*(volatile int *)&mutex != 2) usleep(100);
  usleep(7000);
  printf("holder %d %ld\n", gettid(), now(CLOCK_MONOTONIC) / 1000);
  EXPECT(0, pthread_mutex_unlock(&mutex));
  pthread_join(waiter, NULL);
}

static void *wait_for_spin(void *unused) {
  is_about_to_spin = 1;
  EXPECT(0, pthread_spin_lock(&spin));
  EXPECT(0, pthread_spin_unlock(&spin));
  return NULL;
}

static void hold_a_spin_lock(void) {
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  EXPECT(0, pthread_spin_lock(&spin));
  pthread_t waiter;
  pthread_create(&waiter, NULL, wait_for_spin, NULL);
  while (!is_about_to_spin) usleep(100);
  clockid_t clock;
  pthread_getcpuclockid(waiter, &clock);
  for (long start = now(clock); now(clock) < start + 2000000;) usleep(100);
  EXPECT(0, pthread_spin_unlock(&spin));
  pthread_join(waiter, NULL);
}

static void *leave_locked(void *lock) {
  EXPECT(0, pthread_mutex_lock(lock));
  return NULL;
}

// Of one thread: what it waits for it holds itself.
static void alone(void) {
  struct timespec past = {1, 0}, no_time = {1, 1000000000};
  EXPECT(0, pthread_mutex_timedlock(&mutex, NULL));
  EXPECT(EBUSY, pthread_mutex_trylock(&mutex));
  EXPECT(ETIMEDOUT, pthread_mutex_timedlock(&mutex, &past));
  EXPECT(ETIMEDOUT, pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &past));
  EXPECT(0, pthread_mutex_unlock(&mutex));
  EXPECT(EINVAL, pthread_mutex_clocklock(&mutex, CLOCK_PROCESS_CPUTIME_ID, &past));

  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_t checked, recursive, robust, shared;
  pthread_mutex_init(&checked, &attributes);
  EXPECT(0, pthread_mutex_lock(&checked));
  EXPECT(EDEADLK, pthread_mutex_lock(&checked));
  EXPECT(0, pthread_mutex_unlock(&checked));
  EXPECT(EPERM, pthread_mutex_unlock(&checked));
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&recursive, &attributes);
  EXPECT(0, pthread_mutex_lock(&recursive));
  EXPECT(0, pthread_mutex_lock(&recursive));
  EXPECT(0, pthread_mutex_unlock(&recursive));
  EXPECT(0, pthread_mutex_unlock(&recursive));
  EXPECT(EPERM, pthread_mutex_unlock(&recursive));
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
  pthread_mutex_init(&shared, &attributes);
  EXPECT(0, pthread_mutex_lock(&shared));
  EXPECT(0, pthread_mutex_lock(&shared));
  EXPECT(0, pthread_mutex_unlock(&shared));
  EXPECT(0, pthread_mutex_unlock(&shared));
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&robust, &attributes);
  pthread_t dead;
  pthread_create(&dead, NULL, leave_locked, &robust);
  pthread_join(dead, NULL);
  EXPECT(EOWNERDEAD, pthread_mutex_lock(&robust));
  EXPECT(0, pthread_mutex_unlock(&robust));
  EXPECT(ENOTRECOVERABLE, pthread_mutex_lock(&robust));

  pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
  EXPECT(EINVAL, pthread_rwlock_timedrdlock(&rwlock, &no_time));
  EXPECT(EINVAL, pthread_rwlock_clockwrlock(&rwlock, CLOCK_PROCESS_CPUTIME_ID, &past));
  EXPECT(0, pthread_rwlock_rdlock(&rwlock));
  EXPECT(0, pthread_rwlock_timedrdlock(&rwlock, &past));
  EXPECT(EBUSY, pthread_rwlock_trywrlock(&rwlock));
  EXPECT(ETIMEDOUT, pthread_rwlock_timedwrlock(&rwlock, &past));
  EXPECT(0, pthread_rwlock_unlock(&rwlock));
  EXPECT(0, pthread_rwlock_unlock(&rwlock));
  EXPECT(0, pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &past));
  EXPECT(EDEADLK, pthread_rwlock_rdlock(&rwlock));
  EXPECT(EDEADLK, pthread_rwlock_wrlock(&rwlock));
  EXPECT(0, pthread_rwlock_unlock(&rwlock));
}

int main(void) {
  hold_a_mutex();
  hold_a_spin_lock();
  alone();
  printf("main %d\n", getpid());
  return 0;
}
