/* Sections with known lengths. For each that is asked for: its kind, what passed within it at least, and at
   most, in ns of CLOCK_MONOTONIC. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t spin;

static PLACE void take(pthread_mutex_t *lock)
{
    first = now();
    pthread_mutex_lock(lock);
    begun = now();
    calls++;
}

static PLACE void leave(pthread_mutex_t *lock)
{
    ended = now();
    pthread_mutex_unlock(lock);
    calls++;
}

static PLACE void of_kind(int kind, int protocol, int robust)
{
    pthread_mutexattr_t attributes;
    pthread_mutex_t lock;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, kind);
    pthread_mutexattr_setprotocol(&attributes, protocol);
    pthread_mutexattr_setrobust(&attributes, robust);
    pthread_mutex_init(&lock, &attributes);
    take(&lock);
    spend(7);
    leave(&lock);
}

static PLACE void held(void)
{
    take(&mutex);
    spend(7);
    leave(&mutex);
}

/* Another lock is taken later and freed later: one section. */
static PLACE void overlapping(void)
{
    take(&mutex);
    spend(2);
    pthread_mutex_lock(&other);
    spend(3);
    pthread_mutex_unlock(&mutex);
    spend(2);
    leave(&other);
}

static PLACE void nested(void)
{
    take(&mutex);
    for (int round = 0; round < 3; round++) {
        pthread_mutex_lock(&other);
        spend(2);
        pthread_mutex_unlock(&other);
    }
    leave(&mutex);
}

static PLACE void recursive(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutex_t lock;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &attributes);
    take(&lock);
    pthread_mutex_lock(&lock);
    spend(3);
    pthread_mutex_unlock(&lock);
    spend(4);
    leave(&lock);
}

static PLACE void try(void)
{
    first = now();
    if (pthread_mutex_trylock(&mutex) != 0)
        abort();
    begun = now();
    /* Not taken: no lock more. */
    if (pthread_mutex_trylock(&mutex) != EBUSY)
        abort();
    spend(7);
    leave(&mutex);
}

static PLACE void reading(void)
{
    first = now();
    pthread_rwlock_rdlock(&rwlock);
    begun = now();
    spend(7);
    ended = now();
    pthread_rwlock_unlock(&rwlock);
    calls++;
}

static PLACE void writing(void)
{
    first = now();
    pthread_rwlock_wrlock(&rwlock);
    begun = now();
    spend(7);
    ended = now();
    pthread_rwlock_unlock(&rwlock);
    calls++;
}

static PLACE void spinning(void)
{
    pthread_spin_init(&spin, 0);
    first = now();
    pthread_spin_lock(&spin);
    begun = now();
    spend(7);
    ended = now();
    pthread_spin_unlock(&spin);
    calls++;
}

/* A wait for a condition holds nothing, however long. */
static PLACE void waiting(void)
{
    struct timespec until;
    first = now() + 300000000;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 300000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&mutex);
    while (pthread_cond_timedwait(&cond, &mutex, &until) != ETIMEDOUT)
        ;
    begun = now();
    spend(7);
    leave(&mutex);
}

/* While it is held another thread waits for it. */
static void *want(void *arrived)
{
    prctl(PR_SET_NAME, "waiter");
    __atomic_store_n((int *)arrived, gettid(), __ATOMIC_SEQ_CST);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

/* Whether a thread sleeps. */
static int sleeps(int thread)
{
    char path[64], state = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
    FILE *file = fopen(path, "r");
    if (!file || fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
        abort();
    fclose(file);
    return state == 'S';
}

static PLACE void wanted(void)
{
    int arrived = 0;
    pthread_t thread;
    take(&mutex);
    pthread_create(&thread, NULL, want, &arrived);
    while (!__atomic_load_n(&arrived, __ATOMIC_SEQ_CST) || !sleeps(arrived))
        usleep(1000);
    spend(7);
    leave(&mutex);
    pthread_join(thread, NULL);
}

/* For the lock of a thread that has ended with it. */
static void *die(void *lock)
{
    pthread_mutex_lock(lock);
    return NULL;
}

static PLACE void robust(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutex_t lock;
    pthread_t thread;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &attributes);
    pthread_create(&thread, NULL, die, &lock);
    pthread_join(thread, NULL);
    first = now();
    if (pthread_mutex_lock(&lock) != EOWNERDEAD)
        abort();
    begun = now();
    pthread_mutex_consistent(&lock);
    spend(7);
    leave(&lock);
}

static PLACE void mask(int how, int number)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    sigprocmask(how, &set, NULL);
    calls++;
}

static void handle(int number)
{
    (void)number;
    last = now();
    spend(20);
}

/* A signal that comes meanwhile is handled after it, which doesn't count. */
static PLACE void masked(void)
{
    signal(SIGUSR2, handle);
    sigset_t before, none;
    sigemptyset(&none);
    first = now();
    mask(SIG_BLOCK, SIGUSR1);
    begun = now();
    mask(SIG_BLOCK, SIGUSR2);
    spend(3);
    pthread_sigmask(SIG_UNBLOCK, &none, &before);
    mask(SIG_UNBLOCK, SIGUSR1);
    raise(SIGUSR2);
    spend(2);
    ended = now();
    mask(SIG_UNBLOCK, SIGUSR2);
}

/* Waits with another mask, and one that programs cause themselves. */
static PLACE void unmasked(void)
{
    struct timespec short_time = { 0, 300000000 };
    sigset_t none;
    sigemptyset(&none);
    mask(SIG_BLOCK, SIGPIPE);
    spend(30);
    mask(SIG_UNBLOCK, SIGPIPE);
    mask(SIG_BLOCK, SIGUSR1);
    first = now() + 300000000;
    ppoll(NULL, 0, &short_time, &none);
    begun = now();
    spend(5);
    ended = now();
    mask(SIG_UNBLOCK, SIGUSR1);
}

static void in_handler(int number)
{
    (void)number;
    begun = now();
    spend(5);
    ended = now();
}

static PLACE void handler(void)
{
    signal(SIGUSR1, in_handler);
    first = now();
    raise(SIGUSR1);
    calls++;
}

/* Either of the two, one after the other without a pause. */
static PLACE void either(void)
{
    take(&mutex);
    spend(2);
    mask(SIG_BLOCK, SIGUSR1);
    spend(2);
    pthread_mutex_unlock(&mutex);
    spend(2);
    ended = now();
    mask(SIG_UNBLOCK, SIGUSR1);
}

int main(int count, char **arguments)
{
    const char *kind = count > 1 ? arguments[1] : "";
    int is(const char *name) { return !strcmp(kind, name); }
    /* All pages are there, and all functions found. */
    pthread_mutex_lock(&other);
    pthread_mutex_unlock(&other);
    if (is("held"))
        held();
    else if (is("overlapping"))
        overlapping();
    else if (is("nested"))
        nested();
    else if (is("recursive"))
        recursive();
    else if (is("trylock"))
        try();
    else if (is("reading"))
        reading();
    else if (is("writing"))
        writing();
    else if (is("spinning"))
        spinning();
    else if (is("waiting"))
        waiting();
    else if (is("wanted"))
        wanted();
    else if (is("robust"))
        robust();
    else if (is("inheriting"))
        of_kind(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED);
    else if (is("checking"))
        of_kind(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
    else if (is("masked"))
        masked();
    else if (is("unmasked"))
        unmasked();
    else if (is("handler"))
        handler();
    else if (is("either"))
        either();
    else
        return 2;
    if (!last)
        last = now();
    printf("%d %ld %ld\n", getpid(), ended - begun, last - first);
    return 0;
}
