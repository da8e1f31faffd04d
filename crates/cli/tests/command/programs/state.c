// Makes calls in known states. Each path starts with the flags that its event is to show.
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MARK(flags, name) access("/" flags "/" name, F_OK)

static sigjmp_buf place;
static pthread_mutex_t robust;

static void inside(int number) { MARK("d.h..", "handler"); }

static void outside(int number) {
  MARK("d.h..", "outside");
  raise(SIGUSR1);
  MARK("d.h..", "outside again");
}

static void open_to_all(int number) { MARK("..h..", "nothing blocked"); }

static void jump(int number) {
  MARK("d.h..", "before a jump");
  siglongjmp(place, 1);
}

static void handle(int number, void (*handler)(int), int flags) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
  if (sigaction(number, &action, NULL)) abort();
}

static void *masked_thread(void *unused) {
  MARK("d....", "thread");
  return NULL;
}

static void *die_with_a_lock(void *unused) {
  pthread_mutex_lock(&robust);
  return NULL;
}

static void masks(void) {
  sigset_t set, none, other;
  sigemptyset(&none);
  sigfillset(&set);
  sigprocmask(SIG_BLOCK, &set, NULL);
  MARK("d....", "blocked");
  pthread_t thread;
  pthread_create(&thread, NULL, masked_thread, NULL);
  pthread_join(thread, NULL);
  pid_t child = fork();
  if (child == 0) {
    MARK("d....", "child");
    _exit(0);
  }
  waitpid(child, NULL, 0);
  if (sigprocmask(77, &set, NULL) != -1 || errno != EINVAL) abort();
  sigprocmask(SIG_SETMASK, NULL, &other);
  MARK("d....", "asked");
  sigprocmask(SIG_UNBLOCK, &set, &set);
  MARK(".....", "unblocked, and asked in the same set");
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  sigaddset(&set, SIGSEGV);
  pthread_sigmask(SIG_SETMASK, &set, NULL);
  MARK(".....", "what a thread does itself");
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_SETMASK, &set, NULL);
  MARK("d....", "one more");
  struct timespec at_once = {0, 0};
  ppoll(NULL, 0, &at_once, &none);
  MARK("d....", "after a wait with another mask");
  pthread_sigmask(SIG_SETMASK, &none, NULL);
  MARK(".....", "none");
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  sighold(SIGUSR1);
  MARK("d....", "held");
  sigrelse(SIGUSR1);
  MARK(".....", "released");
  int before = sigblock(sigmask(SIGUSR2));
  MARK("d....", "BSD");
  sigsetmask(before);
  MARK(".....", "BSD, before");
}

static void handlers(void) {
  handle(SIGUSR1, inside, 0);
  handle(SIGUSR2, outside, 0);
  handle(SIGALRM, open_to_all, SA_NODEFER);
  handle(SIGTERM, jump, 0);
  raise(SIGUSR1);
  MARK(".....", "after a handler");
  raise(SIGUSR2);
  MARK(".....", "after two");
  raise(SIGALRM);
  MARK(".....", "after one that blocks nothing");
  if (!sigsetjmp(place, 1)) raise(SIGTERM);
  MARK(".....", "after a jump");
  if (!sigsetjmp(place, 0)) raise(SIGTERM);
  MARK("d....", "after a jump without the mask");
  sigset_t set;
  sigemptyset(&set);
  sigprocmask(SIG_SETMASK, &set, NULL);
  static char memory[1 << 16];
  stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
  sigaltstack(&stack, NULL);
  handle(SIGUSR2, outside, SA_ONSTACK);
  raise(SIGUSR2);
  MARK(".....", "after another stack");
}

static void locks(void) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, recursive, many[20];
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&recursive, &attributes);
  pthread_mutex_lock(&mutex);
  MARK("...1.", "mutex");
  pthread_mutex_lock(&recursive);
  pthread_mutex_trylock(&recursive);
  MARK("...3.", "recursive");
  if (pthread_mutex_trylock(&mutex) != EBUSY) abort();
  MARK("...3.", "busy");
  pthread_mutex_unlock(&recursive);
  pthread_mutex_unlock(&recursive);
  if (pthread_mutex_unlock(&recursive) != EPERM) abort();
  MARK("...1.", "not its own");
  struct timespec past = {1, 0};
  static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  if (pthread_cond_timedwait(&condition, &mutex, &past) != ETIMEDOUT) abort();
  MARK("...1.", "waited for a condition");
  if (pthread_mutex_timedlock(&mutex, &past) != ETIMEDOUT) abort();
  MARK("...1.", "timed out");
  raise(SIGHUP);
  pthread_mutex_unlock(&mutex);
  MARK(".....", "unlocked");

  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_NORMAL);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
  pthread_mutex_init(&robust, &attributes);
  pthread_t thread;
  pthread_create(&thread, NULL, die_with_a_lock, NULL);
  pthread_join(thread, NULL);
  if (pthread_mutex_lock(&robust) != EOWNERDEAD) abort();
  MARK("...1.", "of a dead owner");
  pthread_mutex_unlock(&robust);
  if (pthread_mutex_lock(&robust) != ENOTRECOVERABLE) abort();
  MARK(".....", "not to be had again");

  pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
  pthread_rwlock_rdlock(&rwlock);
  pthread_rwlock_tryrdlock(&rwlock);
  MARK("...2.", "two readers");
  if (pthread_rwlock_trywrlock(&rwlock) != EBUSY) abort();
  pthread_rwlock_unlock(&rwlock);
  pthread_rwlock_unlock(&rwlock);
  pthread_spinlock_t spin;
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  pthread_spin_lock(&spin);
  MARK("...1.", "spin");
  pthread_spin_unlock(&spin);
  MARK(".....", "none");
  for (int i = 0; i < 20; i++) pthread_mutex_init(&many[i], NULL), pthread_mutex_lock(&many[i]);
  MARK("...f.", "20 as 15");
  for (int i = 0; i < 7; i++) pthread_mutex_unlock(&many[i]);
  MARK("...d.", "13");
  for (int i = 7; i < 20; i++) pthread_mutex_unlock(&many[i]);
  MARK(".....", "none of 20");
}

static void with_a_lock(int number) { MARK("d.h1.", "handler with a lock held"); }

int main(void) {
  MARK(".....", "start");
  masks();
  handlers();
  signal(SIGHUP, with_a_lock);
  locks();
  return 0;
}
